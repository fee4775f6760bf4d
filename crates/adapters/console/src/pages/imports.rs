//! Imports: uploading a file, mapping its columns, its invalid rows, importing and undoing.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    api::{self, Answer, List},
    page_context::PageContext,
    parts::{
        fields::{ChoiceRow, Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
    words::Strings,
};

/// `/console/imports`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_imports())?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<_> = answer
        .imports()
        .iter()
        .map(|import| {
            vec![
                html! {
                    a href={ "/console/imports/" (import.import_id()) } {
                        b { (titled(t, import)) }
                    }
                },
                html! { (t.term(import.kind())) },
                state(cx, import.status()),
                html! { (written.instant(import.created_at())) },
            ]
        })
        .collect();
    let kinds = ["clients", "memberships"].map(|word| (word, t.term(word)));
    let form = Form::of(cx, api::create_import())
        .next("/console/imports/{import.importId}")
        .choice("kind", t.what_rows_are(), &kinds)
        .file("text", t.file(), t.import_file_help(), ".csv,.txt,.tsv,text/csv,text/plain");
    let main = html! {
        section.card { p { (t.import_means()) } (form.send(t.check_file())) }
        @if rows.is_empty() {
            (empty(t.no_imports(), None))
        } @else {
            (table(t.imports(), &[t.file(), t.kind(), t.status(), t.when()], rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.imports(), main))
}

fn titled<'i>(t: Strings, import: api::Import<'i>) -> &'i str {
    match import.file_name() {
        "" => t.file(),
        name => name,
    }
}

/// `/console/imports/{importId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("importId").to_owned();
    let answer = cx.call(api::get_import(&id))?;
    let import = answer.import();
    let (status, counts) = (import.status(), answer.counts());
    let wanted = match status {
        "undoing" | "undone" => "kept",
        _ => "wrong",
    };
    let rows = api::list_import_rows(&id).state(wanted);
    let rows = cx.list(rows)?;
    let partial = api::list_import_rows(&id).incomplete(true);
    let partial = cx.call(partial.limit(100))?;
    let names = names(cx, &answer)?;
    let t = cx.strings;
    let works = matches!(status, "checking" | "running" | "undoing");
    let main = html! {
        // While the job runs, the page polls its progress.
        div #import data-poll=[works.then_some("1000")] {
            section.card {
                (facts(vec![
                    (t.status(), state(cx, status)),
                    (t.kind(), html! { (t.term(import.kind())) }),
                    (t.rows(), html! { (counts.total()) }),
                    (t.in_order(), count(counts.ready())),
                    (t.wrong_rows(), count(counts.wrong())),
                    (t.done_rows(), count(counts.done())),
                    (t.incomplete_rows(), count(counts.incomplete())),
                    (t.undone_rows(), count(counts.undone())),
                    (t.kept_rows(), count(counts.kept())),
                ]))
                @if works { (progress(t, counts, status)) }
                @if status == "checked" {
                    @if counts.ready() > 0 {
                        @if import.kind() == "memberships" {
                            div.notice.warn { (t.import_bills()) }
                        }
                        p { (t.start_import_means(&cx.written.count(counts.ready()))) }
                        (Form::of(cx, api::start_import(&id)).send(t.start_import()))
                    } @else {
                        div.notice.warn { (t.no_row_in_order()) }
                    }
                }
            }
        }
        @if status == "checked" {
            section.card {
                h2 { (t.columns()) }
                p.quiet { (t.columns_mean()) }
                (columns(cx, &answer, &names, [rows.import_rows(), partial.import_rows()]))
            }
        }
        @if !rows.import_rows().is_empty() {
            h2 { @if wanted == "kept" { (t.kept_rows()) } @else { (t.wrong_rows()) } }
            (wrong_rows(cx, rows.import_rows()))
            (pager(cx, &rows))
        }
        @if !partial.import_rows().is_empty() {
            h2 { (t.incomplete_rows()) }
            p.quiet { (t.incomplete_rows_mean()) }
            (wrong_rows(cx, partial.import_rows()))
        }
    };
    let acts = html! {
        @if status == "done" {
            (disclosure(t.undo_import(), html! {
                p {
                    @if import.kind() == "memberships" {
                        (t.undo_sales_means())
                    } @else {
                        (t.undo_import_means())
                    }
                }
                (Form::of(cx, api::undo_import(&id)).danger(t.undo_import()))
            }))
        }
        @if !works {
            (disclosure(t.forget_import(), html! {
                p { (t.forget_import_means()) }
                (Form::of(cx, api::delete_import(&id))
                    .next("/console/imports")
                    .danger(t.forget_import()))
            }))
        }
    };
    Ok(View::new(titled(t, import), main).acts(acts))
}

fn count(count: i64) -> Markup {
    html! { @if count > 0 { (count) } }
}

/// Status of the import.
fn progress(t: Strings, counts: api::ImportCounts<'_>, status: &str) -> Markup {
    let total = counts.total();
    let left = match status {
        "checking" => counts.unchecked(),
        "running" => counts.ready(),
        _ => counts.done(),
    };
    html! {
        p role="status" { (t.under_way()) " " span.number { (total - left) " / " (total) } }
        meter min="0" max=(total) value=(total - left) aria-label=(t.under_way()) {}
        p { a.button.plain href="" { (t.look_again()) } }
    }
}

