//! Locations: where the business is, and when it is open.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{hours, only_if, tabs};
use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, pager, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// What the ends of a range of opening hours are called.
const OPEN: [&str; 2] = ["opens", "closes"];

/// `/console/settings/locations`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_locations"))?;
    let t = cx.strings;
    let kinds = [("physical", t.term("physical")), ("online", t.term("online"))];
    let rows: Vec<Vec<Markup>> = answer.list("locations").iter().map(|location| vec![
        html! { a href={ "/console/settings/locations/" (location.text("locationId")) } { b { (location.text("name")) } } },
        html! { (t.term(location.text("type"))) },
        html! { (location.text("address.city")) },
        state(cx, location.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_location")
        .next("/console/settings/locations/{location.locationId}")
        .text("name", t.name())
        .choice("type", t.kind(), &kinds);
    let main = html! {
        (tabs(cx, "/locations"))
        @if rows.is_empty() { (empty(t.no_locations(), None)) }
        @else { (table(t.locations(), &[t.name(), t.kind(), t.city(), t.status()], rows)) (pager(cx, &answer)) }
        @if cx.may("create_location") { section.card { (disclosure(t.add_location(), form.send(t.add_location()))) } }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/locations/{locationId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("locationId").to_owned();
    let query = ApiCall::of("get_location").at("locationId", &id);
    let answer = cx.call(query.clone())?;
    let made = FormSource::of(&query, &["location.openingHours"], &answer);
    let location = answer.at("location").clone();
    let t = cx.strings;
    let at = || vec![("locationId", id.clone())];
    let kinds = [("physical", t.term("physical")), ("online", t.term("online"))];
    let form = Form::about(cx, "update_location", at())
        .from(&location)
        .text("name", t.name())
        .choice("type", t.kind(), &kinds)
        .of_type("email", "email", t.email(), "off")
        .of_type("tel", "phone", t.phone(), "off")
        .address("address");
    let hours = location
        .list("openingHours")
        .iter()
        .map(|own| {
            vec![
                html! { (t.weekday(own.int("weekday"))) },
                html! { span.number { (hours::range(cx, own, OPEN)) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/locations"))
        section.card {
            (only_if(cx, "update_location", form.send(t.save())))
        }
        h2 { (t.opening_hours()) }
        (table(t.opening_hours(), &[t.day(), t.open()], hours))
        @if cx.may("update_location") {
            @let form = Form::about(cx, "update_location", at()).based_on(&made).hidden(&FieldKind::Hours.name_of("openingHours"), "");
            section.card { (disclosure(t.change_hours(), hours::week_of(cx, form, (location.list("openingHours"), OPEN), &[]))) }
        }
    };
    let acts = html! {
        @if location.text("status") == "active" && cx.may("archive_location") {
            (disclosure(t.archive(), Form::about(cx, "archive_location", at()).previewed().next("/console/settings/locations").danger(t.archive())))
        }
    };
    Ok(View::new(location.text("name"), main).acts(acts))
}
