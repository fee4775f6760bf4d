//! What a client has with the company: bookings, training, what they bought, forms and files.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{Head, at, head};
use crate::{
    page_context::{ApiCall, PageContext},
    pages::{
        documents::{about_document, document, file_form},
        forms::{answered, questions},
        money as bills,
    },
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// `/console/clients/{clientId}/training`
pub(in crate::pages) fn training(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "training")?;
    let plans =
        cx.call(ApiCall::of("list_client_workout_plans").at("clientId", &id).with("limit", 20))?;
    let sessions = cx.list(ApiCall::of("list_workout_sessions").at("clientId", &id))?;
    let records =
        cx.call(ApiCall::of("list_personal_records").at("clientId", &id).with("limit", 20))?;
    let templates = ApiCall::of("list_workout_templates").with("status", "Active");
    let templates = cx.choices(templates, ("templates", "_id"))?;
    let (t, written) = (cx.strings, &cx.written);
    // A programme of weeks begins with one.
    let monday = written.today().plus_days(6).map_or(written.today(), |date| date.monday());
    let from_monday = serde_json::json!({"startDate": monday});
    let main = html! {
        (tabs)
        section.card {
            h2 { (t.plans()) }
            @if plans.list("plans").is_empty() { p.quiet { (t.no_plans()) } }
            ul.rows {
                @for plan in plans.list("plans") {
                    li {
                        span.grow { b { (plan.text("name")) } br; span.quiet {
                            (plan.date("startDate").map(|date| written.date(date)).unwrap_or_default())
                            @if let Some(end) = plan.date("endDate") { " – " (written.date(end)) }
                        } }
                        // A plan of which the last day is over is not said to go on.
                        @let over = plan.date("endDate").is_some_and(|end| end < written.today());
                        (state(cx, if over && plan.text("status") == "Active" { "ended" } else { plan.text("status") }))
                        @let about = || vec![("clientId", id.clone()), ("templateId", plan.text("_id").to_owned())];
                        @if plan.text("status") == "Active" && cx.may("update_client_workout_plan") { (Form::about(cx, "update_client_workout_plan", about()).hidden("status", "Completed").button(t.end_it())) }
                        @if cx.may("delete_client_workout_plan") { (disclosure(t.delete(), Form::about(cx, "delete_client_workout_plan", about()).danger(t.delete()))) }
                    }
                }
            }
            (disclosure(t.assign_programme(),
                Form::about(cx, "assign_workout_plan", at(&id)).from(&from_monday).choice("templateId", t.programme(), &templates)
                    .text("startDate", t.starts_on()).send(t.assign())))
        }
        section.card {
            h2 { (t.records()) }
            ul.rows {
                @for lift in records.list("personalRecords") {
                    li { span.grow { (lift.text("name")) }
                        @for record in lift.list("records") {
                            span.number { (written.number(record.at("value").as_f64().unwrap_or_default(), 2)) " " span.quiet { (t.term(record.text("type"))) } }
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (t.sessions()) }
            ul.rows {
                @for session in sessions.list("sessions") {
                    li {
                        span.number { (session.date("localDate").map(|date| written.date(date)).unwrap_or_default()) }
                        span.grow { (session.text("name")) " " span.quiet { (written.count(session.int("setCount"))) " " (t.sets()) } }
                        (state(cx, session.text("status")))
                    }
                }
            }
        }
        (pager(cx, &sessions))
    };
    Ok(View::new(name(&client), main))
}

/// `/console/clients/{clientId}/money`
pub(in crate::pages) fn money(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "money")?;
    let products =
        cx.call(ApiCall::of("list_client_products").at("clientId", &id).with("limit", 20))?;
    let subscriptions =
        cx.call(ApiCall::of("list_subscriptions").with("clientId", &id).with("limit", 20))?;
    let credits = cx.call(ApiCall::of("get_credits").at("clientId", &id))?;
    let invoices = cx.list_if(ApiCall::of("list_invoices").with("clientId", &id))?;
    let balances = cx
        .call_if_allowed(ApiCall::of("list_client_balances").with("clientIds", &id))?
        .unwrap_or_default();
    let billed = cx
        .call_if_allowed(ApiCall::of("get_billing_details").at("clientId", &id))?
        .unwrap_or_default();
    let mut request = Vec::new();
    for subscription in subscriptions.list("subscriptions") {
        request.push(bills::pending_requests(cx, subscription)?);
    }
    let rows = match &invoices {
        Some(answer) => bills::rows(cx, answer, false)?,
        None => Vec::new(),
    };
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        div.grid {
            section.card {
                h2 { (t.membership()) }
                @if subscriptions.list("subscriptions").is_empty() { p.quiet { (t.no_membership()) } }
                @for (subscription, request) in subscriptions.list("subscriptions").iter().zip(request) { (bills::course(cx, subscription)) (request) }
            }
            section.card {
                h2 { (t.credits()) }
                ul.rows {
                    @for pool in credits.list("credits") {
                        li { span.grow { @if pool.has("poolKey") { (pool.text("poolKey")) } @else { (t.general()) } }
                            b.number { (written.count(pool.int("available"))) }
                            @if pool.int("held") > 0 { span.quiet { (written.count(pool.int("held"))) " " (t.held()) } } }
                    }
                }
                @if cx.may("adjust_credits") {
                    (disclosure(t.adjust(),
                        Form::about(cx, "adjust_credits", at(&id)).text("amount", t.amount_signed()).text("reason", t.reason()).send(t.adjust())))
                }
            }
        }
        section.card {
            h2 { (t.bought()) }
            @if products.list("clientProducts").is_empty() { p.quiet { (t.nothing_bought()) } }
            ul.rows {
                @for product in products.list("clientProducts") {
                    li { span.grow { (product.text("name")) " " span.quiet { (t.term(product.text("productType"))) } }
                        (state(cx, product.text("status")))
                        @if product.text("status") == "active" && cx.may("revoke_client_product") {
                            (disclosure(t.revoke(), Form::about(cx, "revoke_client_product", vec![("clientProductId", product.text("clientProductId").to_owned())]).danger(t.revoke())))
                        } }
                }
            }
            @if cx.may("assign_product") && !client.has("archivedAt") { a.button href={ "/console/clients/" (id) "/sell" } { (t.sell()) } }
        }
        @if let Some(invoices) = &invoices {
            h2 { (t.invoices()) }
            @for sum in balances.list("clientBalances.0.balances") {
                @let money = |name: &str| written.money(sum.int(name), sum.text("currency"));
                @if sum.int("owed") > 0 { p { (t.owes()) ": " b.number { (money("owed")) } } }
                @if sum.int("unallocated") > 0 { div.notice { (t.unallocated(&money("unallocated"))) ". " (t.unallocated_means()) } }
            }
            div.buttons { (bills::billing(cx, &id)) }
            @if cx.may("update_billing_details") { (disclosure(t.billing_details(), billing_details(cx, &id, billed.at("billingDetails")))) }
            @if rows.is_empty() { p.quiet { (t.no_invoices()) } }
            @else { (table(t.invoices(), &bills::columns(t, false), rows)) (pager(cx, invoices)) }
        }
    };
    Ok(View::new(name(&client), main))
}

/// To whom bills are addressed.
fn billing_details(cx: &PageContext<'_, '_>, id: &str, details: &Value) -> Markup {
    let t = cx.strings;
    let form =
        Form::with_key(cx, "billing-details", "update_billing_details", at(id)).from(details);
    form.text("companyName", t.billed_company())
        .text("vatNumber", t.vat_number())
        .text("registrationNumber", t.registration_number())
        .address("address")
        .check("reverseCharge", t.reverse_charge())
        .send(t.save())
}

/// `/console/clients/{clientId}/sell`
pub(in crate::pages) fn sell(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "sell")?;
    let wanted = cx.place.parameter("productId").to_owned();
    let products =
        cx.call(ApiCall::of("list_products").with("archived", false).with("limit", 100))?;
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
            Some(cx.call(ApiCall::of(preview).at("clientId", &id).body(body))?)
        }
        None => None,
    };
    let (t, written) = (cx.strings, &cx.written);
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
            label.wide { (t.product())
                select name="productId" required {
                    option value="" { (t.choose()) }
                    @for product in products.list("products") {
                        option value=(product.text("productId")) selected[product.text("productId") == wanted] { (label(product)) }
                    }
                }
            }
            button.plain type="submit" { (t.next()) }
        }
        @if let (Some(product), Some(previewed)) = (&found, &previewed) {
            section.card {
                h2 { (cx.localized(product.at("name"))) }
                @let bill = previewed.at("preview");
                // What waited for a bill rides along: late cancellations, and bookings that were missed.
                @let fees: i64 = bill.list("lines").iter().filter(|line| !line.has("productId")).map(|line| line.int("gross")).sum();
                (facts(vec![
                    (t.price(), html! { (written.money(product.int("price"), product.text("currency"))) @if product.text("period") != "None" { " / " (t.term(product.text("period"))) } }),
                    (t.first_bill(), html! { (written.money(bill.int("grossTotal"), bill.text("currency"))) }),
                    (t.of_which_fees(), html! { @if fees > 0 { (written.money(fees, bill.text("currency"))) } }),
                    (t.of_which_vat(), html! { (written.money(bill.int("taxTotal"), bill.text("currency"))) }),
                    (t.due(), html! { (bill.date("dueDate").map(|date| written.date(date)).unwrap_or_default()) }),
                    (t.credits(), html! { @if product.int("credits") > 0 { (written.count(product.int("credits"))) } }),
                ]))
                ul.rows { @for line in bill.list("lines") {
                    li { span.grow { (line.text("description")) } span.number { (written.money(line.int("gross"), bill.text("currency"))) } }
                } }
                @let form = Form::about(cx, act, at(&id)).hidden("productId", &*wanted)
                    .next(format!("/console/clients/{id}/money")).text("startsOn", t.starts_on()).money("price", t.other_price());
                (form.send(t.sell()))
            }
        }
    };
    Ok(View::new(name(&client), main))
}

