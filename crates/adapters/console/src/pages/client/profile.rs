//! Who a client is: at a glance, changed, what became of them, what is noted of them.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{Head, at, head};
use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    pages::{bookings, messages},
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::{facts, pager, state},
        shell::View,
    },
    record_version::FormSource,
};

/// `/console/clients/{clientId}`
pub(in crate::pages) fn overview(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "")?;
    let coach = cx.coach(client.text("assignedCoachId"))?;
    let location = cx.location(client.text("homeLocationId"))?;
    let coaches = cx.coaches_to_plan()?;
    let now = cx.written.now;
    let next = ApiCall::of("list_bookings")
        .with("clientId", &id)
        .with("status", "booked")
        .with("from", now);
    let next = cx.call(next.with("to", now.plus_days(60)).with("limit", 100))?;
    let next = next.list("bookings").last().cloned();
    let credits = cx.call_if_allowed(ApiCall::of("get_credits").at("clientId", &id))?;
    let subscriptions = cx.call_if_allowed(
        ApiCall::of("list_subscriptions").with("clientId", &id).with("limit", 5),
    )?;
    let due = cx.call_if_allowed(
        ApiCall::of("list_invoices")
            .with("clientId", &id)
            .with("status", "overdue")
            .with("limit", 1),
    )?;
    let custom = custom_fields(cx, &id)?;
    let query = ApiCall::of("get_client").at("clientId", &id);
    let made = |place| FormSource::of(&query, &[place], &serde_json::json!({"client": client}));
    let (t, written) = (cx.strings, &cx.written);
    let archived = client.has("archivedAt");
    let filled = custom.list("values").iter().filter(|field| field.has("value"));
    let address = client.at("address");
    let contact = client.at("emergencyContact");
    let main = html! {
        (tabs)
        @if archived {
            div.notice.warn { (t.is_archived()) @if client.has("archiveReason") { ": " (client.text("archiveReason")) } }
        }
        @if due.as_ref().is_some_and(|due| due.int("total") > 0) {
            div.notice.warn { (t.has_overdue()) " " a href={ "/console/clients/" (id) "/money" } { (t.look()) } }
        }
        div.grid {
            section.card {
                h2 { (t.contact()) }
                (facts(vec![
                    (t.email(), html! { @if client.has("email") { a href={ "mailto:" (client.text("email")) } { (client.text("email")) } } }),
                    (t.phone(), html! { @if client.has("phone") { a href={ "tel:" (client.text("phone").replace(' ', "")) } { (client.text("phone")) } } }),
                    (t.date_of_birth(), html! { (client.date("dateOfBirth").map(|date| written.date(date)).unwrap_or_default()) }),
                    (t.address(), html! { @if address.is_object() { (address.text("line1")) br; (address.text("postalCode")) " " (address.text("city")) } }),
                    (t.emergency(), html! { @if contact.is_object() { (contact.text("name")) " " (contact.text("phone")) } }),
                    (t.status(), html! { (state(cx, client.text("memberStatus"))) }),
                    (t.portal(), html! { (state(cx, client.text("portalAccessStatus"))) }),
                    (t.coach(), html! { (coach) }),
                    (t.location(), html! { (location) }),
                    (t.source(), html! { (client.text("source")) }),
                ].into_iter().chain(filled.map(|field| (field.text("label"), html! { (filled_in(cx, field)) }))).collect()))
            }
            section.card {
                h2 { (t.next_visit()) }
                @match &next {
                    Some(booking) => {
                        p { b { (bookings::when(cx, booking)) } br; (booking.text("name")) }
                    }
                    None => p.quiet { (t.nothing_booked()) }
                }
                @if !archived { a.button href={ "/console/calendar/book?clientId=" (id) } { (t.book()) } }
            }
            section.card {
                h2 { (t.membership()) }
                @let subscriptions = subscriptions.as_ref().map(|answer| answer.list("subscriptions")).unwrap_or_default();
                @if subscriptions.is_empty() { p.quiet { (t.no_membership()) } }
                ul.rows {
                    @for subscription in subscriptions {
                        li { span.grow { (subscription.text("name")) br; span.quiet { (written.money(subscription.int("price"), subscription.text("currency"))) } } (state(cx, subscription.text("status"))) }
                    }
                    @for pool in credits.as_ref().map(|answer| answer.list("credits")).unwrap_or_default() {
                        li { span.grow { (t.credits()) } b.number { (written.count(pool.int("available"))) } }
                    }
                }
                @if cx.may("assign_product") && !archived { a.button href={ "/console/clients/" (id) "/sell" } { (t.sell()) } }
            }
            section.card {
                h2 { (t.tags()) }
                (Form::about(cx, "set_client_tags", at(&id)).based_on(&made("client.tags")).content(html! {
                    div.field {
                        label for="tags" { (t.tags_help()) }
                        input #tags type="text" name=(FieldKind::List.name_of("tags")) value=(client.list("tags").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
                    }
                }).send(t.save()))
            }
        }
    };
    let acts = html! {
        a.button.plain href={ "/console/clients/" (id) "/edit" } { (t.edit()) }
        @if cx.may("open_conversation") && client.text("portalAccessStatus") == "active" {
            (messages::write_to(cx, &id))
        }
        @if !archived && client.text("portalAccessStatus") != "active" && client.has("email") {
            (Form::about(cx, "invite_client", at(&id)).button(t.invite()))
        }
        (disclosure(t.coach(),
            Form::about(cx, "assign_client_coach", at(&id)).from(&coach_of(&client)).based_on(&made("client.assignedCoachId")).choice("coachId", t.coach(), &coaches).send(t.save())))
        @if client.text("relationshipStatus") == "pending" && cx.may("approve_client_relationship") {
            (Form::about(cx, "approve_client_relationship", at(&id)).send(t.approve()))
            (disclosure(t.reject(), Form::about(cx, "reject_client_relationship", at(&id)).danger(t.reject())))
        }
        @if archived { (Form::about(cx, "restore_client", at(&id)).button(t.restore())) }
        @else {
            (disclosure(t.archive(), html! {
                p { (t.archive_client_means()) }
                (Form::about(cx, "archive_client", at(&id)).previewed().text("archiveReason", t.reason()).check("endOfTerm", t.end_of_term()).danger(t.archive_client()))
            }))
        }
    };
    Ok(View::new(name(&client), main).acts(acts))
}

