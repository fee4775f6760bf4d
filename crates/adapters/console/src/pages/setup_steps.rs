//! What a new business does first, until it has done it.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{api, page_context::PageContext, words::Strings};

/// A company with more clients is not new.
const CLIENTS: i64 = 25;

/// A first step: what it is called, where it is done, and whether it was.
struct SetupStep {
    label: fn(Strings) -> &'static str,
    address: String,
    done: bool,
}

/// The first steps of a new business, for managers; nothing once they are done.
pub(super) fn first_steps(cx: &mut PageContext<'_, '_>) -> Result<Option<Markup>> {
    if !cx.manages() || cx.count(api::list_clients())? > CLIENTS {
        return Ok(None);
    }
    let own = cx.own_id();
    let hours = api::get_coach_availability(&own);
    let hours = cx.call_or_empty(hours)?;
    let step = |label, address: &str, records: i64| SetupStep {
        label,
        address: address.to_owned(),
        done: records > 0,
    };
    let steps = [
        step(
            |t| t.step_event_type(),
            "/console/settings/event-types",
            cx.count(api::list_event_types())?,
        ),
        SetupStep {
            label: |t| t.step_hours(),
            address: format!("/console/settings/coaches/{own}"),
            done: !hours.availability().weekly().is_empty(),
        },
        step(|t| t.step_product(), "/console/products", cx.count(api::list_products())?),
        step(|t| t.step_client(), "/console/clients/new", cx.count(api::list_clients())?),
        step(|t| t.step_booking(), "/console/calendar/book", cx.count(api::list_bookings())?),
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
                        @if step.done {
                            span.state.good { (t.is_done()) }
                        } @else {
                            a.button.plain href=(step.address) {
                                (t.set_it_up())
                                span.hidden { ": " ((step.label)(t)) }
                            }
                        }
                    }
                }
            }
            p.quiet { a href="/console/imports" { (t.step_import()) } }
        }
    }))
}
