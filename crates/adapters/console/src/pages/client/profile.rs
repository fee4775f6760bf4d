//! A client's profile: overview, editing, timeline and notes.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Date, Result};

use super::head;
use crate::{
    api::{self, Answer, Json, List},
    page_context::PageContext,
    pages::{bookings, messages},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{facts, pager, state},
        shell::View,
    },
    record_version::FormSource,
};

/// `/console/clients/{clientId}`
pub(in crate::pages) fn overview(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let coach = cx.coach(client.assigned_coach_id())?;
    let location = cx.location(client.home_location_id())?;
    let coaches = cx.coaches_to_plan()?;
    let now = cx.written.now;
    let next = api::list_bookings().client_id(id).status("booked").from(now);
    let next = cx.call(next.to(now.plus_days(60)).limit(100))?;
    let next = next.bookings().iter().next_back();
    let credits = cx.call_or_empty(api::get_credits(id))?;
    let subscriptions = cx.call_or_empty(api::list_subscriptions().client_id(id).limit(5))?;
    let due = cx.count(api::list_invoices().client_id(id).status("overdue"))?;
    let visits = cx.call_or_empty(api::list_client_visits().client_ids(id))?;
    let balances = cx.call_or_empty(api::list_client_balances().client_ids(id))?;
    let notes = cx.call_or_empty(api::list_client_notes(id).limit(2))?;
    let custom = CustomFields::read(cx, id)?;
    let query = api::get_client(id);
    let made = |place| FormSource::of(&query, &[place], &head.answer);
    let (t, written) = (cx.strings, &cx.written);
    let archived = client.archived_at().is_some();
    let filled = custom.values().iter().filter(|field| !field.value().is_null());
    let address = client.address();
    let contact = client.emergency_contact();
    let main = html! {
        (tabs)
        @if archived {
            div.notice.warn {
                (t.is_archived())
                @if !client.archive_reason().is_empty() { ": " (client.archive_reason()) }
            }
        }
        @if due > 0 {
            div.notice.warn {
                (t.has_overdue()) " "
                a href={ "/console/clients/" (id) "/money" } { (t.view()) }
            }
        }
        div.figures {
            @for sum in balances.client_balances().iter().flat_map(|own| own.balances()) {
                @if sum.owed() > 0 {
                    a.figure href={ "/console/clients/" (id) "/money" } {
                        b { (written.money(sum.owed(), sum.currency())) }
                        (t.owes())
                    }
                }
            }
            @for visit in visits.client_visits() {
                a.figure href={ "/console/clients/" (id) "/bookings" } {
                    b {
                        @match visit.last_visit_at() {
                            Some(at) => { (written.date(Some(written.zone.date_at(at)))) }
                            None => { (t.never()) }
                        }
                    }
                    (t.last_visit())
                }
            }
            @for pool in credits.credits() {
                a.figure href={ "/console/clients/" (id) "/money" } {
                    b { (written.count(pool.available())) }
                    (t.credits())
                    @if !pool.pool_key().is_empty() { ": " (pool.pool_key()) }
                }
            }
        }
        div.grid {
            @if !notes.notes().is_empty() {
                section.card {
                    h2 { (t.notes()) }
                    @for note in notes.notes() {
                        p {
                            @if !note.title().is_empty() { b { (note.title()) } br; }
                            (note.body())
                        }
                    }
                    a href={ "/console/clients/" (id) "/notes" } { (t.view()) }
                }
            }
            section.card {
                h2 { (t.contact()) }
                (facts(
                    vec![
                        (t.email(), html! {
                            @if !client.email().is_empty() {
                                a href={ "mailto:" (client.email()) } { (client.email()) }
                            }
                        }),
                        (t.phone(), html! {
                            @if !client.phone().is_empty() {
                                a href={ "tel:" (client.phone().replace(' ', "")) } {
                                    (client.phone())
                                }
                            }
                        }),
                        (t.date_of_birth(), html! { (written.date(client.date_of_birth())) }),
                        (t.address(), html! {
                            @if let Some(address) = address {
                                (address.line1()) br; (address.postal_code()) " " (address.city())
                            }
                        }),
                        (t.emergency(), html! {
                            @if let Some(contact) = contact {
                                (contact.name()) " " (contact.phone())
                            }
                        }),
                        (t.status(), html! { (state(cx, client.member_status())) }),
                        (t.portal(), html! { (state(cx, client.portal_access_status())) }),
                        (t.coach(), html! { (coach) }),
                        (t.location(), html! { (location) }),
                        (t.source(), html! { (client.source()) }),
                    ]
                    .into_iter()
                    .chain(filled.map(|field| (field.label(), html! { (value_text(cx, field)) })))
                    .collect(),
                ))
            }
            section.card {
                h2 { (t.next_visit()) }
                @match &next {
                    Some(booking) => {
                        p { b { (bookings::when(cx, booking.starts_at())) } br; (booking.name()) }
                    }
                    None => p.quiet { (t.nothing_booked()) },
                }
                @if !archived {
                    a.button href={ "/console/calendar/book?clientId=" (id) } { (t.book()) }
                }
            }
            section.card {
                h2 { (t.membership()) }
                @let subscriptions = subscriptions.subscriptions();
                @if subscriptions.is_empty() { p.quiet { (t.no_membership()) } }
                ul.rows {
                    @for subscription in subscriptions {
                        li {
                            span.grow {
                                (subscription.name()) br;
                                span.quiet {
                                    (written.money(subscription.price(), subscription.currency()))
                                }
                            }
                            (state(cx, subscription.status()))
                        }
                    }
                }
                @if cx.may(api::CreateDeskSale) && !archived {
                    a.button href={ "/console/sell?client=" (id) } { (t.sell()) }
                }
            }
            section.card {
                h2 { (t.tags()) }
                (Form::of(cx, api::set_client_tags(id))
                    .based_on(&made("client.tags"))
                    .list("tags", t.tags(), t.tags_help(), client.tags())
                    .send(t.save()))
            }
        }
    };
    let acts = html! {
        a.button.plain href={ "/console/clients/" (id) "/edit" } { (t.edit()) }
        @if cx.may(api::OpenConversation) && client.portal_access_status() == "active" {
            (messages::write_to(cx, id))
        }
        @if !archived
            && client.portal_access_status() != "active"
            && !client.email().is_empty()
        {
            (Form::of(cx, api::invite_client(id)).button(t.invite()))
        }
        (disclosure(
            t.coach(),
            Form::of(cx, api::assign_client_coach(id))
                .from(&coach_of(client))
                .based_on(&made("client.assignedCoachId"))
                .choice("coachId", t.coach(), &coaches)
                .send(t.save()),
        ))
        @if client.relationship_status() == "pending"
            && cx.may(api::ApproveClientRelationship)
        {
            (Form::of(cx, api::approve_client_relationship(id)).send(t.approve()))
            (disclosure(
                t.reject(),
                Form::of(cx, api::reject_client_relationship(id)).danger(t.reject()),
            ))
        }
        @if archived {
            (Form::of(cx, api::restore_client(id)).button(t.restore()))
        } @else {
            (disclosure(t.archive(), html! {
                p { (t.archive_client_means()) }
                (Form::of(cx, api::archive_client(id))
                    .previewed()
                    .text("archiveReason", t.reason())
                    .check("endOfTerm", t.end_of_term())
                    .danger(t.archive_client()))
            }))
        }
    };
    Ok(View::new(client.full_name(), main).acts(acts))
}

