//! Documents, as they stand in lists of them for staff and clients.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    files::DOCUMENT,
    parts::{
        fields::{Form, Upload},
        lists::state,
        told::Told,
    },
    visit::Visit,
};

/// A form that keeps a file as a document: of a client, or of whoever sends it.
pub(super) fn file_form(cx: &Visit<'_, '_>, client: Option<&str>) -> Markup {
    let mut form = Form::of(cx, "file_document").upload("uploadId", cx.say.file(), Upload::File);
    if let Some(client) = client {
        form = form.hidden("clientId", client);
    }
    about_document(cx, form).send(cx.say.send_file())
}

/// What is said of a document.
pub(super) fn about_document<'f>(cx: &'f Visit<'_, '_>, form: Form<'f>) -> Form<'f> {
    let say = cx.say;
    let kinds: Vec<_> = cx
        .words_of("link_document", "type")
        .into_iter()
        .map(|word| (word.to_owned(), say.term(word)))
        .collect();
    form.text("name", say.name())
        .choice("type", say.kind(), &kinds)
        .text("expiresOn", say.expires())
}

/// A document in a list of them.
pub(super) fn document(cx: &Visit<'_, '_>, one: &Value) -> Markup {
    let (say, written) = (cx.say, &cx.written);
    let id = one.text("documentId");
    html! {
        li {
            span.grow {
                @if one.has("url") { a href=(one.text("url")) target="_blank" rel="noopener noreferrer" { (one.text("name")) } }
                @else { a href={ (DOCUMENT) (id) } data-hx-boost="false" { (one.text("name")) } }
                br; span.quiet { (say.term(one.text("type"))) @if let Some(date) = one.date("expiresOn") { " · " (say.expires()) " " (written.date(date)) } }
            }
            (state(cx, one.text("status")))
            @if one.text("status") == "active" && cx.may("archive_document") && !cx.is_client() { (Form::about(cx, "archive_document", vec![("documentId", id.to_owned())]).button(say.archive())) }
            @if one.text("status") == "archived" && cx.may("restore_document") { (Form::about(cx, "restore_document", vec![("documentId", id.to_owned())]).button(say.restore())) }
        }
    }
}
