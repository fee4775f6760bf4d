//! Documents: those of the business in their folders, and how one stands in lists for staff and clients.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    files::DOCUMENT,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, Upload, disclosure},
        format::JsonFields,
        lists::{empty, pager, state},
        shell::View,
    },
};

/// A form that keeps a file as a document: of a client, or of whoever sends it.
pub(super) fn file_form(cx: &PageContext<'_, '_>, client: Option<&str>) -> Markup {
    let mut form =
        Form::of(cx, "file_document").upload("uploadId", cx.strings.file(), Upload::File);
    if let Some(client) = client {
        form = form.hidden("clientId", client);
    }
    about_document(cx, form).send(cx.strings.send_file())
}

/// What is said of a document.
pub(super) fn about_document<'f>(cx: &'f PageContext<'_, '_>, form: Form<'f>) -> Form<'f> {
    let t = cx.strings;
    let kinds: Vec<_> = cx
        .words_of("link_document", "type")
        .into_iter()
        .map(|word| (word.to_owned(), t.term(word)))
        .collect();
    form.text("name", t.name()).choice("type", t.kind(), &kinds).text("expiresOn", t.expires())
}

/// A document in a list of them.
pub(super) fn document(cx: &PageContext<'_, '_>, one: &Value) -> Markup {
    owned(cx, one, "")
}

/// The same with whose it is.
fn owned(cx: &PageContext<'_, '_>, one: &Value, owner: &str) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let id = one.text("documentId");
    html! {
        li {
            span.grow {
                @if one.has("url") { a href=(one.text("url")) target="_blank" rel="noopener noreferrer" { (one.text("name")) } }
                @else { a href={ (DOCUMENT) (id) } data-hx-boost="false" { (one.text("name")) } }
                br; span.quiet { (t.term(one.text("type"))) @if let Some(date) = one.date("expiresOn") { " · " (t.expires()) " " (written.date(date)) }
                    @if !owner.is_empty() { " · " a href={ "/console/clients/" (one.text("clientId")) "/files" } { (owner) } } }
            }
            (state(cx, one.text("status")))
            @if one.text("status") == "active" && cx.may("archive_document") && !cx.is_client() { (Form::about(cx, "archive_document", vec![("documentId", id.to_owned())]).button(t.archive())) }
            @if one.text("status") == "archived" && cx.may("restore_document") { (Form::about(cx, "restore_document", vec![("documentId", id.to_owned())]).button(t.restore())) }
        }
    }
}

/// `/console/documents`: the folders, and what is in one of them, or everything.
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let folder = place.parameter("folderId").to_owned();
    let archived = place.parameter("status") == "archived";
    let status = if archived { "archived" } else { "active" };
    let query = ApiCall::of("list_documents").filtered(place, &["folderId", "type"]);
    let answer = cx.list(query.with("status", status))?;
    let inner = ApiCall::of("list_document_folders").with("limit", 100);
    // Those at the top, or those in the one that is open.
    let folders = cx.call_if_allowed(inner.with("parentId", &folder))?.unwrap_or_default();
    let here = match folder.as_str() {
        "" => Value::Null,
        id => {
            cx.call(ApiCall::of("get_document_folder").at("folderId", id))?["documentFolder"].take()
        }
    };
    cx.know_clients(answer.list("documents"))?;
    let mut owners = Vec::new();
    for one in answer.list("documents") {
        owners.push(cx.client(one.text("clientId"))?);
    }
    let top = |own: &&Value| !folder.is_empty() || !own.has("parentId");
    let t = cx.strings;
    let up = place.with_parameters(&[("folderId", here.text("parentId")), ("page", "")]);
    let main = html! {
        @if here.is_object() { p { a href=(up) { (t.back()) } } }
        @if folders.list("documentFolders").iter().any(|own| top(&own)) {
            ul.rows.card {
                @for own in folders.list("documentFolders").iter().filter(top) {
                    li { (crate::parts::icon("files")) a.grow href=(place.with_parameters(&[("folderId", own.text("folderId")), ("page", "")])) { b { (own.text("name")) } } }
                }
            }
        }
        form.filters method="get" {
            input type="hidden" name="folderId" value=(folder);
            label { (t.status())
                select name="status" { option value="" { (t.term("active")) } option value="archived" selected[archived] { (t.term("archived")) } }
            }
            label { (t.kind())
                select name="type" {
                    option value="" { (t.all()) }
                    @for word in cx.words_of("file_document", "type") { option value=(word) selected[place.parameter("type") == word] { (t.term(word)) } }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if answer.list("documents").is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card {
            @for (one, owner) in answer.list("documents").iter().zip(owners) {
                (owned(cx, one, &owner))
            }
        }
        (pager(cx, &answer))
    };
    let file = Form::of(cx, "file_document").upload("uploadId", t.file(), Upload::File);
    let file = within(file, "folderId", &folder);
    let link = Form::of(cx, "link_document").of_type("url", "url", t.web_address(), "off");
    let link = within(link, "folderId", &folder);
    let new = Form::of(cx, "create_document_folder").text("name", t.name());
    let new = within(new, "parentId", &folder);
    let acts = html! {
        (disclosure(t.send_file(), about_document(cx, file).send(t.send_file())))
        (disclosure(t.link_file(), about_document(cx, link).send(t.link_file())))
        @if cx.may("create_document_folder") { (disclosure(t.add_folder(), new.send(t.add_folder()))) }
        @if here.is_object() && cx.may("delete_document_folder") {
            (disclosure(t.delete(), Form::about(cx, "delete_document_folder", vec![("folderId", folder.clone())]).next("/console/documents").danger(t.delete())))
        }
    };
    let title = if here.is_object() { here.text("name").to_owned() } else { t.files().to_owned() };
    Ok(View::new(title, main).acts(acts))
}

/// A form of what will be in a folder, if one is open.
fn within<'f>(form: Form<'f>, place: &str, folder: &str) -> Form<'f> {
    if folder.is_empty() { form } else { form.hidden(place, folder) }
}
