//! Messages: conversations, and one of them. The same pages for staff and clients, who see their own.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api,
    files::MESSAGE,
    page_context::PageContext,
    parts::{
        fields::{Form, Upload, disclosure},
        lists::{empty, pager},
        shell::View,
    },
};

fn base(cx: &PageContext<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/messages" } else { "/console/messages" }
}

/// What a conversation is called: its name, or who else is in it.
fn title(cx: &PageContext<'_, '_>, conversation: api::OwnConversation<'_>) -> String {
    if !conversation.name().is_empty() {
        return conversation.name().to_owned();
    }
    let own = cx.own_id();
    let others = conversation.participants().iter().filter(|one| one.user_id() != own);
    let names: Vec<_> = others.map(|one| one.name()).collect();
    if names.is_empty() { cx.strings.conversation().to_owned() } else { names.join(", ") }
}

/// A button that opens the conversation with a client.
pub(super) fn write_to(cx: &PageContext<'_, '_>, client: &str) -> Markup {
    Form::with_key(cx, client, api::open_conversation())
        .hidden("conversationType", "direct")
        .hidden("userIds", client)
        .next("/console/messages/{conversation.conversationId}")
        .button(cx.strings.write())
}

/// `/console/messages`, `/my/messages`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_own_conversations())?;
    let coaches = match cx.is_client() {
        true => cx.coach_choices()?,
        false => Vec::new(),
    };
    let (t, written, base) = (cx.strings, &cx.written, base(cx));
    let main = html! {
        @if cx.may(api::ListAnnouncements) {
            p { a.button.plain href="/console/announcements" { (t.announcements()) } }
        }
        section.card #conversations data-live="conversation" {
            @if answer.conversations().is_empty() { p.quiet { (t.no_conversations()) } }
            ul.rows {
                @for one in answer.conversations() {
                    li {
                        span.grow {
                            a href={ (base) "/" (one.conversation_id()) } { b { (title(cx, one)) } }
                            br;
                            span.quiet {
                                (one.last_message()
                                    .map_or("", |message| message.text())
                                    .chars()
                                    .take(90)
                                    .collect::<String>())
                            }
                        }
                        @if one.unread_count() > 0 {
                            span.state.warn { (written.count(one.unread_count())) " " (t.unread()) }
                        }
                        span.quiet { (written.instant(one.last_message_at())) }
                    }
                }
            }
        }
        (pager(cx, &answer))
        @if !coaches.is_empty() {
            section.card {
                h2 { (t.write()) }
                (Form::of(cx, api::open_conversation())
                    .hidden("conversationType", "direct")
                    .choice("userIds", t.coach(), &coaches)
                    .next("/my/messages/{conversation.conversationId}")
                    .send(t.write()))
            }
        }
    };
    Ok(View::new(t.messages(), main))
}

/// `/console/messages/{conversationId}`, `/my/messages/{conversationId}`
pub(super) fn thread(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("conversationId").to_owned();
    let answer = cx.call(api::get_own_conversation(&id))?;
    let conversation = answer.conversation();
    let messages = cx.list(api::list_own_messages(&id))?;
    let own = cx.own_id();
    let (t, written) = (cx.strings, &cx.written);
    let unread = conversation.unread_count() > 0;
    let newest = messages.messages().first().map(|one| one.message_id().to_owned());
    let others = || conversation.participants().iter().filter(|one| one.user_id() != own);
    let main = html! {
        (pager(cx, &messages))
        div #thread data-live="conversation" {
            @if messages.messages().is_empty() { (empty(t.no_messages(), None)) }
            ol.talk {
                @for message in messages.messages().iter().rev() {
                    li.own[message.sender().user_id() == own] {
                        span.quiet {
                            (message.sender().name()) ", " (written.instant(message.sent_at()))
                            @if message.edited_at().is_some() { " · " (t.edited()) }
                        }
                        @if message.is_deleted() {
                            p.quiet { (t.deleted_message()) }
                        } @else {
                            p { (message.text()) }
                        }
                        @let own =
                            message.sender().user_id() == cx.own_id() && !message.is_deleted();
                        @if own {
                            (disclosure(
                                t.delete(),
                                Form::of(cx, api::delete_message(&id, message.message_id()))
                                    .danger(t.delete_message()),
                            ))
                        }
                        @if !message.file_name().is_empty() && !message.is_deleted() {
                            p {
                                a
                                    href={ (MESSAGE) (id) "/" (message.message_id()) }
                                    data-hx-boost="false"
                                {
                                    (message.file_name())
                                }
                            }
                        }
                    }
                }
            }
            @if others()
                .any(|one| one.seen_message_id() == newest.as_deref().unwrap_or("-"))
            {
                p.quiet { (t.seen()) }
            }
        }
        @if let (true, Some(newest)) = (unread, &newest) {
            (Form::of(cx, api::mark_seen(&id)).hidden("messageId", &**newest).button(t.mark_seen()))
        }
        (Form::of(cx, api::send_message(&id)).draft(&id).area("text", t.message()).send(t.send()))
        (disclosure(
            t.send_file(),
            Form::with_key(cx, "file", api::send_message(&id))
                .upload("uploadId", t.file(), Upload::File)
                .text("text", t.message())
                .send(t.send_file()),
        ))
    };
    Ok(View::new(title(cx, conversation), main)
        .acts(html! { a.button.plain href=(base(cx)) { (t.all_messages()) } }))
}
