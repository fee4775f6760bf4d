//! The pages of a client: the profile ([`profile`]), bookings ([`bookings`]), sales, forms and files ([`records`]), progress
//! ([`progress`]), and consents and access ([`consents`]).

pub(super) mod bookings;
pub(super) mod consents;
pub(super) mod profile;
pub(super) mod progress;
pub(super) mod records;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::format::name,
};

/// The client whom the page is about, and the pages that there are of them.
struct Head {
    id: String,
    client: Value,
    tabs: Markup,
}

fn head(cx: &mut PageContext<'_, '_>, here: &str) -> Result<Head> {
    let id = cx.place.param("clientId").to_owned();
    let client = cx.call(ApiCall::of("get_client").at("clientId", &id))?["client"].take();
    let t = cx.strings;
    let pages: [(&str, &str, &str); 10] = [
        ("", t.overview(), "get_client"),
        ("bookings", t.bookings(), "list_bookings"),
        ("training", t.training(), "list_client_workout_plans"),
        ("progress", t.progress(), "list_measurements"),
        ("money", t.money(), "list_client_products"),
        ("forms", t.forms(), "list_form_assignments"),
        ("notes", t.notes(), "list_client_notes"),
        ("files", t.files(), "list_documents"),
        ("consents", t.consents(), "get_health_consent"),
        ("timeline", t.timeline(), "get_client_timeline"),
    ];
    let tabs = html! {
        nav.tabs aria-label=(name(&client)) {
            @for (path, label, needs) in pages {
                @if cx.may(needs) {
                    a href={ "/console/clients/" (id) @if !path.is_empty() { "/" (path) } }
                        aria-current=[(path == here).then_some("page")] { (label) }
                }
            }
        }
    };
    Ok(Head { id, client, tabs })
}

fn at(id: &str) -> Vec<(&'static str, String)> {
    vec![("clientId", id.to_owned())]
}
