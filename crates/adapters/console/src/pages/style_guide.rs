//! The style guide: the tokens and the parts that pages are made of, each once, with the same content every day. A
//! browser compares it as a picture.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api,
    page_context::PageContext,
    parts::{
        charts::{self, ChartTable, Point},
        fields::{Form, disclosure},
        icon,
        lists::{empty, facts, state, table},
        shell::View,
    },
};

/// The colours, by the names that they have in the style sheet.
const COLOURS: [&str; 12] = [
    "ground", "paper", "ink", "quiet", "main", "soft", "info", "warn", "bad", "good", "edge",
    "line",
];

/// `/console/style-guide`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let t = cx.strings;
    let main = html! {
        section.card {
            ul.swatches { @for name in COLOURS { li { span.swatch.(name) {} (name) } } }
            h2 { (t.clients()) }
            h3 { (t.clients()) }
            p { (t.import_means()) }
            p.quiet { (t.import_means()) }
            p { a href="#main" { (t.today()) } }
        }
        section.card {
            div.buttons {
                button type="button" { (t.save()) }
                button.plain type="button" { (t.cancel()) }
                button.danger type="button" { (t.erase()) }
                a.button href="#main" { (t.book()) }
                a.button.plain href="#main" { (t.import()) }
            }
            p {
                @for word in ["active", "lead", "booked", "cancelled", "overdue", "paid", "given"] {
                    (state(cx, word)) " "
                }
            }
            div.notice { (t.undo_import_means()) }
            div.notice.warn { (t.import_bills()) }
            p.mistake { (t.no_row_in_order()) }
        }
        (key_numbers(cx))
        section.card {
            (facts(vec![
                (t.status(), state(cx, "active")),
                (t.coach(), html! { "Ruben Castillo" }),
                (t.price(), html! { span.number { (cx.written.money(4_950, "EUR")) } }),
            ]))
            (disclosure(t.add_client(), form(cx)))
        }
        (table(t.clients(), &[t.name(), t.status(), t.owes()], rows(cx)))
        (empty(t.no_clients(), Some(("#main", t.add_client()))))
        section.card { (chart(cx)) }
    };
    Ok(View::new(t.style_guide(), main))
}

fn key_numbers(cx: &PageContext<'_, '_>) -> Markup {
    let t = cx.strings;
    html! {
        div.figures {
            div.figure { b { (cx.written.count(1_234)) } (t.members()) }
            a.figure href="#main" { b { (cx.written.money(123_450, "EUR")) } (t.outstanding()) }
            div.figure { b { (cx.written.share(Some(0.875))) } (t.attendance()) }
        }
    }
}

fn form(cx: &PageContext<'_, '_>) -> Markup {
    let t = cx.strings;
    Form::of(cx, api::create_client())
        .text("firstName", t.first_name())
        .of_type("email", "email", t.email(), "off")
        .choice("memberStatus", t.status(), &[("lead", t.term("lead"))])
        .helped("source", t.source(), t.source_help())
        .send(t.add_client())
}

fn rows(cx: &PageContext<'_, '_>) -> Vec<Vec<Markup>> {
    let row = |name: &str, status: &str, owed: i64| {
        vec![
            html! { b { (name) } },
            state(cx, status),
            html! { span.number { (cx.written.money(owed, "EUR")) } },
        ]
    };
    vec![row("Amira Bos", "active", 0), row("Noah de Wit", "lead", 4_950)]
}

fn chart(cx: &PageContext<'_, '_>) -> Markup {
    let points: Vec<_> = [3.0, 5.0, 4.0, 8.0, 6.0]
        .into_iter()
        .enumerate()
        .map(|(at, value)| Point { label: (at + 1).to_string(), value, is_running: at == 4 })
        .collect();
    html! {
        p { (icon("calendar")) " " (cx.strings.attended()) }
        (charts::bars(cx, cx.strings.attended(), &points, ChartTable::OnPage))
    }
}
