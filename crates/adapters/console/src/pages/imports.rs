//! Imports: a file is brought, its columns are named, what is wrong with its rows is told, and it is done or undone.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
    words::Strings,
};

/// `/console/imports`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_imports"))?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<_> = answer
        .list("imports")
        .iter()
        .map(|import| {
            vec![
                html! { a href={ "/console/imports/" (import.text("importId")) } { b { (titled(t, import)) } } },
                html! { (t.term(import.text("kind"))) },
                state(cx, import.text("status")),
                html! { (import.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
            ]
        })
        .collect();
    let kinds = ["clients", "memberships"].map(|word| (word, t.term(word)));
    let form = Form::of(cx, "create_import")
        .next("/console/imports/{import.importId}")
        .choice("kind", t.what_rows_are(), &kinds)
        .file("text", t.file(), t.import_file_help(), ".csv,.txt,.tsv,text/csv,text/plain");
    let main = html! {
        section.card { p { (t.import_means()) } (form.send(t.check_file())) }
        @if rows.is_empty() { (empty(t.no_imports(), None)) }
        @else { (table(t.imports(), &[t.file(), t.kind(), t.status(), t.when()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.imports(), main))
}

fn titled(t: Strings, import: &Value) -> &str {
    match import.text("fileName") {
        "" => t.file(),
        name => name,
    }
}

/// `/console/imports/{importId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("importId").to_owned();
    let answer = cx.call(ApiCall::of("get_import").at("importId", &id))?;
    let import = answer.at("import").clone();
    let status = import.text("status");
    let wanted = match status {
        "undoing" | "undone" => "kept",
        _ => "wrong",
    };
    let rows = ApiCall::of("list_import_rows").at("importId", &id).with("state", wanted);
    let rows = cx.list(rows)?;
    let partial = ApiCall::of("list_import_rows").at("importId", &id).with("incomplete", true);
    let partial = cx.call(partial.with("limit", 100))?;
    let names = names(cx, &answer)?;
    let t = cx.strings;
    let at = || vec![("importId", id.clone())];
    let works = matches!(status, "checking" | "running" | "undoing");
    let main = html! {
        // While it is worked on, the page asks how far it is.
        div #import data-poll=[works.then_some("1000")] {
            section.card {
                (facts(vec![
                    (t.status(), state(cx, status)),
                    (t.kind(), html! { (t.term(import.text("kind"))) }),
                    (t.rows(), html! { (answer.int("counts.total")) }),
                    (t.in_order(), count(&answer, "ready")),
                    (t.wrong_rows(), count(&answer, "wrong")),
                    (t.done_rows(), count(&answer, "done")),
                    (t.incomplete_rows(), count(&answer, "incomplete")),
                    (t.undone_rows(), count(&answer, "undone")),
                    (t.kept_rows(), count(&answer, "kept")),
                ]))
                @if works { (progress(t, &answer, status)) }
                @if status == "checked" {
                    @if answer.int("counts.ready") > 0 {
                        @if import.text("kind") == "memberships" { div.notice.warn { (t.import_bills()) } }
                        p { (t.start_import_means(&cx.written.count(answer.int("counts.ready")))) }
                        (Form::about(cx, "start_import", at()).send(t.start_import()))
                    } @else { div.notice.warn { (t.no_row_in_order()) } }
                }
            }
        }
        @if status == "checked" {
            section.card { h2 { (t.columns()) } p.quiet { (t.columns_mean()) } (columns(cx, &answer, (&import, &names), at())) }
        }
        @if !rows.list("importRows").is_empty() {
            h2 { @if wanted == "kept" { (t.kept_rows()) } @else { (t.wrong_rows()) } }
            (wrong_rows(cx, &rows)) (pager(cx, &rows))
        }
        @if !partial.list("importRows").is_empty() {
            h2 { (t.incomplete_rows()) }
            p.quiet { (t.incomplete_rows_mean()) }
            (wrong_rows(cx, &partial))
        }
    };
    let acts = html! {
        @if status == "done" {
            (disclosure(t.undo_import(), html! { p { @if import.text("kind") == "memberships" { (t.undo_sales_means()) } @else { (t.undo_import_means()) } } (Form::about(cx, "undo_import", at()).danger(t.undo_import())) }))
        }
        @if !works {
            (disclosure(t.forget_import(), html! { p { (t.forget_import_means()) } (Form::about(cx, "delete_import", at()).next("/console/imports").danger(t.forget_import())) }))
        }
    };
    Ok(View::new(titled(t, &import), main).acts(acts))
}

fn count(answer: &Value, name: &str) -> Markup {
    let count = answer.int(&format!("counts.{name}"));
    html! { @if count > 0 { (count) } }
}

/// How far it is.
fn progress(t: Strings, answer: &Value, status: &str) -> Markup {
    let count = |name: &str| answer.int(&format!("counts.{name}"));
    let total = count("total");
    let left = match status {
        "checking" => count("unchecked"),
        "running" => count("ready"),
        _ => count("done"),
    };
    html! {
        p role="status" { (t.under_way()) " " span.number { (total - left) " / " (total) } }
        meter min="0" max=(total) value=(total - left) aria-label=(t.under_way()) {}
        p { a.button.plain href="" { (t.look_again()) } }
    }
}

/// The names that the values of a file can mean: of coaches, locations and memberships, by the field that says them.
type Names = Vec<(&'static str, Vec<(String, String)>)>;

fn names(cx: &mut PageContext<'_, '_>, answer: &Value) -> Result<Names> {
    let mut all = Names::new();
    for (field, operation, list) in [
        ("assignedCoachId", "list_coaches", "coaches"),
        ("homeLocationId", "list_locations", "locations"),
        ("productId", "list_products", "products"),
    ] {
        if answer.list("values").iter().any(|value| value.text("field") == field) {
            let known =
                cx.call_if_allowed(ApiCall::of(operation).with("limit", 100))?.unwrap_or_default();
            let names = known.list(list).iter().map(|one| match one.at("name") {
                Value::String(name) => name.clone(),
                Value::Object(names) => {
                    names.values().filter_map(Value::as_str).next().unwrap_or_default().to_owned()
                }
                _ => crate::parts::format::name(one),
            });
            all.push((field, names.map(|name| (name.clone(), name)).collect()));
        }
    }
    Ok(all)
}

/// What stands for leaving a value out.
const LEFT_OUT: &str = "-";

/// What is meant by the values of a column, to be said.
fn meanings<'f>(mut form: Form<'f>, t: Strings, answer: &Value, names: &Names) -> Form<'f> {
    for (index, value) in answer.list("values").iter().enumerate() {
        let field = value.text("field");
        let of_field = |one: &&Value| one.text("name") == field;
        let words = answer.list("fields").iter().find(of_field).map(|own| own.list("words"));
        let words = words.unwrap_or_default().iter().filter_map(Value::as_str);
        let words = words.map(|word| (word.to_owned(), t.term(word).to_owned()));
        let mut choices: Vec<(String, String)> = words.collect();
        if let Some((_, own)) = names.iter().find(|(own, _)| *own == field) {
            choices.extend(own.iter().cloned());
        }
        choices.push((LEFT_OUT.to_owned(), t.leave_out().to_owned()));
        let place = |part: &str| format!("values.{index}.{part}");
        let label =
            format!("{}: {} ({})", field_label(t, field), value.text("written"), value.int("rows"));
        form = form
            .hidden(&place("field"), field)
            .hidden(&place("written"), value.text("written"))
            .choice(&place("means"), &label, &choices);
    }
    form
}

/// What each column is, and what is meant by what it says, to be corrected.
fn columns(
    cx: &PageContext<'_, '_>,
    answer: &Value,
    (import, names): (&Value, &Names),
    at: Vec<(&'static str, String)>,
) -> Markup {
    let t = cx.strings;
    let fields: Vec<(&str, &str)> = answer
        .list("fields")
        .iter()
        .map(|field| field.text("name"))
        .map(|name| (name, field_label(t, name)))
        .collect();
    let named: serde_json::Map<String, Value> = import
        .list("columns")
        .iter()
        .enumerate()
        .map(|(index, column)| (index.to_string(), column.at("field").clone()))
        .collect();
    let record = serde_json::json!({
        "columns": named, "dateOrder": import.text("dateOrder"), "memberStatus": import.at("memberStatus"),
        "values": answer.at("values"),
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
    let orders = [("day_first", t.day_first()), ("month_first", t.month_first())];
    form = form.choice("dateOrder", t.date_order(), &orders);
    if import.text("kind") == "clients" {
        let words = ["lead", "active", "paused", "former"].map(|word| (word, t.term(word)));
        form = form.choice("memberStatus", t.status_of_all(), &words);
    }
    meanings(form, t, answer, names).send(t.check_again())
}

/// What a field is called: a client stands in a file by their address.
fn field_label(t: Strings, field: &str) -> &str {
    if field == "clientId" { t.email() } else { t.term(field) }
}

/// What is not in order of a row, each field by its own name.
fn mistakes(t: Strings, row: &Value) -> Markup {
    html! {
        @for (at, mistake) in row.list("mistakes").iter().enumerate() {
            @if at > 0 { br; }
            @let field = mistake.text("field");
            @if !field.is_empty() { b { (field_label(t, field)) } ": " }
            (mistake.text("rule"))
        }
    }
}

fn wrong_rows(cx: &PageContext<'_, '_>, rows: &Value) -> Markup {
    let t = cx.strings;
    let answer = rows
        .list("importRows")
        .iter()
        .map(|row| {
            let cells: Vec<&str> = row
                .list("cells")
                .iter()
                .filter_map(Value::as_str)
                .filter(|cell| !cell.is_empty())
                .collect();
            vec![
                html! { span.number { (row.int("line")) } },
                html! { (mistakes(t, row)) },
                html! { span.quiet { (cells.join(" · ").chars().take(160).collect::<String>()) } },
            ]
        })
        .collect();
    table(t.wrong_rows(), &[t.line(), t.why(), t.what_it_says()], answer)
}
