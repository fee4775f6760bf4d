//! Settings: the company, where and when it works, who works there, what can be booked, and what is switched on.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::hours;
use crate::{
    parts::{
        fields::{Form, behind},
        lists::{self, empty, facts, pager, state, table},
        shell::Shown,
        told::{Told, name},
    },
    visit::{Ask, Visit},
};

/// What the ends of a range are called: of opening hours, and of a coach's.
const OPEN: [&str; 2] = ["opens", "closes"];
const AT_WORK: [&str; 2] = ["startTime", "endTime"];

pub(super) fn tabs(cx: &Visit<'_, '_>, here: &str) -> Markup {
    let say = cx.say;
    let pages = [
        ("", say.company(), ""),
        ("/locations", say.locations(), ""),
        ("/coaches", say.coaches(), ""),
        ("/closures", say.closures(), ""),
        ("/event-types", say.event_types(), ""),
        ("/policies", say.policies(), ""),
        ("/invoices", say.invoices(), "get_finance_settings"),
        ("/fields", say.custom_fields(), ""),
        ("/features", say.features(), ""),
    ];
    lists::tabs(cx, (say.settings(), "/console/settings", here), &pages)
}

/// A form for those who may send it, and its facts for the others.
fn only_if(cx: &Visit<'_, '_>, operation: &str, form: Markup) -> Markup {
    html! { @if cx.may(operation) { (form) } @else { p.notice { (cx.say.managers_change_this()) } } }
}