/// `/console/clients/{clientId}/forms`
pub(in crate::pages) fn forms(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "forms")?;
    let answer = cx.list(ApiCall::of("list_form_assignments").at("clientId", &id))?;
    let all = cx.call(ApiCall::of("list_forms").with("limit", 100))?;
    let of = |kinds: &[&str]| -> Vec<(String, String)> {
        let all = all.list("forms").iter().filter(|form| form.text("status") == "published");
        let all = all.filter(|form| kinds.contains(&form.text("kind")));
        all.map(|form| (form.text("formId").to_owned(), form.text("name").to_owned())).collect()
    };
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        div.buttons {
            (disclosure(t.give_form(), Form::about(cx, "assign_form", at(&id))
                .choice("formId", t.form(), &of(&["general", "intake"])).area("message", t.message()).send(t.give_form())))
            (disclosure(t.ask_checkup(), Form::about(cx, "assign_checkup", at(&id))
                .choice("formId", t.form(), &of(&["checkup"])).area("message", t.message()).send(t.ask_checkup())))
        }
        @if answer.list("formAssignments").is_empty() { (empty(t.no_forms(), None)) }
        section.card {
            ul.rows {
                @for one in answer.list("formAssignments") {
                    li {
                        span.grow {
                            @if one.text("kind") == "checkup" { a href={ "/console/forms/checkups/" (one.text("assignmentId")) } { (one.text("formName")) } }
                            @else if matches!(one.text("status"), "submitted" | "reviewed") { a href={ "/console/clients/" (id) "/forms/" (one.text("assignmentId")) } { (one.text("formName")) } }
                            @else { (one.text("formName")) }
                            br; span.quiet { (t.term(one.text("kind"))) " · " (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                        }
                        (state(cx, one.text("status")))
                    }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(name(&client), main))
}

/// `/console/clients/{clientId}/files`
pub(in crate::pages) fn files(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "files")?;
    let answer = cx.list(ApiCall::of("list_documents").with("clientId", &id))?;
    let t = cx.strings;
    let main = html! {
        (tabs)
        (disclosure(t.send_file(), file_form(cx, Some(&id))))
        (disclosure(t.link_file(), about_document(cx, Form::of(cx, "link_document").hidden("clientId", &*id)
            .of_type("url", "url", t.web_address(), "off")).send(t.link_file())))
        @if answer.list("documents").is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card { @for one in answer.list("documents") { (document(cx, one)) } }
        (pager(cx, &answer))
    };
    Ok(View::new(name(&client), main))
}

/// `/console/clients/{clientId}/forms/{assignmentId}`: what was answered, and what was said of it.
pub(in crate::pages) fn handed_in(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, tabs, .. } = head(cx, "forms")?;
    let assignment = cx.place.param("assignmentId").to_owned();
    let about = || vec![("clientId", id.clone()), ("assignmentId", assignment.clone())];
    let query = ApiCall::of("get_form_assignment").at("clientId", &id);
    let output = cx.call(query.at("assignmentId", &assignment))?;
    let given = output.at("formAssignment").clone();
    let answers = match given.text("kind") {
        "intake" => cx.call(ApiCall::of("get_intake").at("intakeId", &assignment))?,
        _ => {
            let query = ApiCall::of("list_form_submissions").at("clientId", &id);
            let all = cx.call(query.with("formId", given.text("formId")).with("limit", 100))?;
            let mut all = all.list("submissions").iter();
            let own = all.find(|one| one.text("assignmentId") == assignment);
            let own = own.map(|one| one.text("submissionId")).unwrap_or_default();
            let query = ApiCall::of("get_form_submission").at("clientId", &id);
            cx.call(query.at("submissionId", own))?
        }
    };
    let questions = questions(cx, &given)?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<_> = answers
        .list("answers")
        .iter()
        .map(|answer| {
            vec![
                html! { (answer.text("label")) },
                html! { b { (answered(cx, &id, answer, &questions)) } @if answer.is("flagged") { " " span.state.bad { (t.flagged()) } } },
            ]
        })
        .collect();
    let main = html! {
        (tabs)
        section.card {
            (facts(vec![
                (t.status(), state(cx, given.text("status"))),
                (t.submitted(), html! { (given.instant("submittedAt").map(|at| written.instant(at)).unwrap_or_default()) }),
            ]))
        }
        (table(t.answers(), &[t.question(), t.answer()], rows))
        @if given.has("review") { section.card { h2 { (t.review()) } p { (given.text("review")) } } }
        @if given.text("status") == "submitted" && cx.may("review_form_assignment") {
            section.card { h2 { (t.review()) } (Form::about(cx, "review_form_assignment", about()).area("review", t.your_words()).send(t.review_it())) }
        }
    };
    Ok(View::new(given.text("formName"), main))
}
