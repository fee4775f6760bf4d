//! A client's training: programmes, records and sessions.

use maud::html;
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{pager, state},
        shell::View,
    },
};

/// `/console/clients/{clientId}/training`
pub(in crate::pages) fn training(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "training")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let plans = cx.call(api::list_client_workout_plans(id).limit(20))?;
    let sessions = cx.list(api::list_workout_sessions(id))?;
    let records = cx.call(api::list_personal_records(id).limit(20))?;
    let templates = api::list_workout_templates().status("Active");
    let answer = cx.call_or_empty(templates.limit(100))?;
    let templates = answer.templates().iter().map(|own| (own.id(), own.name()));
    let templates: Vec<_> = templates.collect();
    let (t, written) = (cx.strings, &cx.written);
    // A programme of weeks begins with one.
    let monday = written.today().plus_days(6).map_or(written.today(), |date| date.monday());
    let from_monday = serde_json::json!({"startDate": monday});
    let main = html! {
        (tabs)
        section.card {
            h2 { (t.plans()) }
            @if plans.plans().is_empty() { p.quiet { (t.no_plans()) } }
            ul.rows {
                @for plan in plans.plans() {
                    li {
                        span.grow {
                            b { (plan.name()) }
                            br;
                            span.quiet {
                                (written.date(plan.start_date()))
                                @if let Some(end) = plan.end_date() { " – " (written.date(end)) }
                            }
                        }
                        // An active programme whose last day is over is shown as ended.
                        @let over = plan.end_date().is_some_and(|end| end < written.today());
                        (state(
                            cx,
                            if over && plan.status() == "Active" {
                                "ended"
                            } else {
                                plan.status()
                            },
                        ))
                        @if plan.status() == "Active"
                            && cx.may(api::UpdateClientWorkoutPlan)
                        {
                            (Form::of(cx, api::update_client_workout_plan(id, plan.id()))
                                .hidden("status", "Completed")
                                .button(t.end_it()))
                        }
                        @if cx.may(api::DeleteClientWorkoutPlan) {
                            (disclosure(
                                t.delete(),
                                Form::of(cx, api::delete_client_workout_plan(id, plan.id()))
                                    .danger(t.delete()),
                            ))
                        }
                    }
                }
            }
            (disclosure(
                t.assign_programme(),
                Form::of(cx, api::assign_workout_plan(id))
                    .from(&from_monday)
                    .choice("templateId", t.programme(), &templates)
                    .text("startDate", t.starts_on())
                    .send(t.assign()),
            ))
        }
        section.card {
            h2 { (t.records()) }
            ul.rows {
                @for lift in records.personal_records() {
                    li {
                        span.grow { (lift.name()) }
                        @for record in lift.records() {
                            span.number {
                                (written.number(record.value(), 2)) " "
                                span.quiet { (t.term(record.r#type())) }
                            }
                        }
                    }
                }
            }
        }
        section.card {
            h2 { (t.sessions()) }
            ul.rows {
                @for session in sessions.sessions() {
                    li {
                        span.number { (written.date(session.local_date())) }
                        span.grow {
                            (session.name()) " "
                            span.quiet { (written.count(session.set_count())) " " (t.sets()) }
                        }
                        (state(cx, session.status()))
                    }
                }
            }
        }
        (pager(cx, &sessions))
    };
    Ok(View::new(client.full_name(), main))
}
