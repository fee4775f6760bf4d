//! Settings: the company, locations ([`locations`]), hours and closures ([`closures`], [`hours`]), coaches
//! ([`coaches`]), event types ([`event_types`]), billing ([`billing`]), notifications
//! ([`notifications`]), the public site ([`site`]), custom fields, policies and features.

pub(super) mod billing;
pub(super) mod closures;
pub(super) mod coaches;
pub(super) mod event_types;
mod hours;
pub(super) mod locations;
pub(super) mod notifications;
pub(super) mod site;

use maud::{Markup, html};
use spotter_kernel::{Result, TimeZone, money::Currency};

use crate::{
    api::{self, ApiOperation},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{self, empty, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// The chapters of the settings.
pub(super) fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
    let t = cx.strings;
    let pages = [
        ("", t.company(), ""),
        ("/site", t.public_site(), ""),
        ("/locations", t.locations(), ""),
        ("/coaches", t.coaches(), ""),
        ("/closures", t.closures(), ""),
        ("/event-types", t.event_types(), ""),
        ("/policies", t.policies(), ""),
        ("/invoices", t.invoices(), api::GetFinanceSettings::ID),
        ("/notifications", t.notifications(), api::GetNotificationSettings::ID),
        ("/fields", t.custom_fields(), ""),
        ("/features", t.features(), ""),
    ];
    lists::tabs(cx, t.settings(), "/console/settings", here, &pages)
}

/// A form for those who may send it, and its facts for the others.
fn only_if<O: ApiOperation>(cx: &PageContext<'_, '_>, operation: O, form: Markup) -> Markup {
    html! {
        @if cx.may(operation) { (form) } @else { p.notice { (cx.strings.managers_change_this()) } }
    }
}

/// `/console/settings`
pub(super) fn company(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_company_settings())?;
    let company = answer.company();
    let t = cx.strings;
    let own = |names: Vec<String>| -> Vec<(String, String)> {
        names.into_iter().map(|name| (name.clone(), name)).collect()
    };
    // A deprecated zone name stays selectable.
    let mut zones = TimeZone::names();
    let zone = company.time_zone().to_owned();
    if !zones.contains(&zone) {
        zones.push(zone);
    }
    let languages = [("en", "English"), ("nl", "Nederlands"), ("de", "Deutsch")];
    let form = Form::of(cx, api::update_company_settings())
        .from(company)
        .text("name", t.name())
        .of_type("email", "email", t.email(), "off")
        .of_type("tel", "phone", t.phone(), "off")
        .of_type("url", "website", t.website(), "off")
        .helped("country", t.country(), t.country_help())
        .choice("language", t.language(), &languages)
        .choice("currency", t.currency(), &own(Currency::codes().map(str::to_owned).collect()))
        .choice("timeZone", t.time_zone(), &own(zones));
    let main = html! {
        (tabs(cx, ""))
        section.card { (only_if(cx, api::UpdateCompanySettings, form.send(t.save()))) }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/fields`
pub(super) fn fields(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::list_custom_fields().limit(100))?;
    let t = cx.strings;
    let kinds: Vec<_> = ["text", "number", "date", "boolean", "select"]
        .iter()
        .map(|word| (*word, t.term(word)))
        .collect();
    let rows: Vec<Vec<Markup>> = answer
        .custom_fields()
        .iter()
        .map(|field| {
            vec![
                html! { b { (field.label()) } },
                html! { (t.term(field.r#type())) },
                html! { (field.options().join(", ")) },
                html! {
                    @if field.archived_at().is_some() {
                        (state(cx, "archived"))
                    } @else {
                        (Form::of(cx, api::update_custom_field(field.field_id()))
                            .hidden("archived", "true")
                            .button(t.archive()))
                    }
                },
            ]
        })
        .collect();
    let form = Form::of(cx, api::create_custom_field())
        .text("label", t.name())
        .choice("type", t.kind(), &kinds)
        .list("options", t.options(), t.options_help(), []);
    let main = html! {
        (tabs(cx, "/fields"))
        @if rows.is_empty() {
            (empty(t.no_custom_fields(), None))
        } @else {
            (table(t.custom_fields(), &[t.name(), t.kind(), t.options(), ""], rows))
        }
        @if cx.may(api::CreateCustomField) {
            section.card { (disclosure(t.add_custom_field(), form.send(t.add_custom_field()))) }
        }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/policies`
pub(super) fn policies(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let call = api::get_company_policies();
    let answer = cx.call_or_empty(call.clone())?;
    let made = FormSource::of(&call, &["policies"], &answer);
    let policies = answer.policies();
    let (t, currency) = (cx.strings, cx.person.company.currency.code().to_owned());
    let form = Form::of(cx, api::set_company_policies())
        .from(policies)
        .based_on(&made)
        .text("cancellationWindowHours", t.free_hours())
        .text("changeGraceHours", t.grace_hours())
        .text("bookingWindowDays", t.window_days())
        .money("lateCancellationFee.amount", t.late_fee())
        .hidden("lateCancellationFee.currency", &*currency)
        .money("noShowFee.amount", t.no_show_fee())
        .hidden("noShowFee.currency", &*currency)
        .of_type("url", "termsUrl", t.terms(), "off")
        .of_type("url", "privacyUrl", t.privacy(), "off");
    let main = html! {
        (tabs(cx, "/policies"))
        section.card { (only_if(cx, api::SetCompanyPolicies, form.send(t.save()))) }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/features`
pub(super) fn features(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_company_features())?;
    let features = answer.features();
    let t = cx.strings;
    let form = Form::of(cx, api::update_company_features())
        .from(features)
        .check("publicApi", t.feature_api())
        .check("workout", t.feature_workout())
        .check("programmeCalendar", t.feature_programmes())
        .check("mcp", t.feature_assistants())
        .check("clientAi", t.feature_client_ai())
        .check("healthConsent", t.feature_consent())
        .check("secondStep", t.second_step_for_managers());
    let main = html! {
        (tabs(cx, "/features"))
        section.card { (only_if(cx, api::UpdateCompanyFeatures, form.send(t.save()))) }
    };
    Ok(View::new(t.settings(), main))
}
