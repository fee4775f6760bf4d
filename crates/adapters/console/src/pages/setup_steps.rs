//! What a new business does first, until it has done it.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::format::JsonFields,
    words::Strings,
};

/// A business with so many clients is not new, whatever it has not done here.
const CLIENTS: i64 = 25;

/// A first step: what it is called, where it is done, and whether it was.
struct SetupStep {
    label: fn(Strings) -> &'static str,
    address: String,
    done: bool,
}

/// The first steps of a business, for whoever runs it; nothing once they are done.
pub(super) fn first_steps(cx: &mut PageContext<'_, '_>) -> Result<Option<Markup>> {
    if !cx.manages() || total(cx, "list_clients")? > CLIENTS {
        return Ok(None);
    }
    let own = cx.own_id();
    let hours = ApiCall::of("get_coach_availability").at("coachId", &own);
    let hours = cx.call_if_allowed(hours)?.unwrap_or_default();
    let mut step = |label, address: &str, operation| -> Result<SetupStep> {
        Ok(SetupStep { label, address: address.to_owned(), done: total(cx, operation)? > 0 })
    };
    let steps = [
        step(|t| t.step_event_type(), "/console/settings/event-types", "list_event_types")?,
        SetupStep {
            label: |t| t.step_hours(),
            address: format!("/console/settings/coaches/{own}"),
            done: !hours.list("availability.weekly").is_empty(),
        },
        step(|t| t.step_product(), "/console/products", "list_products")?,
        step(|t| t.step_client(), "/console/clients/new", "list_clients")?,
        step(|t| t.step_booking(), "/console/calendar/book", "list_bookings")?,
    ];
    if steps.iter().all(|step| step.done) {
        return Ok(None);
    }
    let t = cx.strings;
    Ok(Some(html! {
        section.card {
            h2 { (t.first_steps()) }
            ol.rows {
                @for step in &steps {
                    li {
                        span.grow { ((step.label)(t)) }
                        @if step.done { span.state.good { (t.is_done()) } }
                        @else { a.button.plain href=(step.address) { (t.do_it()) span.hidden { ": " ((step.label)(t)) } } }
                    }
                }
            }
            p.quiet { a href="/console/imports" { (t.step_import()) } }
        }
    }))
}

/// How many a list has.
fn total(cx: &mut PageContext<'_, '_>, operation: &'static str) -> Result<i64> {
    let answer = cx.call_if_allowed(ApiCall::of(operation).with("limit", 1))?;
    Ok(answer.map_or(0, |answer| answer.int("total")))
}
