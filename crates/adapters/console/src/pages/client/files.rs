//! A client's files.

use maud::html;
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    page_context::PageContext,
    pages::documents::{about_document, document, file_form},
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager},
        shell::View,
    },
};

/// `/console/clients/{clientId}/files`
pub(in crate::pages) fn files(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "files")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let answer = cx.list(api::list_documents().client_id(id))?;
    let t = cx.strings;
    let main = html! {
        (tabs)
        (disclosure(t.send_file(), file_form(cx, Some(id))))
        (disclosure(
            t.link_file(),
            about_document(
                cx,
                Form::of(cx, api::link_document()).hidden("clientId", id).of_type(
                    "url",
                    "url",
                    t.web_address(),
                    "off",
                ),
            )
            .send(t.link_file()),
        ))
        @if answer.documents().is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card { @for one in answer.documents() { (document(cx, one)) } }
        (pager(cx, &answer))
    };
    Ok(View::new(client.full_name(), main))
}
