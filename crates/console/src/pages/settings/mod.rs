//! Settings: the company ([`company`]), where ([`locations`]) and when it works ([`closures`], [`hours`]), who works there
//! ([`coaches`]), what can be booked ([`event_types`]), how it bills ([`billing`]), and what is asked, held to and switched on.

pub(super) mod billing;
pub(super) mod closures;
pub(super) mod coaches;
pub(super) mod event_types;
mod hours;
pub(super) mod locations;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Result, TimeZone, money::Currency};

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{self, empty, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// The chapters of the settings.
pub(super) fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
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
fn only_if(cx: &PageContext<'_, '_>, operation: &str, form: Markup) -> Markup {
    html! { @if cx.may(operation) { (form) } @else { p.notice { (cx.say.managers_change_this()) } } }
}

/// `/console/settings`
pub(super) fn company(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("get_company_settings"))?;
    let company = answer.at("company");
    let say = cx.say;
    let own = |names: Vec<String>| -> Vec<(String, String)> {
        names.into_iter().map(|name| (name.clone(), name)).collect()
    };
    // One that goes by an old name keeps it.
    let mut zones = TimeZone::names();
    let zone = company.text("timeZone").to_owned();
    if !zones.contains(&zone) {
        zones.push(zone);
    }
    let languages = [("en", "English"), ("nl", "Nederlands"), ("de", "Deutsch")];
    let form = Form::of(cx, "update_company_settings")
        .from(company)
        .text("name", say.name())
        .of_type("email", "email", say.email(), "off")
        .of_type("tel", "phone", say.phone(), "off")
        .of_type("url", "website", say.website(), "off")
        .helped("country", say.country(), say.country_help())
        .choice("language", say.language(), &languages)
        .choice("currency", say.currency(), &own(Currency::codes().map(str::to_owned).collect()))
        .choice("timeZone", say.time_zone(), &own(zones));
    let main = html! { (tabs(cx, "")) section.card { (only_if(cx, "update_company_settings", form.send(say.save()))) } };
    Ok(View::new(say.settings(), main))
}

/// `/console/settings/fields`
pub(super) fn fields(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("list_custom_fields").with("limit", 100))?;
    let say = cx.say;
    let kinds: Vec<_> = ["text", "number", "date", "boolean", "select"]
        .iter()
        .map(|word| (*word, say.term(word)))
        .collect();
    let rows: Vec<Vec<Markup>> = answer.list("customFields").iter().map(|field| vec![
        html! { b { (field.text("label")) } },
        html! { (say.term(field.text("type"))) },
        html! { (field.list("options").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")) },
        html! {
            @if field.has("archivedAt") { (state(cx, "archived")) }
            @else { (Form::about(cx, "update_custom_field", vec![("fieldId", field.text("fieldId").to_owned())]).hidden("archived", "true").button(say.archive())) }
        },
    ]).collect();
    let form = Form::of(cx, "create_custom_field").text("label", say.name()).choice("type", say.kind(), &kinds).content(html! {
        div.field { label for="options" { (say.options()) } p.help { (say.options_help()) } input #options type="text" name="options:list"; }
    });
    let main = html! {
        (tabs(cx, "/fields"))
        @if rows.is_empty() { (empty(say.no_custom_fields(), None)) }
        @else { (table(say.custom_fields(), &[say.name(), say.kind(), say.options(), ""], rows)) }
        @if cx.may("create_custom_field") { section.card { (disclosure(say.add_custom_field(), form.send(say.add_custom_field()))) } }
    };
    Ok(View::new(say.settings(), main))
}

/// `/console/settings/policies`
pub(super) fn policies(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let call = ApiCall::of("get_company_policies");
    let answer = cx.call_if_allowed(call.clone())?.unwrap_or_default();
    let made = FormSource::of(&call, &["policies"], &answer);
    let policies = answer.at("policies");
    let (say, currency) = (cx.say, cx.person.company.currency.code().to_owned());
    let form = Form::of(cx, "set_company_policies")
        .from(policies)
        .based_on(&made)
        .text("cancellationWindowHours", say.free_hours())
        .text("changeGraceHours", say.grace_hours())
        .text("bookingWindowDays", say.window_days())
        .money("lateCancellationFee.amount", say.late_fee())
        .hidden("lateCancellationFee.currency", &*currency)
        .money("noShowFee.amount", say.no_show_fee())
        .hidden("noShowFee.currency", &*currency)
        .of_type("url", "termsUrl", say.terms(), "off")
        .of_type("url", "privacyUrl", say.privacy(), "off");
    let main = html! { (tabs(cx, "/policies")) section.card { (only_if(cx, "set_company_policies", form.send(say.save()))) } };
    Ok(View::new(say.settings(), main))
}

/// `/console/settings/features`
pub(super) fn features(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("get_company_features"))?;
    let features = answer.at("features");
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
    Ok(View::new(say.settings(), main))
}
