//! The whole navigation, for phones, whose bar has room for few entries.

use maud::html;
use spotter_kernel::Result;

use crate::{
    page_context::PageContext,
    parts::{icon, shell::View},
    session::sign_out_form,
};

/// `/console/more`, `/my/more`
pub(super) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let t = cx.strings;
    let main = html! {
        nav.card aria-label=(t.more()) {
            ul.rows {
                @for way in super::navigation(cx).iter().filter(|way| cx.may_call(way.needs)) {
                    li { a.who.grow href=(way.path) { (icon(way.icon)) ((way.label)(t)) } }
                }
                @if !cx.is_client() {
                    li { a.who.grow href="/console/find" { (icon("search")) (t.find_anything()) } }
                }
                li { a.who.grow href=(super::account(cx)) { (icon("account")) (t.account()) } }
            }
        }
        (sign_out_form(&cx.csrf(), t.sign_out()))
    };
    Ok(View::new(t.more(), main))
}
