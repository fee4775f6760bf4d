//! A client: who they are, and what they do, on a page for each.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{calendar, money as bills, today};
use crate::{
    parts::{
        charts::{self, Point},
        fields::{Form, behind},
        lists::{empty, facts, pager, state, table},
        shell::Shown,
        told::{Told, name},
    },
    visit::{Ask, Visit},
};

/// The client whom the page is about, and the pages that there are of them.
struct Head {
    id: String,
    client: Value,
    tabs: Markup,
}

fn head(cx: &mut Visit<'_, '_>, here: &str) -> Result<Head> {
    let id = cx.place.param("clientId").to_owned();
    let client = cx.ask(Ask::of("get_client").at("clientId", &id))?["client"].take();
    let say = cx.say;
    let pages: [(&str, &str, &str); 9] = [
        ("", say.overview(), "get_client"),
        ("bookings", say.bookings(), "list_bookings"),
        ("training", say.training(), "list_client_workout_plans"),
        ("progress", say.progress(), "list_measurements"),
        ("money", say.money(), "list_client_products"),
        ("forms", say.forms(), "list_form_assignments"),
        ("notes", say.notes(), "list_client_notes"),
        ("files", say.files(), "list_documents"),
        ("timeline", say.timeline(), "get_client_timeline"),
    ];
    let tabs = html! {
        nav.tabs aria-label=(name(&client)) {
            @for (path, label, needs) in pages {
                @if cx.may(needs) {
                    a href={ "/console/clients/" (id) @if !path.is_empty() { "/" (path) } }
                        aria-current=[(path == here).then_some("page")] { (label) }
                }
            }
        }
    };
    Ok(Head { id, client, tabs })
}

fn at(id: &str) -> Vec<(&'static str, String)> {
    vec![("clientId", id.to_owned())]
}

/// `/console/clients/{clientId}`
pub(super) fn overview(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "")?;
    let coach = cx.coach(client.text("assignedCoachId"))?;
    let location = cx.location(client.text("homeLocationId"))?;
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let now = cx.written.now;
    let next =
        Ask::of("list_bookings").with("clientId", &id).with("status", "booked").with("from", now);
    let next = cx.ask(next.with("to", now.plus_days(60)).with("limit", 100))?;
    let next = next.list("bookings").last().cloned();
    let credits = cx.ask_if(Ask::of("get_credits").at("clientId", &id))?;
    let courses =
        cx.ask_if(Ask::of("list_subscriptions").with("clientId", &id).with("limit", 5))?;
    let due = cx.ask_if(
        Ask::of("list_invoices").with("clientId", &id).with("status", "overdue").with("limit", 1),
    )?;
    let (say, written) = (cx.say, &cx.written);
    let archived = client.has("archivedAt");
    let address = client.at("address");
    let contact = client.at("emergencyContact");
    let main = html! {
        (tabs)
        @if archived {
            div.notice.warn { (say.is_archived()) @if client.has("archiveReason") { ": " (client.text("archiveReason")) } }
        }
        @if due.as_ref().is_some_and(|due| due.int("total") > 0) {
            div.notice.warn { (say.has_overdue()) " " a href={ "/console/clients/" (id) "/money" } { (say.look()) } }
        }
        div.grid {
            section.card {
                h2 { (say.contact()) }
                (facts(vec![
                    (say.email(), html! { @if client.has("email") { a href={ "mailto:" (client.text("email")) } { (client.text("email")) } } }),
                    (say.phone(), html! { @if client.has("phone") { a href={ "tel:" (client.text("phone").replace(' ', "")) } { (client.text("phone")) } } }),
                    (say.date_of_birth(), html! { (client.date("dateOfBirth").map(|date| written.date(date)).unwrap_or_default()) }),
                    (say.address(), html! { @if address.is_object() { (address.text("line1")) br; (address.text("postalCode")) " " (address.text("city")) } }),
                    (say.emergency(), html! { @if contact.is_object() { (contact.text("name")) " " (contact.text("phone")) } }),
                    (say.status(), html! { (state(cx, client.text("memberStatus"))) }),
                    (say.portal(), html! { (state(cx, client.text("portalAccessStatus"))) }),
                    (say.coach(), html! { (coach) }),
                    (say.location(), html! { (location) }),
                    (say.source(), html! { (client.text("source")) }),
                ]))
            }
            section.card {
                h2 { (say.next_visit()) }
                @match &next {
                    Some(booking) => {
                        p { b { (calendar::when(cx, booking)) } br; (booking.text("name")) }
                    }
                    None => p.quiet { (say.nothing_booked()) }
                }
                @if !archived { a.button href={ "/console/calendar/book?clientId=" (id) } { (say.book()) } }
            }
            section.card {
                h2 { (say.membership()) }
                @let courses = courses.as_ref().map(|told| told.list("subscriptions")).unwrap_or_default();
                @if courses.is_empty() { p.quiet { (say.no_membership()) } }
                ul.rows {
                    @for course in courses {
                        li { span.grow { (course.text("name")) br; span.quiet { (written.money(course.int("price"), course.text("currency"))) } } (state(cx, course.text("status"))) }
                    }
                    @for pool in credits.as_ref().map(|told| told.list("credits")).unwrap_or_default() {
                        li { span.grow { (say.credits()) } b.number { (written.count(pool.int("available"))) } }
                    }
                }
                @if cx.may("assign_product") && !archived { a.button href={ "/console/clients/" (id) "/sell" } { (say.sell()) } }
            }
            section.card {
                h2 { (say.tags()) }
                (Form::about(cx, "set_client_tags", at(&id)).beside(html! {
                    div.field {
                        label for="tags" { (say.tags_help()) }
                        input #tags type="text" name="tags:list" value=(client.list("tags").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
                    }
                }).send(say.save()))
            }
        }
    };
    let acts = html! {
        a.button.plain href={ "/console/clients/" (id) "/edit" } { (say.edit()) }
        @if cx.may("open_conversation") && client.text("portalAccessStatus") == "active" {
            (Form::of(cx, "open_conversation").hidden("conversationType", "direct").hidden("userIds", &*id)
                .next("/console/messages/{conversation.conversationId}").button(say.write()))
        }
        @if !archived && client.text("portalAccessStatus") != "active" && client.has("email") {
            (Form::about(cx, "invite_client", at(&id)).button(say.invite()))
        }
        (behind(say.coach(),
            Form::about(cx, "assign_client_coach", at(&id)).from(&coach_of(&client)).choice("coachId", say.coach(), &coaches).send(say.save())))
        @if archived { (Form::about(cx, "restore_client", at(&id)).button(say.restore())) }
        @else {
            (behind(say.archive(), html! {
                p { (say.archive_client_means()) }
                (Form::about(cx, "archive_client", at(&id)).text("archiveReason", say.reason()).check("endOfTerm", say.end_of_term()).danger(say.archive_client()))
            }))
        }
    };
    Ok(Shown::new(name(&client), main).acts(acts))
}

