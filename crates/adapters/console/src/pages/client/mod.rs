//! The pages of a client: the profile ([`profile`]), bookings ([`bookings`]), training ([`training`]), progress ([`progress`]),
//! money ([`money`]), forms ([`forms`]), files ([`files`]), and consents and access ([`consents`]).

pub(super) mod bookings;
pub(super) mod consents;
pub(super) mod files;
pub(super) mod forms;
pub(super) mod money;
pub(super) mod profile;
pub(super) mod progress;
pub(super) mod training;

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api::{self, Answer, ApiOperation},
    page_context::PageContext,
};

/// The client of the page, and the tabs of their pages.
struct Head {
    id: String,
    answer: Answer<api::GetClient>,
    tabs: Markup,
}

impl Head {
    fn client(&self) -> api::Client<'_> {
        self.answer.client()
    }
}

fn head(cx: &mut PageContext<'_, '_>, here: &str) -> Result<Head> {
    let id = cx.place.param("clientId").to_owned();
    let answer = cx.call(api::get_client(&id))?;
    let t = cx.strings;
    let pages: [(&str, &str, &str); 10] = [
        ("", t.overview(), api::GetClient::ID),
        ("bookings", t.bookings(), api::ListBookings::ID),
        ("training", t.training(), api::ListClientWorkoutPlans::ID),
        ("progress", t.progress(), api::ListMeasurements::ID),
        ("money", t.money_section(), api::ListClientProducts::ID),
        ("forms", t.forms(), api::ListFormAssignments::ID),
        ("notes", t.notes(), api::ListClientNotes::ID),
        ("files", t.files(), api::ListDocuments::ID),
        ("consents", t.consents(), api::GetHealthConsent::ID),
        ("timeline", t.timeline(), api::GetClientTimeline::ID),
    ];
    let tabs = html! {
        nav.tabs aria-label=(answer.client().full_name()) {
            @for (path, label, needs) in pages {
                @if cx.may_call(needs) {
                    a
                        href={ "/console/clients/" (id) @if !path.is_empty() { "/" (path) } }
                        aria-current=[(path == here).then_some("page")]
                    {
                        (label)
                    }
                }
            }
        }
    };
    Ok(Head { id, answer, tabs })
}