fn coach_of(client: &Value) -> Value {
    serde_json::json!({"coachId": client["assignedCoachId"]})
}

/// `/console/clients/{clientId}/edit`
pub(in crate::pages) fn edit(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "edit")?;
    let step = cx
        .call_if_allowed(ApiCall::of("get_client_second_step").at("clientId", &id))?
        .unwrap_or_default();
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let custom = custom_fields(cx, &id)?;
    let t = cx.strings;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, t.term(word))).collect()
    };
    let form = Form::about(cx, "update_client", at(&id))
        .from(&client)
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
        (tabs) section.card { (form.send(t.save())) }
        (own_fields(cx, &id, &custom))
        @if step.is("secondStep.isOn") {
            (disclosure(t.reset_second_step(), html! { p { (t.reset_second_step_means()) } (Form::about(cx, "delete_client_second_step", at(&id)).danger(t.reset_second_step())) }))
        }
    };
    Ok(View::new(name(&client), main))
}

/// What the business asks of its clients besides, as it stands for one: each value with its field.
fn custom_fields(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Value> {
    let mut answer = cx
        .call_if_allowed(ApiCall::of("get_client_custom_fields").at("clientId", id))?
        .unwrap_or_default();
    let fields = cx
        .call_if_allowed(ApiCall::of("list_custom_fields").with("limit", 100))?
        .unwrap_or_default();
    for value in answer["values"].as_array_mut().into_iter().flatten() {
        let is_own = |field: &&Value| field.text("fieldId") == value.text("fieldId");
        let options =
            fields.list("customFields").iter().find(is_own).map(|field| field["options"].clone());
        value["options"] = options.unwrap_or_default();
    }
    Ok(answer)
}

/// A value of a custom field, as it is read.
fn filled_in(cx: &PageContext<'_, '_>, field: &Value) -> String {
    match field.at("value") {
        Value::Bool(value) => if *value { cx.strings.yes() } else { cx.strings.no() }.to_owned(),
        Value::Number(number) => cx.written.number(number.as_f64().unwrap_or_default(), 3),
        _ if field.text("type") == "date" => {
            field.date("value").map(|date| cx.written.date(date)).unwrap_or_default()
        }
        _ => field.text("value").to_owned(),
    }
}

/// The form of a client's custom fields.
fn own_fields(cx: &PageContext<'_, '_>, id: &str, custom: &Value) -> Markup {
    // A word that is offered no more stands as it is: it could not be written again.
    let is_offered = |field: &&Value| {
        let word = field.at("value");
        field.text("type") != "select" || word.is_null() || field.list("options").contains(word)
    };
    let own: Vec<Value> = custom.list("values").iter().filter(is_offered).cloned().collect();
    let custom = &serde_json::json!({"values": own});
    let (t, values) = (cx.strings, custom.list("values"));
    if values.is_empty() || !cx.may("update_client_custom_fields") {
        return Markup::default();
    }
    let blank =
        Form::about(cx, "update_client_custom_fields", at(id)).from(custom).based_on_list("values");
    let form = values.iter().enumerate().fold(blank, |form, (index, field)| {
        let place = format!("values.{index}.value");
        let form = form.unchanged_hidden(&format!("values.{index}.fieldId"), field.text("fieldId"));
        let label = field.text("label");
        match field.text("type") {
            "number" => form.of_type("number", &format!("{place}:number"), label, "off"),
            "date" => form.of_type("date", &place, label, "off"),
            "boolean" => form.choice(
                &format!("{place}:truth"),
                label,
                &[("true", t.yes()), ("false", t.no())],
            ),
            "select" => {
                let options = field.list("options").iter().filter_map(Value::as_str);
                form.choice(&place, label, &options.map(|word| (word, word)).collect::<Vec<_>>())
            }
            _ => form.text(&place, label),
        }
    });
    html! { section.card { h2 { (t.custom_fields()) } (form.next(format!("/console/clients/{id}")).send(t.save())) } }
}

/// `/console/clients/{clientId}/timeline`
pub(in crate::pages) fn timeline(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "timeline")?;
    let answer = cx.list(ApiCall::of("get_client_timeline").at("clientId", &id))?;
    let mut names: Vec<(String, String)> = Vec::new();
    for change in answer.list("steps").iter().flat_map(|step| step.list("changes")) {
        for id in ["from", "to"].map(|end| change.text(end).to_owned()) {
            if change.text("field") == "assignedCoachId" && !id.is_empty() {
                names.push((id.clone(), cx.coach(&id)?));
            }
        }
    }
    let (t, written) = (cx.strings, &cx.written);
    let told_as = |value: &Value| match value.as_str() {
        None => "–".to_owned(),
        Some(text) => {
            let name = names.iter().find(|(id, _)| id == text);
            name.map_or_else(|| t.term(text).to_owned(), |(_, name)| name.clone())
        }
    };
    let main = html! {
        (tabs)
        section.card {
            ul.rows {
                @for step in answer.list("steps") {
                    li {
                        span.quiet.number { (step.instant("at").map(|at| written.instant(at)).unwrap_or_default()) }
                        span.grow {
                            (t.term(step.text("type")))
                            @for change in step.list("changes") {
                                br; span.quiet { (t.term(change.text("field"))) ": " (told_as(change.at("from"))) " → " (told_as(change.at("to"))) }
                            }
                        }
                        span.quiet { (t.term(step.text("actorType"))) }
                    }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(name(&client), main))
}

/// `/console/clients/{clientId}/notes`
pub(in crate::pages) fn notes(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "notes")?;
    let answer = cx.list(ApiCall::of("list_client_notes").at("clientId", &id))?;
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        section.card {
            (Form::about(cx, "create_client_note", at(&id)).text("title", t.title()).area("body", t.note()).send(t.add_note()))
        }
        @for note in answer.list("notes") {
            article.card {
                @if note.has("title") { h2 { (note.text("title")) } }
                @for line in note.text("body").lines() { p { (line) } }
                div.buttons {
                    span.quiet { (note.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                    (disclosure(t.delete(), Form::about(cx, "delete_client_note", vec![("clientId", id.clone()), ("noteId", note.text("noteId").to_owned())]).danger(t.delete_note())))
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(name(&client), main))
}
