//! The test environment: created and deleted in the real one, its clock advanced within.

use maud::{Markup, html};
use spotter_kernel::{Result, secret::EnvironmentMode};

use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{facts, state},
        shell::View,
    },
};

/// `/console/test-environment`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    match cx.state.env.mode {
        EnvironmentMode::Live => environment(cx),
        EnvironmentMode::Test => clock(cx),
    }
}

fn environment(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let found = cx.call_if_allowed(api::get_test_environment())?;
    let (t, written) = (cx.strings, &cx.written);
    let Some(answer) = found else {
        let main = html! {
            p { (t.test_environment_is()) }
            (Form::of(cx, api::create_test_environment()).send(t.create_test_environment()))
        };
        return Ok(View::new(t.test_environment(), main));
    };
    let own = answer.test_environment();
    let is_ready = own.status() == "ready";
    let main = html! {
        p { (t.test_environment_is()) @if is_ready { " " (t.test_keys_are()) } }
        section.card {
            (facts(vec![
                (t.status(), state(cx, own.status())),
                (t.address(), html! { code { (own.address()) } }),
                (t.since(), html! { (written.instant(own.created_at())) }),
            ]))
            p {
                @if is_ready {
                    a.button href=(own.address()) data-hx-boost="false" { (t.open_test_environment()) }
                } @else {
                    (refreshing(cx))
                }
            }
        }
    };
    let acts = html! {
        @if matches!(own.status(), "ready" | "failed") {
            (disclosure(t.delete_test_environment(), html! {
                p { (t.delete_test_environment_means()) }
                (Form::of(cx, api::delete_test_environment()).danger(t.delete_test_environment()))
            }))
        }
    };
    Ok(View::new(t.test_environment(), main).acts(acts))
}

/// A link to the page as it is by now, which follows itself after a moment.
fn refreshing(cx: &PageContext<'_, '_>) -> Markup {
    let address = cx.place.address();
    html! {
        a.button.plain
            href=(address)
            data-hx-get=(address)
            data-hx-trigger="load delay:1s"
            data-hx-select="#main"
            data-hx-target="#main"
            data-hx-swap="outerHTML"
        { (cx.strings.refresh()) }
    }
}

fn clock(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_test_clock())?;
    let (t, written, own) = (cx.strings, &cx.written, answer.test_clock());
    let advancing = own.status() == "advancing";
    let form = Form::of(cx, api::advance_test_clock()).moment("advanceTo", t.advance_to(), "");
    let form: Markup = form.send(t.advance_clock());
    let main = html! {
        p { (t.test_clock_is()) }
        section.card {
            (facts(vec![
                (t.status(), state(cx, own.status())),
                (t.time(), html! { (written.instant(own.now())) }),
                (t.advance_to(), html! { (written.instant(own.advance_to())) }),
            ]))
            @if advancing {
                p { (refreshing(cx)) }
            }
        }
        @if !advancing {
            section.card { (form) }
        }
    };
    Ok(View::new(t.test_clock(), main))
}