fn coach_of(client: api::Client<'_>) -> Value {
    serde_json::json!({"coachId": client.assigned_coach_id()})
}

/// `/console/clients/{clientId}/edit`
pub(in crate::pages) fn edit(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "edit")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let step = cx.call_or_empty(api::get_client_second_step(id))?;
    let locations = cx.location_choices()?;
    let custom = CustomFields::read(cx, id)?;
    let t = cx.strings;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, t.term(word))).collect()
    };
    let form = Form::of(cx, api::update_client(id))
        .from(client)
        .next(format!("/console/clients/{id}"))
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .of_type("tel", "phone", t.phone(), "off")
        .text("dateOfBirth", t.date_of_birth())
        .choice("gender", t.gender(), &words(&["female", "male", "other"]))
        .choice("memberStatus", t.status(), &words(&["lead", "active", "paused", "former"]))
        .choice("homeLocationId", t.location(), &locations)
        .choice(
            "language",
            t.language(),
            &[("en", "English"), ("nl", "Nederlands"), ("de", "Deutsch")],
        )
        .text("source", t.source())
        .address("address")
        .text("emergencyContact.name", t.emergency_name())
        .of_type("tel", "emergencyContact.phone", t.emergency_phone(), "off")
        .text("emergencyContact.relationship", t.emergency_relationship());
    let main = html! {
        (tabs)
        section.card { (form.send(t.save())) }
        (own_fields(cx, id, &custom))
        @if step.second_step().is_on() {
            (disclosure(t.reset_second_step(), html! {
                p { (t.reset_second_step_means()) }
                (Form::of(cx, api::delete_client_second_step(id)).danger(t.reset_second_step()))
            }))
        }
    };
    Ok(View::new(client.full_name(), main))
}

/// The custom fields of a client: their values, and what each may be.
struct CustomFields {
    values: Answer<api::GetClientCustomFields>,
    fields: Answer<api::ListCustomFields>,
}

