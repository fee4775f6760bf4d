//! One's own account: how pages look, and the way out.

use maud::html;
use spotter_kernel::Result;

use crate::{
    parts::{lists::facts, shell::Shown},
    session::{TASTE, sign_out_form},
    visit::Visit,
    words::Language,
};

/// `/console/account`, `/my/account`
pub(super) fn show(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let (say, written) = (cx.say, &cx.written);
    let session = &cx.person.session;
    let main = html! {
        section.card {
            (facts(vec![
                (say.name(), html! { (cx.person.name) }),
                (say.email(), html! { (cx.person.email) }),
                (say.business(), html! { (cx.person.company.name) }),
                (say.signed_in_since(), html! { (written.instant(session.created_at)) }),
                (say.browser(), html! { (session.browser) }),
            ]))
        }
        section.card {
            h2 { (say.how_it_looks()) }
            form method="post" action=(TASTE) data-hx-boost="false" {
                input type="hidden" name="then" value=(cx.place.path);
                div.field {
                    label for="language" { (say.language()) }
                    select #language name="language" {
                        @for language in Language::ALL { option value=(language.code()) selected[language == say.0] { (language.name()) } }
                    }
                }
                div.field {
                    label for="theme" { (say.theme()) }
                    select #theme name="theme" {
                        option value="" { (say.as_device()) }
                        option value="light" selected[cx.taste.dark == Some(false)] { (say.light()) }
                        option value="dark" selected[cx.taste.dark == Some(true)] { (say.dark()) }
                    }
                }
                button type="submit" { (say.save()) }
            }
        }
        section.card {
            h2 { (say.password()) }
            p { a href="/forgot-password" { (say.new_password()) } }
            (sign_out_form(&cx.csrf(), say.sign_out()))
        }
    };
    Ok(Shown::new(say.account(), main))
}
