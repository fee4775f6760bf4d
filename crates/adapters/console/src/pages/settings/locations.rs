//! Locations: where the business is, and when it is open.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{
    hours::{self, TimeRange},
    only_if, tabs,
};
use crate::{
    api,
    field_kind::FieldKind,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// What the ends of a range of opening hours are called.
const OPEN: [&str; 2] = ["opens", "closes"];

/// `/console/settings/locations`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_locations())?;
    let t = cx.strings;
    let kinds = [("physical", t.term("physical")), ("online", t.term("online"))];
    let rows: Vec<Vec<Markup>> = answer
        .locations()
        .iter()
        .map(|location| {
            vec![
                html! {
                    a href={ "/console/settings/locations/" (location.location_id()) } {
                        b { (location.name()) }
                    }
                },
                html! { (t.term(location.r#type())) },
                html! { (location.address().map_or("", |address| address.city())) },
                state(cx, location.status()),
            ]
        })
        .collect();
    let form = Form::of(cx, api::create_location())
        .next("/console/settings/locations/{location.locationId}")
        .text("name", t.name())
        .choice("type", t.kind(), &kinds);
    let main = html! {
        (tabs(cx, "/locations"))
        @if rows.is_empty() {
            (empty(t.no_locations(), None))
        } @else {
            (table(t.locations(), &[t.name(), t.kind(), t.city(), t.status()], rows))
            (pager(cx, &answer))
        }
        @if cx.may(api::CreateLocation) {
            section.card { (disclosure(t.add_location(), form.send(t.add_location()))) }
        }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/locations/{locationId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("locationId").to_owned();
    let query = api::get_location(&id);
    let answer = cx.call(query.clone())?;
    let made = FormSource::of(&query, &["location.openingHours"], &answer);
    let location = answer.location();
    let t = cx.strings;
    let kinds = [("physical", t.term("physical")), ("online", t.term("online"))];
    let form = Form::of(cx, api::update_location(&id))
        .from(location)
        .text("name", t.name())
        .choice("type", t.kind(), &kinds)
        .of_type("email", "email", t.email(), "off")
        .of_type("tel", "phone", t.phone(), "off")
        .address("address");
    let hours = location
        .opening_hours()
        .iter()
        .map(|own| {
            vec![
                html! { (t.weekday(own.weekday())) },
                html! { span.number { (hours::range(cx, own.opens(), own.closes())) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/locations"))
        section.card { (only_if(cx, api::UpdateLocation, form.send(t.save()))) }
        h2 { (t.opening_hours()) }
        (table(t.opening_hours(), &[t.day(), t.open()], hours))
        @if cx.may(api::UpdateLocation) {
            @let form = Form::of(cx, api::update_location(&id))
                .based_on(&made)
                .hidden(&FieldKind::Hours.name_of("openingHours"), "");
            @let ranges: Vec<_> = location
                .opening_hours()
                .iter()
                .map(|own| TimeRange {
                    weekday: own.weekday(),
                    from: own.opens(),
                    until: own.closes(),
                    location: "",
                })
                .collect();
            section.card {
                (disclosure(t.change_hours(), hours::week_of(cx, form, OPEN, &ranges, &[])))
            }
        }
    };
    let acts = html! {
        @if location.status() == "active" && cx.may(api::ArchiveLocation) {
            (disclosure(
                t.archive(),
                Form::of(cx, api::archive_location(&id))
                    .previewed()
                    .next("/console/settings/locations")
                    .danger(t.archive()),
            ))
        }
    };
    Ok(View::new(location.name(), main).acts(acts))
}