impl CustomFields {
    fn read(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Self> {
        let values = cx.call_or_empty(api::get_client_custom_fields(id))?;
        let fields = cx.call_or_empty(api::list_custom_fields().limit(100))?;
        Ok(Self { values, fields })
    }

    fn values(&self) -> List<'_, api::CustomFieldValue<'_>> {
        self.values.values()
    }

    /// The options of a field.
    fn options(&self, field: &str) -> Vec<&str> {
        let own = self.fields.custom_fields().iter().find(|own| own.field_id() == field);
        own.map(|own| own.options().iter().collect()).unwrap_or_default()
    }
}

/// The value of a custom field as text.
fn value_text(cx: &PageContext<'_, '_>, field: api::CustomFieldValue<'_>) -> String {
    match field.value() {
        Value::Bool(true) => cx.strings.yes().to_owned(),
        Value::Bool(false) => cx.strings.no().to_owned(),
        Value::Number(number) => cx.written.number(number.as_f64().unwrap_or_default(), 3),
        Value::String(date) if field.r#type() == "date" => cx.written.date(Date::parse(date)),
        value => value.as_str().unwrap_or_default().to_owned(),
    }
}

/// The form of a client's custom fields.
fn own_fields(cx: &PageContext<'_, '_>, id: &str, custom: &CustomFields) -> Markup {
    // A removed option remains unchanged, because it cannot be written again.
    let is_offered = |field: &api::CustomFieldValue<'_>| match field.value() {
        Value::String(option) if field.r#type() == "select" => {
            custom.options(field.field_id()).contains(&option.as_str())
        }
        _ => true,
    };
    let values: Vec<_> = custom.values().iter().filter(is_offered).collect();
    let record: Vec<_> = values.iter().map(|value| value.json()).collect();
    let record = serde_json::json!({ "values": record });
    let t = cx.strings;
    if values.is_empty() || !cx.may(api::UpdateClientCustomFields) {
        return Markup::default();
    }
    let blank =
        Form::of(cx, api::update_client_custom_fields(id)).from(&record).based_on_list("values");
    let form = values.iter().enumerate().fold(blank, |form, (index, field)| {
        let place = format!("values.{index}.value");
        let form = form.unchanged_hidden(&format!("values.{index}.fieldId"), field.field_id());
        let label = field.label();
        match field.r#type() {
            "number" => form.of_type("number", &format!("{place}:number"), label, "off"),
            "date" => form.of_type("date", &place, label, "off"),
            "boolean" => form.choice(
                &format!("{place}:truth"),
                label,
                &[("true", t.yes()), ("false", t.no())],
            ),
            "select" => {
                let options = custom.options(field.field_id()).into_iter();
                form.choice(&place, label, &options.map(|word| (word, word)).collect::<Vec<_>>())
            }
            _ => form.text(&place, label),
        }
    });
    html! {
        section.card {
            h2 { (t.custom_fields()) }
            (form.next(format!("/console/clients/{id}")).send(t.save()))
        }
    }
}

/// `/console/clients/{clientId}/timeline`
pub(in crate::pages) fn timeline(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "timeline")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let answer = cx.list(api::get_client_timeline(id))?;
    let mut names: Vec<(String, String)> = Vec::new();
    for change in answer.steps().iter().flat_map(|step| step.changes()) {
        for id in ["from", "to"].map(|end| change.json().text(end).to_owned()) {
            if change.field() == "assignedCoachId" && !id.is_empty() {
                names.push((id.clone(), cx.coach(&id)?));
            }
        }
    }
    let (t, written) = (cx.strings, &cx.written);
    let told_as = |text: &str| match text {
        "" => "–".to_owned(),
        text => {
            let name = names.iter().find(|(id, _)| id == text);
            name.map_or_else(|| t.term(text).to_owned(), |(_, name)| name.clone())
        }
    };
    let main = html! {
        (tabs)
        section.card {
            ul.rows {
                @for step in answer.steps() {
                    li {
                        span.quiet.number { (written.instant(step.at())) }
                        span.grow {
                            (t.term(step.r#type()))
                            @for change in step.changes() {
                                br;
                                span.quiet {
                                    (t.term(change.field())) ": " (told_as(change.from())) " → "
                                    (told_as(change.to()))
                                }
                            }
                        }
                        span.quiet { (t.term(step.actor_type())) }
                    }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(client.full_name(), main))
}

/// `/console/clients/{clientId}/notes`
pub(in crate::pages) fn notes(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "notes")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let answer = cx.list(api::list_client_notes(id))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        section.card {
            (Form::of(cx, api::create_client_note(id))
                .text("title", t.title())
                .area("body", t.note())
                .send(t.add_note()))
        }
        @for note in answer.notes() {
            article.card {
                @if !note.title().is_empty() { h2 { (note.title()) } }
                @for line in note.body().lines() { p { (line) } }
                div.buttons {
                    span.quiet { (written.instant(note.created_at())) }
                    (disclosure(
                        t.delete(),
                        Form::of(cx, api::delete_client_note(id, note.note_id()))
                            .danger(t.delete_note()),
                    ))
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(client.full_name(), main))
}