/// `/console/settings`
pub(super) fn company(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask(Ask::of("get_company_settings"))?;
    let company = told.at("company");
    let say = cx.say;
    let languages = [("en", "English"), ("nl", "Nederlands"), ("de", "Deutsch")];
    let form = Form::of(cx, "update_company_settings")
        .from(company)
        .text("name", say.name())
        .of_kind("email", "email", say.email(), "off")
        .of_kind("tel", "phone", say.phone(), "off")
        .of_kind("url", "website", say.website(), "off")
        .helped("country", say.country(), say.country_help())
        .choice("language", say.language(), &languages)
        .helped("currency", say.currency(), say.currency_help())
        .helped("timeZone", say.time_zone(), say.time_zone_help());
    let main = html! { (tabs(cx, "")) section.card { (only_if(cx, "update_company_settings", form.send(say.save()))) } };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/locations`
pub(super) fn locations(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.list(Ask::of("list_locations"))?;
    let say = cx.say;
    let kinds = [("physical", say.term("physical")), ("online", say.term("online"))];
    let rows: Vec<Vec<Markup>> = told.list("locations").iter().map(|location| vec![
        html! { a href={ "/console/settings/locations/" (location.text("locationId")) } { b { (location.text("name")) } } },
        html! { (say.term(location.text("type"))) },
        html! { (location.text("address.city")) },
        state(cx, location.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_location")
        .next("/console/settings/locations/{location.locationId}")
        .text("name", say.name())
        .choice("type", say.kind(), &kinds);
    let main = html! {
        (tabs(cx, "/locations"))
        @if rows.is_empty() { (empty(say.no_locations(), None)) }
        @else { (table(say.locations(), &[say.name(), say.kind(), say.city(), say.status()], rows)) (pager(cx, &told)) }
        @if cx.may("create_location") { section.card { (behind(say.add_location(), form.send(say.add_location()))) } }
    };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/locations/{locationId}`
pub(super) fn location(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("locationId").to_owned();
    let told = cx.ask(Ask::of("get_location").at("locationId", &id))?;
    let location = told.at("location").clone();
    let say = cx.say;
    let at = || vec![("locationId", id.clone())];
    let kinds = [("physical", say.term("physical")), ("online", say.term("online"))];
    let form = Form::about(cx, "update_location", at())
        .from(&location)
        .text("name", say.name())
        .choice("type", say.kind(), &kinds)
        .of_kind("email", "email", say.email(), "off")
        .of_kind("tel", "phone", say.phone(), "off")
        .address("address");
    let hours = location
        .list("openingHours")
        .iter()
        .map(|own| {
            vec![
                html! { (say.weekday(own.int("weekday"))) },
                html! { span.number { (hours::range(cx, own, OPEN)) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/locations"))
        section.card {
            (only_if(cx, "update_location", form.send(say.save())))
        }
        h2 { (say.opening_hours()) }
        (table(say.opening_hours(), &[say.day(), say.open()], hours))
        @if cx.may("update_location") {
            @let form = Form::about(cx, "update_location", at()).hidden("openingHours:hours", "");
            section.card { (behind(say.change_hours(), hours::week_of(cx, form, (location.list("openingHours"), OPEN), &[]))) }
        }
    };
    let acts = html! {
        @if location.text("status") == "active" && cx.may("archive_location") {
            (behind(say.archive(), Form::about(cx, "archive_location", at()).next("/console/settings/locations").danger(say.archive())))
        }
    };
    Ok(Shown::new(location.text("name"), main).acts(acts))
}

/// `/console/settings/coaches`
pub(super) fn coaches(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.list(Ask::of("list_coaches"))?;
    let say = cx.say;
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, say.term(word))).collect();
    let rows: Vec<Vec<Markup>> = told.list("coaches").iter().map(|coach| vec![
        html! { a href={ "/console/settings/coaches/" (coach.text("coachId")) } { b { (name(coach)) } } },
        html! { (coach.text("email")) },
        html! { (say.term(coach.text("role"))) },
        state(cx, coach.text("status")),
    ]).collect();
    let form = Form::of(cx, "invite_coach")
        .next("/console/settings/coaches")
        .text("firstName", say.first_name())
        .text("lastName", say.last_name())
        .of_kind("email", "email", say.email(), "off")
        .choice("role", say.role(), &roles);
    let main = html! {
        (tabs(cx, "/coaches"))
        (table(say.coaches(), &[say.name(), say.email(), say.role(), say.status()], rows)) (pager(cx, &told))
        @if cx.may("invite_coach") { section.card { (behind(say.invite_coach(), form.send(say.invite_coach()))) } }
    };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/coaches/{coachId}`
pub(super) fn coach(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("coachId").to_owned();
    let told = cx.ask(Ask::of("get_coach").at("coachId", &id))?;
    let coach = told.at("coach").clone();
    let hours =
        cx.ask_if(Ask::of("get_coach_availability").at("coachId", &id))?.unwrap_or_default();
    let places = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let step = cx.ask_if(Ask::of("get_coach_second_step").at("coachId", &id))?.unwrap_or_default();
    let say = cx.say;
    let at = || vec![("coachId", id.clone())];
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, say.term(word))).collect();
    let form = Form::about(cx, "update_coach", at())
        .from(&coach)
        .text("firstName", say.first_name())
        .text("lastName", say.last_name())
        .of_kind("email", "email", say.email(), "off")
        .choice("role", say.role(), &roles);
    let weekly = hours
        .list("availability.weekly")
        .iter()
        .map(|window| {
            vec![
                html! { (say.weekday(window.int("weekday"))) },
                html! { span.number { (hours::range(cx, window, AT_WORK)) } @for place in hours::at(window, &places) { " · " (place) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/coaches"))
        p { (state(cx, coach.text("status"))) @if step.is("secondStep.isOn") { " " span.state.good { (say.second_step()) } } @else if step.is("secondStep.isDemanded") { " " span.state.warn { (say.second_step_missing()) } } }
        section.card { (only_if(cx, "update_coach", form.send(say.save()))) }
        h2 { (say.working_hours()) }
        (table(say.working_hours(), &[say.day(), say.when()], weekly))
        @if cx.may("set_coach_availability") && hours.has("availability") {
            @let availability = hours.at("availability");
            @let form = Form::about(cx, "set_coach_availability", at()).hidden("timeZone", availability.text("timeZone")).hidden("weekly:hours", "")
                .hidden("overrides:json", availability.at("overrides").to_string());
            // Hours that are for some appointments alone, or at several places, would lose that here.
            @let bound = availability.list("weekly").iter().any(|own| own.list("locationIds").len() > 1 || !own.list("eventTypeIds").is_empty());
            @if bound { p.quiet { (say.hours_elsewhere()) } }
            @else { section.card { (behind(say.change_hours(), hours::week_of(cx, form, (availability.list("weekly"), AT_WORK), &places))) } }
        }
    };
    let acts = html! {
        @if coach.text("status") == "invited" && cx.may("reinvite_coach") { (Form::about(cx, "reinvite_coach", at()).button(say.invite())) }
        @if step.is("secondStep.isOn") {
            (behind(say.reset_second_step(), html! { p { (say.reset_second_step_means()) } (Form::about(cx, "delete_coach_second_step", at()).danger(say.reset_second_step())) }))
        }
        @if coach.text("status") == "active" && cx.may("update_coach") {
            (behind(say.deactivate(), html! { p { (say.deactivate_means()) } (Form::about(cx, "update_coach", at()).hidden("status", "deactivated").danger(say.deactivate())) }))
        }
    };
    Ok(Shown::new(name(&coach), main).acts(acts))
}

/// `/console/settings/event-types`
pub(super) fn event_types(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.list(Ask::of("list_event_types"))?;
    let say = cx.say;
    let kinds = [("appointment", say.term("appointment")), ("class", say.term("class"))];
    let rows: Vec<Vec<Markup>> = told.list("eventTypes").iter().map(|kind| vec![
        html! { a href={ "/console/settings/event-types/" (kind.text("eventTypeId")) } { b { (kind.text("name")) } } },
        html! { (say.term(kind.text("kind"))) },
        html! { span.number { (kind.int("durationMinutes")) " min" } },
        html! { span.number { (kind.int("capacity")) } },
        state(cx, kind.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_event_type")
        .next("/console/settings/event-types/{eventType.eventTypeId}")
        .text("name", say.name())
        .choice("kind", say.kind(), &kinds)
        .text("durationMinutes", say.minutes())
        .text("capacity", say.seats());
    let main = html! {
        (tabs(cx, "/event-types"))
        @if rows.is_empty() { (empty(say.no_event_types(), None)) }
        @else { (table(say.event_types(), &[say.name(), say.kind(), say.minutes(), say.seats(), say.status()], rows)) (pager(cx, &told)) }
        @if cx.may("create_event_type") { section.card { (behind(say.add_event_type(), form.send(say.add_event_type()))) } }
    };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/event-types/{eventTypeId}`
pub(super) fn event_type(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let id = cx.place.param("eventTypeId").to_owned();
    let told = cx.ask(Ask::of("get_event_type").at("eventTypeId", &id))?;
    let kind = told.at("eventType").clone();
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let say = cx.say;
    let at = || vec![("eventTypeId", id.clone())];
    let form = Form::about(cx, "update_event_type", at())
        .from(&kind)
        .text("name", say.name())
        .area("description", say.description())
        .text("durationMinutes", say.minutes())
        .text("capacity", say.seats())
        .text("credits", say.credits())
        .text("minNoticeMinutes", say.notice_minutes())
        .text("bookingWindowDays", say.window_days())
        .check("clientsMayBook", say.clients_may_book())
        .check("requiresApproval", say.needs_approval())
        .any("coachIds", say.coaches(), &coaches)
        .any("locationIds", say.locations(), &locations);
    // It is written whole; what is not shown stays.
    let form = match kind.text("kind") {
        "class" => ["maxEntries", "offerMinutes", "closesMinutesBefore"]
            .iter()
            .map(|part| format!("waitlist.{part}"))
            .filter(|place| !kind.at(place).is_null())
            .fold(form, |form, place| form.hidden(&place, kind.int(&place).to_string()))
            .choice(
                "waitlist.mode",
                say.wait_for_it(),
                &["off", "auto", "offer"].map(|word| (word, say.term(word))),
            ),
        _ => form,
    };
    let main = html! { (tabs(cx, "/event-types")) section.card { (only_if(cx, "update_event_type", form.send(say.save()))) } };
    let acts = html! {
        @if kind.text("status") == "active" && cx.may("archive_event_type") {
            (behind(say.archive(), Form::about(cx, "archive_event_type", at()).next("/console/settings/event-types").danger(say.archive())))
        }
    };
    Ok(Shown::new(kind.text("name"), main).acts(acts))
}

/// `/console/settings/fields`
pub(super) fn fields(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask(Ask::of("list_custom_fields").with("limit", 100))?;
    let say = cx.say;
    let kinds: Vec<_> = ["text", "number", "date", "boolean", "select"]
        .iter()
        .map(|word| (*word, say.term(word)))
        .collect();
    let rows: Vec<Vec<Markup>> = told.list("customFields").iter().map(|field| vec![
        html! { b { (field.text("label")) } },
        html! { (say.term(field.text("type"))) },
        html! { (field.list("options").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")) },
        html! {
            @if field.has("archivedAt") { (state(cx, "archived")) }
            @else { (Form::about(cx, "update_custom_field", vec![("fieldId", field.text("fieldId").to_owned())]).hidden("archived", "true").button(say.archive())) }
        },
    ]).collect();
    let form = Form::of(cx, "create_custom_field").text("label", say.name()).choice("type", say.kind(), &kinds).beside(html! {
        div.field { label for="options" { (say.options()) } p.help { (say.options_help()) } input #options type="text" name="options:list"; }
    });
    let main = html! {
        (tabs(cx, "/fields"))
        @if rows.is_empty() { (empty(say.no_custom_fields(), None)) }
        @else { (table(say.custom_fields(), &[say.name(), say.kind(), say.options(), ""], rows)) }
        @if cx.may("create_custom_field") { section.card { (behind(say.add_custom_field(), form.send(say.add_custom_field()))) } }
    };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/policies`
pub(super) fn policies(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask_if(Ask::of("get_company_policies"))?.unwrap_or_default();
    let policies = told.at("policies");
    let (say, currency) = (cx.say, cx.person.company.currency.code().to_owned());
    let form = Form::of(cx, "set_company_policies")
        .from(policies)
        .text("cancellationWindowHours", say.free_hours())
        .text("bookingWindowDays", say.window_days())
        .money("lateCancellationFee.amount", say.late_fee())
        .hidden("lateCancellationFee.currency", &*currency)
        .money("noShowFee.amount", say.no_show_fee())
        .hidden("noShowFee.currency", &*currency)
        .of_kind("url", "termsUrl", say.terms(), "off")
        .of_kind("url", "privacyUrl", say.privacy(), "off");
    let main = html! { (tabs(cx, "/policies")) section.card { (only_if(cx, "set_company_policies", form.send(say.save()))) } };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/settings/features`
pub(super) fn features(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask(Ask::of("get_company_features"))?;
    let features = told.at("features");
    let say = cx.say;
    let form = Form::of(cx, "update_company_features")
        .from(features)
        .check("publicApi", say.feature_api())
        .check("workout", say.feature_workout())
        .check("programmeCalendar", say.feature_programmes())
        .check("mcp", say.feature_assistants())
        .check("clientAi", say.feature_client_ai())
        .check("healthConsent", say.feature_consent())
        .check("secondStep", say.second_step_for_managers());
    let main = html! { (tabs(cx, "/features")) section.card { (only_if(cx, "update_company_features", form.send(say.save()))) } };
    Ok(Shown::new(say.settings(), main))
}

/// `/console/devices`
pub(super) fn devices(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let told = cx.ask(Ask::of("list_access_devices").with("limit", 50))?;
    let scans = cx.list(Ask::of("list_access_scans"))?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
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
        @if told.list("accessDevices").is_empty() { (empty(say.no_devices(), None)) }
        div.grid {
            @for device in told.list("accessDevices") {
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
                            (behind(say.new_key(), Form::about(cx, "rotate_access_device_key", at()).danger(say.new_key())))
                            (behind(say.revoke(), Form::about(cx, "revoke_access_device", at()).danger(say.revoke())))
                        }
                    }
                }
            }
        }
        section.card { (behind(say.add_device(), form.send(say.add_device()))) }
        h2 { (say.scans()) }
        @if passed.is_empty() { p.quiet { (say.nothing()) } }
        @else { (table(say.scans(), &[say.when(), say.client(), say.decision(), say.reason()], passed)) (pager(cx, &scans)) }
    };
    Ok(Shown::new(say.devices(), main))
}