fn coach_of(client: &Value) -> Value {
    serde_json::json!({"coachId": client["assignedCoachId"]})
}

/// `/console/clients/{clientId}/edit`
pub(super) fn edit(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "edit")?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let say = cx.say;
    let words = |words: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        words.iter().map(|word| (*word, say.term(word))).collect()
    };
    let form = Form::about(cx, "update_client", at(&id))
        .from(&client)
        .next(format!("/console/clients/{id}"))
        .text("firstName", say.first_name())
        .text("lastName", say.last_name())
        .of_kind("email", "email", say.email(), "off")
        .of_kind("tel", "phone", say.phone(), "off")
        .text("dateOfBirth", say.date_of_birth())
        .choice("gender", say.gender(), &words(&["female", "male", "other"]))
        .choice("memberStatus", say.status(), &words(&["lead", "active", "paused", "former"]))
        .choice("homeLocationId", say.location(), &locations)
        .choice(
            "language",
            say.language(),
            &[("en", "English"), ("nl", "Nederlands"), ("de", "Deutsch")],
        )
        .text("source", say.source());
    let main = html! {
        (tabs) section.card { (form.send(say.save())) }
        @if client.text("portalAccessStatus") == "active" && cx.may("delete_client_second_step") {
            (behind(say.reset_second_step(), html! { p { (say.reset_second_step_means()) } (Form::about(cx, "delete_client_second_step", at(&id)).danger(say.reset_second_step())) }))
        }
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/timeline`
pub(super) fn timeline(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "timeline")?;
    let ask = Ask::of("get_client_timeline").at("clientId", &id).with("limit", 50);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        (tabs)
        section.card {
            ul.rows {
                @for step in told.list("steps") {
                    li {
                        span.quiet.number { (step.instant("at").map(|at| written.instant(at)).unwrap_or_default()) }
                        span.grow {
                            (say.term(step.text("type")))
                            @for change in step.list("changes") {
                                br; span.quiet { (say.term(change.text("field"))) ": " (plain(change.at("from"))) " → " (plain(change.at("to"))) }
                            }
                        }
                        span.quiet { (say.term(step.text("actorType"))) }
                    }
                }
            }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(name(&client), main))
}

/// A value of whatever kind, in short.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// `/console/clients/{clientId}/bookings`
pub(super) fn bookings(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "bookings")?;
    let ask = Ask::of("list_bookings").with("clientId", &id).with("limit", 50);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let mut rows = Vec::new();
    for booking in told.list("bookings") {
        let coach = cx.coach(booking.text("coachId"))?;
        rows.push(vec![
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (calendar::when(cx, booking)) } },
            html! { (booking.text("name")) },
            html! { (coach) },
            today::attendance(cx, booking),
            calendar::cancelling(cx, booking),
        ]);
    }
    let say = cx.say;
    let columns = [say.when(), say.what(), say.coach(), say.status(), ""];
    let main = html! {
        (tabs)
        p { a.button href={ "/console/calendar/book?clientId=" (id) } { (say.book()) } }
        @if rows.is_empty() { (empty(say.nothing_booked(), None)) }
        @else { (table(say.bookings(), &columns, rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/training`
pub(super) fn training(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "training")?;
    let plans =
        cx.ask(Ask::of("list_client_workout_plans").at("clientId", &id).with("limit", 20))?;
    let sessions = Ask::of("list_workout_sessions").at("clientId", &id).with("limit", 20);
    let sessions = cx.ask(sessions.with("page", cx.place.asked("page")))?;
    let records = cx.ask(Ask::of("list_personal_records").at("clientId", &id).with("limit", 20))?;
    let templates = Ask::of("list_workout_templates").with("status", "Active");
    let templates = cx.choices(templates, ("templates", "_id"))?;
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        (tabs)
        section.card {
            h2 { (say.plans()) }
            @if plans.list("plans").is_empty() { p.quiet { (say.no_plans()) } }
            ul.rows {
                @for plan in plans.list("plans") {
                    li {
                        span.grow { b { (plan.text("name")) } br; span.quiet {
                            (plan.date("startDate").map(|date| written.date(date)).unwrap_or_default())
                            @if let Some(end) = plan.date("endDate") { " – " (written.date(end)) }
                        } }
                        (state(cx, plan.text("status")))
                    }
                }
            }
            (behind(say.assign_programme(),
                Form::about(cx, "assign_workout_plan", at(&id)).choice("templateId", say.programme(), &templates)
                    .text("startDate", say.starts_on()).send(say.assign())))
        }
        section.card {
            h2 { (say.records()) }
            ul.rows {
                @for lift in records.list("personalRecords") {
                    li { span.grow { (lift.text("name")) }
                        @for record in lift.list("records") {
                            span.number { (written.number(record.at("value").as_f64().unwrap_or_default(), 2)) " " span.quiet { (say.term(record.text("type"))) } }
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (say.sessions()) }
            ul.rows {
                @for session in sessions.list("sessions") {
                    li {
                        span.number { (session.date("localDate").map(|date| written.date(date)).unwrap_or_default()) }
                        span.grow { (session.text("name")) " " span.quiet { (written.count(session.int("setCount"))) " " (say.sets()) } }
                        (state(cx, session.text("status")))
                    }
                }
            }
        }
        (pager(cx, &sessions))
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/progress`
pub(super) fn progress(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "progress")?;
    let main = shared_progress(cx, &id, tabs)?;
    Ok(Shown::new(name(&client), main))
}

/// What somebody has measured, kept up and reached for: for them and for those who coach them.
pub(super) fn shared_progress(cx: &mut Visit<'_, '_>, id: &str, tabs: Markup) -> Result<Markup> {
    let latest = cx.ask(Ask::of("get_latest_measurements").at("clientId", id))?;
    let wanted = match cx.place.asked("type") {
        "" => latest
            .list("measurements")
            .first()
            .map(|one| one.text("type"))
            .unwrap_or("weight")
            .to_owned(),
        kind => kind.to_owned(),
    };
    let series =
        Ask::of("list_measurements").at("clientId", id).with("type", &wanted).with("limit", 100);
    let series = cx.ask(series)?;
    let types = cx.ask(Ask::of("list_measurement_types").with("limit", 100))?;
    let goals = cx.ask(Ask::of("list_goals").at("clientId", id).with("limit", 20))?;
    let habits = cx.ask(Ask::of("list_habits").at("clientId", id).with("limit", 20))?;
    let photos = cx.ask_if(Ask::of("list_progress_photos").at("clientId", id).with("limit", 12))?;
    let (say, written) = (cx.say, &cx.written);
    let label = |kind: &str| -> String {
        let found = types.list("measurementTypes").iter().find(|own| own.text("type") == kind);
        found.map_or(kind, |own| own.text("label")).to_owned()
    };
    let mut points: Vec<Point> = Vec::new();
    for one in series.list("measurements").iter().rev() {
        if let (Some(date), Some(value)) = (one.date("measuredOn"), one.at("value").as_f64()) {
            points.push(Point { label: written.date(date), value });
        }
    }
    let unit = series
        .list("measurements")
        .first()
        .map(|one| one.text("unit"))
        .unwrap_or_default()
        .to_owned();
    let kinds: Vec<(String, String)> = types
        .list("measurementTypes")
        .iter()
        .filter(|own| own.list("components").is_empty())
        .map(|own| (own.text("type").to_owned(), own.text("label").to_owned()))
        .collect();
    let today = written.today().to_string();
    Ok(html! {
        (tabs)
        div.figures {
            @for one in latest.list("measurements") {
                a.figure href={ (cx.place.path) "?type=" (one.text("type")) } aria-current=[(one.text("type") == wanted).then_some("true")] {
                    b {
                        @if one.at("components").is_object() { (one.int("components.systolic")) "/" (one.int("components.diastolic")) }
                        @else { (written.number(one.at("value").as_f64().unwrap_or_default(), 2)) }
                        " " small { (one.text("unit")) }
                    }
                    (label(one.text("type")))
                }
            }
        }
        section.card {
            h2 { (label(&wanted)) }
            (charts::line(cx, &label(&wanted), &unit, &points))
            (behind(say.measure(),
                Form::about(cx, "record_measurement", at(id)).choice("type", say.what(), &kinds).text("value", say.value()).text("note", say.note()).send(say.save())))
        }
        div.grid {
            section.card {
                h2 { (say.goals()) }
                @if goals.list("goals").is_empty() { p.quiet { (say.no_goals()) } }
                ul.rows {
                    @for goal in goals.list("goals") {
                        li {
                            span.grow {
                                (goal.text("title"))
                                @if goal.has("progressPercent") {
                                    meter min="0" max="100" value=(goal.int("progressPercent")) aria-label=(goal.text("title")) { (goal.int("progressPercent")) "%" }
                                }
                            }
                            (state(cx, goal.text("status")))
                        }
                    }
                }
            }
            section.card {
                h2 { (say.habits()) }
                @if habits.list("habits").is_empty() { p.quiet { (say.no_habits()) } }
                ul.rows {
                    @for habit in habits.list("habits") {
                        li {
                            span.grow { (habit.text("name")) br; span.quiet { (say.streak(&written.count(habit.int("currentStreak")), &written.count(habit.int("longestStreak")))) } }
                            @if habit.text("status") == "active" {
                                @let entry = Form::about(cx, "put_habit_entry", vec![("clientId", id.to_owned()), ("habitId", habit.text("habitId").to_owned()), ("date", today.clone())]);
                                @if habit.text("kind") == "amount" { (entry.hidden("amount", habit.at("target").to_string()).button(say.done_today())) }
                                @else { (entry.hidden("status", "done").button(say.done_today())) }
                            } @else { (state(cx, habit.text("status"))) }
                        }
                    }
                }
            }
        }
        @if let Some(photos) = &photos {
            @if !photos.list("progressPhotos").is_empty() {
                section.card {
                    h2 { (say.photos()) }
                    ul.rows {
                        @for photo in photos.list("progressPhotos") {
                            li { span.grow { (photo.date("takenOn").map(|date| written.date(date)).unwrap_or_default()) " · " (say.term(photo.text("pose"))) }
                                a href=(photo.text("url")) target="_blank" rel="noopener" { (say.look()) } }
                        }
                    }
                }
            }
        }
    })
}

/// `/console/clients/{clientId}/money`
pub(super) fn money(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "money")?;
    let products = cx.ask(Ask::of("list_client_products").at("clientId", &id).with("limit", 20))?;
    let courses = cx.ask(Ask::of("list_subscriptions").with("clientId", &id).with("limit", 20))?;
    let credits = cx.ask(Ask::of("get_credits").at("clientId", &id))?;
    let invoices = Ask::of("list_invoices").with("clientId", &id).with("limit", 20);
    let invoices = cx.ask_if(invoices.with("page", cx.place.asked("page")))?;
    let rows = match &invoices {
        Some(told) => bills::rows(cx, told, false)?,
        None => Vec::new(),
    };
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        (tabs)
        div.grid {
            section.card {
                h2 { (say.membership()) }
                @if courses.list("subscriptions").is_empty() { p.quiet { (say.no_membership()) } }
                @for course in courses.list("subscriptions") { (bills::course(cx, course)) }
            }
            section.card {
                h2 { (say.credits()) }
                ul.rows {
                    @for pool in credits.list("credits") {
                        li { span.grow { @if pool.has("poolKey") { (pool.text("poolKey")) } @else { (say.general()) } }
                            b.number { (written.count(pool.int("available"))) }
                            @if pool.int("held") > 0 { span.quiet { (written.count(pool.int("held"))) " " (say.held()) } } }
                    }
                }
                @if cx.may("adjust_credits") {
                    (behind(say.adjust(),
                        Form::about(cx, "adjust_credits", at(&id)).text("amount", say.amount_signed()).text("reason", say.reason()).send(say.adjust())))
                }
            }
        }
        section.card {
            h2 { (say.bought()) }
            @if products.list("clientProducts").is_empty() { p.quiet { (say.nothing_bought()) } }
            ul.rows {
                @for product in products.list("clientProducts") {
                    li { span.grow { (product.text("name")) " " span.quiet { (say.term(product.text("productType"))) } }
                        (state(cx, product.text("status")))
                        @if product.text("status") == "active" && cx.may("revoke_client_product") {
                            (behind(say.revoke(), Form::about(cx, "revoke_client_product", vec![("clientProductId", product.text("clientProductId").to_owned())]).danger(say.revoke())))
                        } }
                }
            }
            @if cx.may("assign_product") && !client.has("archivedAt") { a.button href={ "/console/clients/" (id) "/sell" } { (say.sell()) } }
        }
        @if let Some(invoices) = &invoices {
            h2 { (say.invoices()) }
            @if rows.is_empty() { p.quiet { (say.no_invoices()) } }
            @else { (table(say.invoices(), &bills::columns(say, false), rows)) (pager(cx, invoices)) }
        }
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/sell`
pub(super) fn sell(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "sell")?;
    let wanted = cx.place.asked("productId").to_owned();
    let products = cx.ask(Ask::of("list_products").with("archived", false).with("limit", 100))?;
    let found = products
        .list("products")
        .iter()
        .find(|product| product.text("productId") == wanted)
        .cloned();
    let is_membership =
        found.as_ref().is_some_and(|product| product.text("productType") == "Membership");
    let (preview, act) = match is_membership {
        true => ("preview_membership", "assign_membership"),
        false => ("preview_product", "assign_product"),
    };
    let previewed = match &found {
        Some(_) => {
            let body = serde_json::json!({"productId": wanted});
            Some(cx.ask(Ask::of(preview).at("clientId", &id).body(body))?)
        }
        None => None,
    };
    let (say, written) = (cx.say, &cx.written);
    let label = |product: &Value| {
        format!(
            "{} · {}",
            cx.localized(product.at("name")),
            written.money(product.int("price"), product.text("currency"))
        )
    };
    let main = html! {
        (tabs)
        form.filters method="get" {
            label.wide { (say.product())
                select name="productId" required {
                    option value="" { (say.choose()) }
                    @for product in products.list("products") {
                        option value=(product.text("productId")) selected[product.text("productId") == wanted] { (label(product)) }
                    }
                }
            }
            button.plain type="submit" { (say.next()) }
        }
        @if let (Some(product), Some(previewed)) = (&found, &previewed) {
            section.card {
                h2 { (cx.localized(product.at("name"))) }
                @let bill = previewed.at("preview");
                (facts(vec![
                    (say.price(), html! { (written.money(product.int("price"), product.text("currency"))) }),
                    (say.first_bill(), html! { (written.money(bill.int("grossTotal"), bill.text("currency"))) }),
                    (say.of_which_vat(), html! { (written.money(bill.int("taxTotal"), bill.text("currency"))) }),
                    (say.due(), html! { (bill.date("dueDate").map(|date| written.date(date)).unwrap_or_default()) }),
                    (say.credits(), html! { @if product.int("credits") > 0 { (written.count(product.int("credits"))) } }),
                ]))
                @let form = Form::about(cx, act, at(&id)).hidden("productId", &*wanted)
                    .next(format!("/console/clients/{id}/money")).text("startsOn", say.starts_on()).money("price", say.other_price());
                (form.send(say.sell()))
            }
        }
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/notes`
pub(super) fn notes(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "notes")?;
    let ask = Ask::of("list_client_notes").at("clientId", &id).with("limit", 20);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        (tabs)
        section.card {
            (Form::about(cx, "create_client_note", at(&id)).text("title", say.title()).area("body", say.note()).send(say.add_note()))
        }
        @for note in told.list("notes") {
            article.card {
                @if note.has("title") { h2 { (note.text("title")) } }
                @for line in note.text("body").lines() { p { (line) } }
                div.buttons {
                    span.quiet { (note.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                    (behind(say.delete(), Form::about(cx, "delete_client_note", vec![("clientId", id.clone()), ("noteId", note.text("noteId").to_owned())]).danger(say.delete_note())))
                }
            }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/forms`
pub(super) fn forms(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "forms")?;
    let ask = Ask::of("list_form_assignments").at("clientId", &id).with("limit", 20);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let all = cx.ask(Ask::of("list_forms").with("limit", 100))?;
    let of = |kinds: &[&str]| -> Vec<(String, String)> {
        let all = all.list("forms").iter().filter(|form| form.text("status") == "published");
        let all = all.filter(|form| kinds.contains(&form.text("kind")));
        all.map(|form| (form.text("formId").to_owned(), form.text("name").to_owned())).collect()
    };
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        (tabs)
        div.buttons {
            (behind(say.give_form(), Form::about(cx, "assign_form", at(&id))
                .choice("formId", say.form(), &of(&["general", "intake"])).area("message", say.message()).send(say.give_form())))
            (behind(say.ask_checkup(), Form::about(cx, "assign_checkup", at(&id))
                .choice("formId", say.form(), &of(&["checkup"])).area("message", say.message()).send(say.ask_checkup())))
        }
        @if told.list("formAssignments").is_empty() { (empty(say.no_forms(), None)) }
        section.card {
            ul.rows {
                @for one in told.list("formAssignments") {
                    li {
                        span.grow {
                            @if one.text("kind") == "checkup" { a href={ "/console/forms/checkups/" (one.text("assignmentId")) } { (one.text("formName")) } }
                            @else { (one.text("formName")) }
                            br; span.quiet { (say.term(one.text("kind"))) " · " (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                        }
                        (state(cx, one.text("status")))
                    }
                }
            }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(name(&client), main))
}

/// `/console/clients/{clientId}/files`
pub(super) fn files(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let Head { id, client, tabs } = head(cx, "files")?;
    let ask = Ask::of("list_documents").with("clientId", &id).with("limit", 50);
    let told = cx.ask(ask.with("page", cx.place.asked("page")))?;
    let (say, written) = (cx.say, &cx.written);
    let kinds: Vec<_> = ["contract", "waiver", "medical", "id", "plan", "other"]
        .iter()
        .map(|word| (*word, say.term(word)))
        .collect();
    let main = html! {
        (tabs)
        (behind(say.link_file(), Form::of(cx, "link_document").hidden("clientId", &*id)
            .text("name", say.name()).choice("type", say.kind(), &kinds).of_kind("url", "url", say.web_address(), "off").text("expiresOn", say.expires()).send(say.link_file())))
        @if told.list("documents").is_empty() { (empty(say.no_files(), None)) }
        ul.rows.card {
            @for one in told.list("documents") {
                li {
                    span.grow {
                        @if one.has("url") { a href=(one.text("url")) target="_blank" rel="noopener noreferrer" { (one.text("name")) } }
                        @else { (one.text("name")) }
                        br; span.quiet { (say.term(one.text("type"))) @if let Some(date) = one.date("expiresOn") { " · " (say.expires()) " " (written.date(date)) } }
                    }
                    (state(cx, one.text("status")))
                    @if one.text("status") == "active" { (Form::about(cx, "archive_document", vec![("documentId", one.text("documentId").to_owned())]).button(say.archive())) }
                }
            }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(name(&client), main))
}
