//! Imports: a file is brought, its columns are named, what is wrong with its rows is told, and it is done or undone.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    parts::{
        fields::{Form, behind},
        lists::{empty, facts, pager, state, table},
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
    words::Say,
};

/// `/console/imports`
pub(super) fn list(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.list(Ask::of("list_imports"))?;
    let (say, written) = (cx.say, &cx.written);
    let rows: Vec<_> = told
        .list("imports")
        .iter()
        .map(|import| {
            vec![
                html! { a href={ "/console/imports/" (import.text("importId")) } { b { (titled(say, import)) } } },
                html! { (say.term(import.text("kind"))) },
                state(cx, import.text("status")),
                html! { (import.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
            ]
        })
        .collect();
    let kinds = ["clients", "memberships"].map(|word| (word, say.term(word)));
    let form = Form::of(cx, "create_import")
        .next("/console/imports/{import.importId}")
        .choice("kind", say.what_rows_are(), &kinds)
        .file("text", say.file(), say.import_file_help(), ".csv,.txt,.tsv,text/csv,text/plain");
    let main = html! {
        section.card { p { (say.import_means()) } (form.send(say.check_file())) }
        @if rows.is_empty() { (empty(say.no_imports(), None)) }
        @else { (table(say.imports(), &[say.file(), say.kind(), say.status(), say.when()], rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(say.imports(), main))
}

fn titled(say: Say, import: &Value) -> &str {
    match import.text("fileName") {
        "" => say.file(),
        name => name,
    }
}

/// `/console/imports/{importId}`
pub(super) fn one(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("importId").to_owned();
    let told = cx.ask(Ask::of("get_import").at("importId", &id))?;
    let import = told.at("import").clone();
    let status = import.text("status");
    let wanted = match status {
        "undoing" | "undone" => "kept",
        _ => "wrong",
    };
    let rows = Ask::of("list_import_rows").at("importId", &id).with("state", wanted);
    let rows = cx.list(rows)?;
    let say = cx.say;
    let at = || vec![("importId", id.clone())];
    let works = matches!(status, "checking" | "running" | "undoing");
    let main = html! {
        // While it is worked on, the page asks how far it is.
        div #import data-poll=[works.then_some("1000")] {
            section.card {
                (facts(vec![
                    (say.status(), state(cx, status)),
                    (say.kind(), html! { (say.term(import.text("kind"))) }),
                    (say.rows(), html! { (told.int("counts.total")) }),
                    (say.in_order(), count(&told, "ready")),
                    (say.wrong_rows(), count(&told, "wrong")),
                    (say.done_rows(), count(&told, "done")),
                    (say.undone_rows(), count(&told, "undone")),
                    (say.kept_rows(), count(&told, "kept")),
                ]))
                @if works { (progress(say, &told, status)) }
                @if status == "checked" {
                    @if told.int("counts.ready") > 0 {
                        @if import.text("kind") == "memberships" { div.notice.warn { (say.import_bills()) } }
                        p { (say.start_import_means(&cx.written.count(told.int("counts.ready")))) }
                        (Form::about(cx, "start_import", at()).send(say.start_import()))
                    } @else { div.notice.warn { (say.no_row_in_order()) } }
                }
            }
        }
        @if status == "checked" {
            section.card { h2 { (say.columns()) } p.quiet { (say.columns_mean()) } (columns(cx, &told, &import, at())) }
        }
        @if !rows.list("importRows").is_empty() {
            h2 { @if wanted == "kept" { (say.kept_rows()) } @else { (say.wrong_rows()) } }
            (wrong_rows(cx, &rows)) (pager(cx, &rows))
        }
    };
    let acts = html! {
        @if status == "done" {
            (behind(say.undo_import(), html! { p { @if import.text("kind") == "memberships" { (say.undo_sales_means()) } @else { (say.undo_import_means()) } } (Form::about(cx, "undo_import", at()).danger(say.undo_import())) }))
        }
        @if !works {
            (behind(say.forget_import(), html! { p { (say.forget_import_means()) } (Form::about(cx, "delete_import", at()).next("/console/imports").danger(say.forget_import())) }))
        }
    };
    Ok(Shown::new(titled(say, &import), main).acts(acts))
}

fn count(told: &Value, name: &str) -> Markup {
    let count = told.int(&format!("counts.{name}"));
    html! { @if count > 0 { (count) } }
}

/// How far it is.
fn progress(say: Say, told: &Value, status: &str) -> Markup {
    let count = |name: &str| told.int(&format!("counts.{name}"));
    let total = count("total");
    let left = match status {
        "checking" => count("unchecked"),
        "running" => count("ready"),
        _ => count("done"),
    };
    html! {
        p role="status" { (say.under_way()) " " span.number { (total - left) " / " (total) } }
        meter min="0" max=(total) value=(total - left) aria-label=(say.under_way()) {}
        p { a.button.plain href="" { (say.look_again()) } }
    }
}

/// What each column is, to be corrected.
fn columns(
    cx: &Visit<'_, '_>,
    told: &Value,
    import: &Value,
    at: Vec<(&'static str, String)>,
) -> Markup {
    let say = cx.say;
    let fields: Vec<(&str, &str)> = told
        .list("fields")
        .iter()
        .map(|field| field.text("name"))
        .map(|name| (name, called(say, name)))
        .collect();
    let named: serde_json::Map<String, Value> = import
        .list("columns")
        .iter()
        .enumerate()
        .map(|(index, column)| (index.to_string(), column.at("field").clone()))
        .collect();
    let record = serde_json::json!({
        "columns": named, "dateOrder": import.text("dateOrder"), "memberStatus": import.at("memberStatus"),
    });
    let mut form = Form::about(cx, "set_import_columns", at).from(&record);
    for (index, column) in import.list("columns").iter().enumerate() {
        let samples: Vec<&str> = column.list("samples").iter().filter_map(Value::as_str).collect();
        let label = match samples.is_empty() {
            true => column.text("name").to_owned(),
            false => format!("{} ({}…)", column.text("name"), samples.join(", ")),
        };
        form = form.choice(&format!("columns.{index}"), &label, &fields);
    }
    let orders = [("day_first", say.day_first()), ("month_first", say.month_first())];
    form = form.choice("dateOrder", say.date_order(), &orders);
    if import.text("kind") == "clients" {
        let words = ["lead", "active", "former"].map(|word| (word, say.term(word)));
        form = form.choice("memberStatus", say.status_of_all(), &words);
    }
    form.send(say.check_again())
}

/// What a field is called: a client stands in a file by their address.
fn called(say: Say, field: &str) -> &str {
    if field == "clientId" { say.email() } else { say.term(field) }
}

fn wrong_rows(cx: &Visit<'_, '_>, rows: &Value) -> Markup {
    let say = cx.say;
    let told = rows
        .list("importRows")
        .iter()
        .map(|row| {
            let cells: Vec<&str> = row.list("cells").iter().filter_map(Value::as_str).filter(|cell| !cell.is_empty()).collect();
            vec![
                html! { span.number { (row.int("line")) } },
                html! { @if row.has("field") { b { (called(say, row.text("field"))) } ": " } (say.rule(row.text("rule"))) },
                html! { span.quiet { (cells.join(" · ").chars().take(160).collect::<String>()) } },
            ]
        })
        .collect();
    table(say.wrong_rows(), &[say.line(), say.why(), say.what_it_says()], told)
}
