//! Messages: conversations, and one of them. The same pages for staff and clients, who see their own.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    files::MESSAGE,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, Upload, disclosure},
        format::JsonFields,
        lists::{empty, pager},
        shell::View,
    },
};

fn base(cx: &PageContext<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/messages" } else { "/console/messages" }
}

/// What a conversation is called: its name, or who else is in it.
fn title(cx: &PageContext<'_, '_>, conversation: &Value) -> String {
    if conversation.has("name") {
        return conversation.text("name").to_owned();
    }
    let own = cx.own_id();
    let others = conversation.list("participants").iter().filter(|one| one.text("userId") != own);
    let names: Vec<_> = others.map(|one| one.text("name")).collect();
    if names.is_empty() { cx.strings.conversation().to_owned() } else { names.join(", ") }
}

/// A button that opens the conversation with somebody, and leads there.
pub(super) fn write_to(cx: &PageContext<'_, '_>, client: &str) -> Markup {
    Form::with_key(cx, client, "open_conversation", vec![])
        .hidden("conversationType", "direct")
        .hidden("userIds", client)
        .next("/console/messages/{conversation.conversationId}")
        .button(cx.strings.write())
}

/// `/console/messages`, `/my/messages`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_own_conversations"))?;
    let coaches = match cx.is_client() {
        true => cx.choices(ApiCall::of("list_coaches"), ("coaches", "coachId"))?,
        false => Vec::new(),
    };
    let (t, written, base) = (cx.strings, &cx.written, base(cx));
    let main = html! {
        section.card #conversations data-live="conversation" {
            @if answer.list("conversations").is_empty() { p.quiet { (t.no_conversations()) } }
            ul.rows {
                @for one in answer.list("conversations") {
                    li {
                        span.grow {
                            a href={ (base) "/" (one.text("conversationId")) } { b { (title(cx, one)) } }
                            br; span.quiet { (one.text("lastMessage.text").chars().take(90).collect::<String>()) }
                        }
                        @if one.int("unreadCount") > 0 { span.state.warn { (written.count(one.int("unreadCount"))) " " (t.unread()) } }
                        span.quiet { (one.instant("lastMessageAt").map(|at| written.instant(at)).unwrap_or_default()) }
                    }
                }
            }
        }
        (pager(cx, &answer))
        @if !coaches.is_empty() {
            section.card {
                h2 { (t.write()) }
                (Form::of(cx, "open_conversation").hidden("conversationType", "direct").choice("userIds", t.coach(), &coaches)
                    .next("/my/messages/{conversation.conversationId}").send(t.write()))
            }
        }
    };
    Ok(View::new(t.messages(), main))
}

/// `/console/messages/{conversationId}`, `/my/messages/{conversationId}`
pub(super) fn thread(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("conversationId").to_owned();
    let answer = cx.call(ApiCall::of("get_own_conversation").at("conversationId", &id))?;
    let conversation = answer["conversation"].clone();
    let messages = cx.list(ApiCall::of("list_own_messages").at("conversationId", &id))?;
    let own = cx.own_id();
    let (t, written) = (cx.strings, &cx.written);
    let unread = conversation.int("unreadCount") > 0;
    let newest = messages.list("messages").first().map(|one| one.text("messageId").to_owned());
    let others =
        || conversation.list("participants").iter().filter(|one| one.text("userId") != own);
    let main = html! {
        (pager(cx, &messages))
        div #thread data-live="conversation" {
            @if messages.list("messages").is_empty() { (empty(t.no_messages(), None)) }
            ol.talk {
                @for message in messages.list("messages").iter().rev() {
                    li.own[message.text("sender.userId") == own] {
                        span.quiet { (message.text("sender.name")) ", " (message.instant("sentAt").map(|at| written.instant(at)).unwrap_or_default()) @if message.has("editedAt") { " · " (t.edited()) } }
                        @if message.is("isDeleted") { p.quiet { (t.deleted_message()) } }
                        @else { p { (message.text("text")) } }
                        @let own = message.text("sender.userId") == cx.own_id() && !message.is("isDeleted");
                        @if own { (disclosure(t.delete(), Form::about(cx, "delete_message", vec![("conversationId", id.clone()), ("messageId", message.text("messageId").to_owned())]).danger(t.delete_message()))) }
                        @if message.has("fileName") && !message.is("isDeleted") {
                            p { a href={ (MESSAGE) (id) "/" (message.text("messageId")) } data-hx-boost="false" { (message.text("fileName")) } }
                        }
                    }
                }
            }
            @if others().any(|one| one.text("seenMessageId") == newest.as_deref().unwrap_or("-")) { p.quiet { (t.seen()) } }
        }
        @if let (true, Some(newest)) = (unread, &newest) {
            (Form::about(cx, "mark_seen", vec![("conversationId", id.clone())]).hidden("messageId", &**newest).button(t.mark_seen()))
        }
        (Form::about(cx, "send_message", vec![("conversationId", id.clone())]).draft(&id).area("text", t.message()).send(t.send()))
        (disclosure(t.send_file(), Form::with_key(cx, "file", "send_message", vec![("conversationId", id.clone())])
            .upload("uploadId", t.file(), Upload::File).text("text", t.message()).send(t.send_file())))
    };
    Ok(View::new(title(cx, &conversation), main)
        .acts(html! { a.button.plain href=(base(cx)) { (t.all_messages()) } }))
}
