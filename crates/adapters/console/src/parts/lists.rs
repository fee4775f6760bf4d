//! Lists: a table on a desk, cards on a phone, and pages of them.

use maud::{Markup, html};

use crate::{
    export,
    page_context::{ListPage, PageContext},
};

/// A table with a caption, columns and rows. On a phone each row is a card, with the column names beside the cells.
pub(crate) fn table(name: &str, columns: &[&str], rows: Vec<Vec<Markup>>) -> Markup {
    let amounts = amount_columns(columns.len(), &rows);
    html! {
        div.scroll {
            table.list {
                caption.hidden { (name) }
                thead {
                    tr {
                        @for (column, is_amount) in columns.iter().zip(&amounts) {
                            th.figure-column[*is_amount] scope="col" { (column) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for ((cell, column), is_amount) in
                                row.into_iter().zip(columns).zip(&amounts)
                            {
                                @if cell.0.is_empty() {
                                    td {}
                                } @else {
                                    td.figure-column[*is_amount] data-label=(column) { div { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The columns that hold nothing but figures, which are aligned at their end.
fn amount_columns(columns: usize, rows: &[Vec<Markup>]) -> Vec<bool> {
    let is_figure = |cell: &Markup| {
        let inner = cell.0.strip_prefix("<span class=\"number\">");
        let inner = inner.and_then(|rest| rest.strip_suffix("</span>"));
        cell.0.is_empty() || inner.is_some_and(|inner| !inner.contains('<'))
    };
    let is_column = |at| {
        let mut cells = rows.iter().filter_map(|row| row.get(at));
        cells.clone().any(|cell: &Markup| !cell.0.is_empty()) && cells.all(is_figure)
    };
    (0..columns).map(is_column).collect()
}

/// The pages of one subject, each by what follows its address, what it is called, and which operation it is for those who may
/// ask: empty for everybody.
pub(crate) fn tabs(
    cx: &PageContext<'_, '_>,
    name: &str,
    base: &str,
    here: &str,
    pages: &[(&str, &str, &str)],
) -> Markup {
    let view = pages.iter().filter(|(.., needs)| needs.is_empty() || cx.may_call(needs));
    html! {
        nav.tabs aria-label=(name) {
            @for (path, label, _) in view {
                a href={ (base) (path) } aria-current=[(*path == here).then_some("page")] {
                    (label)
                }
            }
        }
    }
}

/// Tabs that filter a list by a parameter; the empty value shows all.
pub(crate) fn by_word(
    cx: &PageContext<'_, '_>,
    name: &str,
    parameter: &str,
    here: &str,
    words: &[&str],
) -> Markup {
    html! {
        nav.tabs aria-label=(name) {
            @for word in words {
                a
                    href=(cx.place.with_parameters(&[(parameter, word), ("page", "")]))
                    aria-current=[(*word == here).then_some("page")]
                {
                    (if word.is_empty() { cx.strings.all() } else { cx.strings.term(word) })
                }
            }
        }
    }
}

/// How many there are, the way to the other pages of a list, and the whole of it as a file for those who work here.
pub(crate) fn pager<O>(cx: &PageContext<'_, '_>, list: &ListPage<O>) -> Markup {
    let [page, last, total] = list.position();
    let to = |page: i64| cx.place.with_parameters(&[("page", &page.to_string())]);
    html! {
        nav.pager aria-label=(cx.strings.pages()) {
            span.quiet { (cx.strings.in_all(&cx.written.count(total))) }
            @if last > 1 {
                @if page > 1 {
                    a.button.plain href=(to(page - 1)) rel="prev" { (cx.strings.previous()) }
                }
                span { (cx.strings.page_of(page, last)) }
                @if page < last {
                    a.button.plain href=(to(page + 1)) rel="next" { (cx.strings.next()) }
                }
            }
            @if !cx.is_client() && total > 0 {
                @if total <= export::RECORDS_MAX {
                    (export::button(cx, &list.call))
                } @else {
                    span.quiet {
                        (cx.strings.too_many_for_csv(&cx.written.count(export::RECORDS_MAX)))
                    }
                }
            }
        }
    }
}

/// A placeholder for an empty list.
pub(crate) fn empty(sentence: &str, button: Option<(&str, &str)>) -> Markup {
    html! {
        div.empty {
            p { (sentence) }
            @if let Some((address, label)) = button { a.button href=(address) { (label) } }
        }
    }
}

/// What a record is like, in a word and a colour.
pub(crate) fn state(cx: &PageContext<'_, '_>, word: &str) -> Markup {
    labelled_state(word, cx.strings.term(word))
}

/// The same for a kind of records whose states have words of their own: an end of a membership is no cancellation.
pub(crate) fn state_of(cx: &PageContext<'_, '_>, kind: &str, word: &str) -> Markup {
    labelled_state(word, cx.strings.term_of(kind, word))
}

fn labelled_state(word: &str, label: &str) -> Markup {
    let class = match word {
        "active" | "paid" | "succeeded" | "attended" | "booked" | "published" | "Active"
        | "won" | "achieved" | "reviewed" | "scheduled" | "submitted" | "completed" | "done" => {
            "good"
        }
        "failed" | "overdue" | "no_show" | "cancelled" | "revoked" | "lost" | "missed"
        | "expired" | "past_due" | "refused" => "bad",
        "pending" | "invited" | "paused" | "open" | "waitlisted" | "assigned" | "sending"
        | "Draft" | "draft" | "partially_paid" | "lead" => "warn",
        _ => "",
    };
    html! { span.state.(class) { (label) } }
}

/// Facts of a record with their labels; empty ones are omitted.
pub(crate) fn facts(facts: Vec<(&str, Markup)>) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in facts {
                @if !value.0.is_empty() {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}

/// A list after two of it changed places.
pub(crate) fn swapped<T>(all: &[T], one: usize, other: usize) -> Vec<&T> {
    let mut list: Vec<&T> = all.iter().collect();
    list.swap(one, other);
    list
}

/// A list after one of it was taken out.
pub(crate) fn without<T>(all: &[T], place: usize) -> Vec<&T> {
    all.iter().enumerate().filter(|(own, _)| *own != place).map(|(_, one)| one).collect()
}
