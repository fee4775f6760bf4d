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
            html! { (cx.say.term(scan.text("decision"))) },
            html! { (cx.say.term(scan.text("reason"))) },
        ]);
    }
    let (say, written) = (cx.say, &cx.written);
    let directions: Vec<_> =
        ["in", "out", "both"].iter().map(|word| (*word, say.term(word))).collect();
    let form = Form::of(cx, "register_access_device")
        .next("/console/devices")
        .text("name", say.name())
        .choice("locationId", say.location(), &locations)
        .choice("direction", say.direction(), &directions);
    let main = html! {
        @if answer.list("accessDevices").is_empty() { (empty(say.no_devices(), None)) }
        div.grid {
            @for device in answer.list("accessDevices") {
                @let at = || vec![("deviceId", device.text("deviceId").to_owned())];
                section.card {
                    h2 { (device.text("name")) }
                    (facts(vec![
                        (say.status(), state(cx, device.text("status"))),
                        (say.last_seen(), html! { (device.instant("lastSeenAt").map(|at| written.instant(at)).unwrap_or_default()) }),
                        (say.direction(), html! { (say.term(device.text("direction"))) }),
                    ]))
                    @if device.text("status") != "revoked" {
                        div.buttons {
                            (disclosure(say.new_key(), Form::about(cx, "rotate_access_device_key", at()).danger(say.new_key())))
                            (disclosure(say.revoke(), Form::about(cx, "revoke_access_device", at()).danger(say.revoke())))
                        }
                    }
                }
            }
        }
        section.card { (disclosure(say.add_device(), form.send(say.add_device()))) }
        h2 { (say.scans()) }
        @if passed.is_empty() { p.quiet { (say.nothing()) } }
        @else { (table(say.scans(), &[say.when(), say.client(), say.decision(), say.reason()], passed)) (pager(cx, &scans)) }
    };
    Ok(View::new(say.devices(), main))
}