/// Possible meanings of values by field: names of coaches, locations and memberships.
type Names = Vec<(&'static str, Vec<(String, String)>)>;

fn names(cx: &mut PageContext<'_, '_>, answer: &Answer<api::GetImport>) -> Result<Names> {
    let is_presentable = |field: &str| answer.values().iter().any(|value| value.field() == field);
    let by_themselves = |choices: Vec<(String, String)>| {
        choices.into_iter().map(|(_, name)| (name.clone(), name)).collect()
    };
    let mut all = Names::new();
    if is_presentable("assignedCoachId") {
        all.push(("assignedCoachId", by_themselves(cx.coach_choices()?)));
    }
    if is_presentable("homeLocationId") {
        all.push(("homeLocationId", by_themselves(cx.location_choices()?)));
    }
    if is_presentable("productId") {
        let answer = cx.call_or_empty(api::list_products().limit(100))?;
        let names = answer.products().iter().map(|product| cx.localized(product.name()));
        all.push(("productId", names.map(|name| (name.clone(), name)).collect()));
    }
    Ok(all)
}

/// The meaning that omits a value.
const LEFT_OUT: &str = "-";

/// Fields for the meanings of values.
fn meanings<'f>(
    mut form: Form<'f>,
    t: Strings,
    answer: &Answer<api::GetImport>,
    names: &Names,
) -> Form<'f> {
    for (index, value) in answer.values().iter().enumerate() {
        let field = value.field();
        let own = answer.fields().iter().find(|own| own.name() == field).into_iter();
        let words = own.flat_map(|own| own.words());
        let words = words.map(|word| (word.to_owned(), t.term(word).to_owned()));
        let mut choices: Vec<(String, String)> = words.collect();
        if let Some((_, own)) = names.iter().find(|(own, _)| *own == field) {
            choices.extend(own.iter().cloned());
        }
        choices.push((LEFT_OUT.to_owned(), t.leave_out().to_owned()));
        let place = |part: &str| format!("values.{index}.{part}");
        let label = format!("{}: {} ({})", field_label(t, field), value.written(), value.rows());
        form = form
            .hidden(&place("field"), field)
            .hidden(&place("written"), value.written())
            .choice(&place("means"), &label, &choices);
    }
    form
}

/// The form of the column mapping and the meanings of values.
fn columns(
    cx: &PageContext<'_, '_>,
    answer: &Answer<api::GetImport>,
    names: &Names,
    wrong: [List<'_, api::ImportRow<'_>>; 2],
) -> Markup {
    let (t, import) = (cx.strings, answer.import());
    let fields: Vec<(&str, &str)> = answer
        .fields()
        .iter()
        .map(|field| field.name())
        .map(|name| (name, field_label(t, name)))
        .collect();
    let named: serde_json::Map<String, Value> = import
        .columns()
        .iter()
        .enumerate()
        .map(|(index, column)| (index.to_string(), column.field().into()))
        .collect();
    let record = serde_json::json!({
        "columns": named, "dateOrder": import.date_order(), "memberStatus": import.member_status(),
        "values": answer.json()["values"],
    });
    let mut form = Form::of(cx, api::set_import_columns(import.import_id())).from(&record);
    let rows = import.columns().iter().enumerate().map(|(index, column)| {
        let samples: Vec<&str> = column.samples().iter().collect();
        ChoiceRow {
            place: format!("columns.{index}"),
            label: column.name().to_owned(),
            before: html! { span.quiet { (samples.join(", ")) } },
            after: first_mistake(t, wrong, column.field()),
        }
    });
    let headings = [t.column_of_file(), t.samples(), t.becomes_field(), t.problem()];
    form = form.choices(t.columns(), headings, rows.collect(), &fields);
    let orders = [("day_first", t.day_first()), ("month_first", t.month_first())];
    form = form.choice("dateOrder", t.date_order(), &orders);
    if import.kind() == "clients" {
        let words = ["lead", "active", "paused", "former"].map(|word| (word, t.term(word)));
        form = form.choice("memberStatus", t.status_of_all(), &words);
    }
    meanings(form, t, answer, names).send(t.check_again())
}

/// The label of a field: clients are identified by their address.
fn field_label(t: Strings, field: &str) -> &str {
    if field == "clientId" { t.email() } else { t.term(field) }
}

/// The first mistake in a field, with the line that it is in.
fn first_mistake(t: Strings, rows: [List<'_, api::ImportRow<'_>>; 2], field: &str) -> Markup {
    let rows = rows.into_iter().flat_map(List::iter);
    let mistakes =
        rows.flat_map(|row| row.mistakes().iter().map(move |mistake| (row.line(), mistake)));
    let found =
        mistakes.into_iter().find(|(_, mistake)| !field.is_empty() && mistake.field() == field);
    html! {
        @if let Some((line, mistake)) = found {
            span.mistake { (t.line()) " " (line) ": " (mistake.rule()) }
        }
    }
}

/// The mistakes of a row, by field.
fn mistakes(t: Strings, row: api::ImportRow<'_>) -> Markup {
    html! {
        @for (at, mistake) in row.mistakes().iter().enumerate() {
            @if at > 0 { br; }
            @let field = mistake.field();
            @if !field.is_empty() { b { (field_label(t, field)) } ": " }
            (mistake.rule())
        }
    }
}

fn wrong_rows(cx: &PageContext<'_, '_>, rows: List<'_, api::ImportRow<'_>>) -> Markup {
    let t = cx.strings;
    let answer = rows
        .iter()
        .map(|row| {
            let cells: Vec<&str> = row.cells().iter().filter(|cell| !cell.is_empty()).collect();
            vec![
                html! { span.number { (row.line()) } },
                html! { (mistakes(t, row)) },
                html! { span.quiet { (cells.join(" · ").chars().take(160).collect::<String>()) } },
            ]
        })
        .collect();
    table(t.wrong_rows(), &[t.line(), t.reason(), t.what_it_says()], answer)
}
