//! A client's forms: assignments, and submitted answers.

use maud::html;
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    page_context::PageContext,
    pages::forms::{answered, questions},
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// `/console/clients/{clientId}/forms`
pub(in crate::pages) fn forms(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "forms")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let answer = cx.list(api::list_form_assignments(id))?;
    let all = cx.call(api::list_forms().limit(100))?;
    let of = |kinds: &[&str]| -> Vec<(String, String)> {
        let all = all.forms().iter().filter(|form| form.status() == "published");
        let all = all.filter(|form| kinds.contains(&form.kind()));
        all.map(|form| (form.form_id().to_owned(), form.name().to_owned())).collect()
    };
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        div.buttons {
            (disclosure(
                t.give_form(),
                Form::of(cx, api::assign_form(id))
                    .choice("formId", t.form(), &of(&["general", "intake"]))
                    .area("message", t.message())
                    .send(t.give_form()),
            ))
            (disclosure(
                t.ask_checkup(),
                Form::of(cx, api::assign_checkup(id))
                    .choice("formId", t.form(), &of(&["checkup"]))
                    .area("message", t.message())
                    .send(t.ask_checkup()),
            ))
        }
        @if answer.form_assignments().is_empty() { (empty(t.no_forms(), None)) }
        section.card {
            ul.rows {
                @for one in answer.form_assignments() {
                    li {
                        span.grow {
                            @if one.kind() == "checkup" {
                                a href={ "/console/forms/checkups/" (one.assignment_id()) } {
                                    (one.form_name())
                                }
                            } @else if matches!(one.status(), "submitted" | "reviewed") {
                                a
                                    href={
                                        "/console/clients/" (id) "/forms/" (one.assignment_id())
                                    }
                                {
                                    (one.form_name())
                                }
                            } @else {
                                (one.form_name())
                            }
                            br;
                            span.quiet {
                                (t.term(one.kind())) " · " (written.instant(one.created_at()))
                            }
                        }
                        (state(cx, one.status()))
                    }
                }
            }
        }
        (pager(cx, &answer))
    };
    Ok(View::new(client.full_name(), main))
}

/// `/console/clients/{clientId}/forms/{assignmentId}`: the submitted answers and their review.
pub(in crate::pages) fn submission(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "forms")?;
    let (id, tabs) = (&*head.id, &head.tabs);
    let assignment = cx.place.param("assignmentId").to_owned();
    let output = cx.call(api::get_form_assignment(id, &assignment))?;
    let given = output.form_assignment();
    let (intake, submission);
    let answers = match given.kind() {
        "intake" => {
            intake = cx.call(api::get_intake(&assignment))?;
            intake.answers()
        }
        _ => {
            let submissions = api::list_form_submissions(id).form_id(given.form_id()).limit(100);
            let all = cx.call(submissions)?;
            let own = all.submissions().iter().find(|one| one.assignment_id() == assignment);
            let own = own.map_or("", |one| one.submission_id());
            submission = cx.call(api::get_form_submission(id, own))?;
            submission.answers()
        }
    };
    let questions = questions(cx, given.form_id(), given.form_version())?;
    let questions = questions.form_version().questions();
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<_> = answers
        .iter()
        .map(|answer| {
            vec![
                html! { (answer.label()) },
                html! {
                    b { (answered(cx, id, answer, questions)) }
                    @if answer.flagged() { " " span.state.bad { (t.flagged()) } }
                },
            ]
        })
        .collect();
    let main = html! {
        (tabs)
        section.card {
            (facts(vec![
                (t.status(), state(cx, given.status())),
                (t.submitted(), html! { (written.instant(given.submitted_at())) }),
            ]))
        }
        (table(t.answers(), &[t.question(), t.answer()], rows))
        @if !given.review().is_empty() {
            section.card { h2 { (t.review()) } p { (given.review()) } }
        }
        @if given.status() == "submitted" && cx.may(api::ReviewFormAssignment) {
            section.card {
                h2 { (t.review()) }
                (Form::of(cx, api::review_form_assignment(id, &assignment))
                    .area("review", t.your_words())
                    .send(t.review_it()))
            }
        }
    };
    Ok(View::new(given.form_name(), main))
}
