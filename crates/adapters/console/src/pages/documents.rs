//! Documents: the company's in their folders, and the rows of documents in lists.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api,
    files::DOCUMENT,
    page_context::PageContext,
    parts::{
        fields::{Form, Upload, disclosure},
        lists::{empty, pager, state},
        shell::View,
    },
};

/// A form that uploads a document: for a client, or for the signed-in person.
pub(super) fn file_form(cx: &PageContext<'_, '_>, client: Option<&str>) -> Markup {
    let mut form =
        Form::of(cx, api::file_document()).upload("uploadId", cx.strings.file(), Upload::File);
    if let Some(client) = client {
        form = form.hidden("clientId", client);
    }
    about_document(cx, form).send(cx.strings.send_file())
}

/// The fields of a document.
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
pub(super) fn document(cx: &PageContext<'_, '_>, one: api::Document<'_>) -> Markup {
    owned(cx, one, "")
}

/// The same with its owner.
fn owned(cx: &PageContext<'_, '_>, one: api::Document<'_>, owner: &str) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let id = one.document_id();
    html! {
        li {
            span.grow {
                @if !one.url().is_empty() {
                    a href=(one.url()) target="_blank" rel="noopener noreferrer" { (one.name()) }
                } @else {
                    a href={ (DOCUMENT) (id) } data-hx-boost="false" { (one.name()) }
                }
                br;
                span.quiet {
                    (t.term(one.r#type()))
                    @if let Some(date) = one.expires_on() {
                        " · " (t.expires()) " " (written.date(date))
                    }
                    @if !owner.is_empty() {
                        " · "
                        a href={ "/console/clients/" (one.client_id()) "/files" } { (owner) }
                    }
                }
            }
            (state(cx, one.status()))
            @if one.status() == "active" && cx.may(api::ArchiveDocument) && !cx.is_client() {
                (Form::of(cx, api::archive_document(id)).button(t.archive()))
            }
            @if one.status() == "archived" && cx.may(api::RestoreDocument) {
                (Form::of(cx, api::restore_document(id)).button(t.restore()))
            }
        }
    }
}

/// `/console/documents`: the folders, and the documents of one, or all.
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let folder = place.parameter("folderId").to_owned();
    let archived = place.parameter("status") == "archived";
    let status = if archived { "archived" } else { "active" };
    let query = api::list_documents()
        .folder_id(place.parameter("folderId").trim())
        .r#type(place.parameter("type").trim());
    let answer = cx.list(query.status(status))?;
    let inner = api::list_document_folders().limit(100);
    // Those at the top, or those in the one that is open.
    let folders = cx.call_or_empty(inner.parent_id(&folder))?;
    let opened = match folder.as_str() {
        "" => None,
        id => Some(cx.call(api::get_document_folder(id))?),
    };
    let here = opened.as_ref().map(|answer| answer.document_folder());
    cx.know_clients(answer.documents().iter().map(|one| one.client_id()))?;
    let mut owners = Vec::new();
    for one in answer.documents() {
        owners.push(cx.client(one.client_id())?);
    }
    let is_top = |own: &api::DocumentFolder<'_>| !folder.is_empty() || own.parent_id().is_empty();
    let t = cx.strings;
    let up = place
        .with_parameters(&[("folderId", here.map_or("", |here| here.parent_id())), ("page", "")]);
    let main = html! {
        @if here.is_some() { p { a href=(up) { (t.back()) } } }
        @if folders.document_folders().iter().any(|own| is_top(&own)) {
            ul.rows.card {
                @for own in folders.document_folders().iter().filter(is_top) {
                    li {
                        (crate::parts::icon("files"))
                        a.grow
                            href=(place.with_parameters(&[
                                ("folderId", own.folder_id()),
                                ("page", ""),
                            ]))
                        {
                            b { (own.name()) }
                        }
                    }
                }
            }
        }
        form.filters method="get" {
            input type="hidden" name="folderId" value=(folder);
            label {
                (t.status())
                select name="status" {
                    option value="" { (t.term("active")) }
                    option value="archived" selected[archived] { (t.term("archived")) }
                }
            }
            label {
                (t.kind())
                select name="type" {
                    option value="" { (t.all()) }
                    @for word in cx.words_of("file_document", "type") {
                        option value=(word) selected[place.parameter("type") == word] {
                            (t.term(word))
                        }
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if answer.documents().is_empty() { (empty(t.no_files(), None)) }
        ul.rows.card {
            @for (one, owner) in answer.documents().iter().zip(owners) { (owned(cx, one, &owner)) }
        }
        (pager(cx, &answer))
    };
    let file = Form::of(cx, api::file_document()).upload("uploadId", t.file(), Upload::File);
    let file = within(file, "folderId", &folder);
    let link = Form::of(cx, api::link_document()).of_type("url", "url", t.web_address(), "off");
    let link = within(link, "folderId", &folder);
    let new = Form::of(cx, api::create_document_folder()).text("name", t.name());
    let new = within(new, "parentId", &folder);
    let acts = html! {
        (disclosure(t.send_file(), about_document(cx, file).send(t.send_file())))
        (disclosure(t.link_file(), about_document(cx, link).send(t.link_file())))
        @if cx.may(api::CreateDocumentFolder) {
            (disclosure(t.add_folder(), new.send(t.add_folder())))
        }
        @if here.is_some() && cx.may(api::DeleteDocumentFolder) {
            (disclosure(
                t.delete(),
                Form::of(cx, api::delete_document_folder(&folder))
                    .next("/console/documents")
                    .danger(t.delete()),
            ))
        }
    };
    let title = here.map_or(t.files(), |here| here.name()).to_owned();
    Ok(View::new(title, main).acts(acts))
}

/// A form of what will be in a folder, if one is open.
fn within<'f>(form: Form<'f>, place: &str, folder: &str) -> Form<'f> {
    if folder.is_empty() { form } else { form.hidden(place, folder) }
}
