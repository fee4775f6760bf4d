//! Doors: their devices, and who passed.

use maud::html;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// `/console/devices`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("list_access_devices").with("limit", 50))?;
    let scans = cx.list(ApiCall::of("list_access_scans"))?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    cx.know_clients(scans.list("accessScans"))?;
    let mut passed = Vec::new();
    for scan in scans.list("accessScans") {
        let client = cx.client(scan.text("clientId"))?;
        passed.push(vec![
            html! { (scan.instant("occurredAt").or(scan.instant("decidedAt")).map(|at| cx.written.instant(at)).unwrap_or_default()) },
            html! { @if client.is_empty() { "–" } @else { a href={ "/console/clients/" (scan.text("clientId")) } { (client) } } },
            html! { (cx.strings.term(scan.text("decision"))) },
            html! { (cx.strings.term(scan.text("reason"))) },
        ]);
    }
    let (t, written) = (cx.strings, &cx.written);
    let directions: Vec<_> =
        ["in", "out", "both"].iter().map(|word| (*word, t.term(word))).collect();
    let form = Form::of(cx, "register_access_device")
        .next("/console/devices")
        .text("name", t.name())
        .choice("locationId", t.location(), &locations)
        .choice("direction", t.direction(), &directions);
    let main = html! {
        @if answer.list("accessDevices").is_empty() { (empty(t.no_devices(), None)) }
        div.grid {
            @for device in answer.list("accessDevices") {
                @let at = || vec![("deviceId", device.text("deviceId").to_owned())];
                section.card {
                    h2 { (device.text("name")) }
                    (facts(vec![
                        (t.status(), state(cx, device.text("status"))),
                        (t.last_seen(), html! { (device.instant("lastSeenAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                        (t.direction(), html! { (t.term(device.text("direction"))) }),
                    ]))
                    @if device.text("status") != "revoked" {
                        div.buttons {
                            (disclosure(t.new_key(), Form::about(cx, "rotate_access_device_key", at()).danger(t.new_key())))
                            (disclosure(t.revoke(), Form::about(cx, "revoke_access_device", at()).danger(t.revoke())))
                        }
                    }
                }
            }
        }
        section.card { (disclosure(t.add_device(), form.send(t.add_device()))) }
        h2 { (t.scans()) }
        @if passed.is_empty() { p.quiet { (t.nothing()) } }
        @else { (table(t.scans(), &[t.when(), t.client(), t.decision(), t.reason()], passed)) (pager(cx, &scans)) }
    };
    Ok(View::new(t.devices(), main))
}
