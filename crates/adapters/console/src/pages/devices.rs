//! Doors: their devices, and who passed.

use maud::html;
use spotter_kernel::Result;

use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// `/console/devices`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::list_access_devices().limit(50))?;
    let scans = cx.list(api::list_access_scans())?;
    let locations = cx.location_choices()?;
    cx.know_clients(scans.access_scans().iter().map(|one| one.client_id()))?;
    let mut passed = Vec::new();
    for scan in scans.access_scans() {
        let client = cx.client(scan.client_id())?;
        passed.push(vec![
            html! { (cx.written.instant(scan.occurred_at())) },
            html! {
                @if client.is_empty() {
                    "–"
                } @else {
                    a href={ "/console/clients/" (scan.client_id()) } { (client) }
                }
            },
            html! { (cx.strings.term(scan.decision())) },
            html! { (cx.strings.term(scan.reason())) },
        ]);
    }
    let (t, written) = (cx.strings, &cx.written);
    let directions: Vec<_> =
        ["in", "out", "both"].iter().map(|word| (*word, t.term(word))).collect();
    let form = Form::of(cx, api::register_access_device())
        .next("/console/devices")
        .text("name", t.name())
        .choice("locationId", t.location(), &locations)
        .choice("direction", t.direction(), &directions);
    let main = html! {
        @if answer.access_devices().is_empty() { (empty(t.no_devices(), None)) }
        div.grid {
            @for device in answer.access_devices() {
                section.card {
                    h2 { (device.name()) }
                    (facts(vec![
                        (t.status(), state(cx, device.status())),
                        (t.last_seen(), html! { (written.instant(device.last_seen_at())) }),
                        (t.direction(), html! { (t.term(device.direction())) }),
                    ]))
                    @if device.status() != "revoked" {
                        div.buttons {
                            (disclosure(
                                t.new_key(),
                                Form::of(cx, api::rotate_access_device_key(device.device_id()))
                                    .danger(t.new_key()),
                            ))
                            (disclosure(
                                t.revoke(),
                                Form::of(cx, api::revoke_access_device(device.device_id()))
                                    .danger(t.revoke()),
                            ))
                        }
                    }
                }
            }
        }
        section.card { (disclosure(t.add_device(), form.send(t.add_device()))) }
        h2 { (t.scans()) }
        @if passed.is_empty() {
            p.quiet { (t.nothing()) }
        } @else {
            (table(t.scans(), &[t.when(), t.client(), t.decision(), t.reason()], passed))
            (pager(cx, &scans))
        }
    };
    Ok(View::new(t.devices(), main))
}
