//! Every place that the shell leads to, for phones, whose bar has room for few.

use maud::html;
use spotter_kernel::Result;

use crate::{
    page_context::PageContext,
    parts::{icon, shell::View},
    session::sign_out_form,
};

/// `/console/more`, `/my/more`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let say = cx.say;
    let main = html! {
        nav.card aria-label=(say.more()) {
            ul.rows {
                @for way in super::navigation(cx).iter().filter(|way| cx.may(way.needs)) {
                    li { a.who.grow href=(way.path) { (icon(way.icon)) ((way.label)(say)) } }
                }
                @if !cx.is_client() { li { a.who.grow href="/console/find" { (icon("search")) (say.find_anything()) } } }
                li { a.who.grow href=(super::account(cx)) { (icon("account")) (say.account()) } }
            }
        }
        (sign_out_form(&cx.csrf(), say.sign_out()))
    };
    Ok(View::new(say.more(), main))
}
