//! Messages of a direct conversation reach clients who are elsewhere: on their devices at once, and by letter if they are
//! unread for a day.

use spotter_contract::{Area, Timer, Write, timers};
use spotter_kernel::{Id, Result, Timestamp, id::ClientId};
use spotter_mail::Letter;
use spotter_people::clients::notifications::{
    NotificationFilter, NotificationKind, NotificationTurn,
};
use spotter_push::Notification;
use spotter_store::{params, statements};

use crate::{
    conversation::ConversationWithParticipants,
    message::Message,
    users::{Names, UserRole},
};

/// How long a message may be unread.
const UNREAD_SECONDS: i64 = 86_400;

/// Shows a message of a direct conversation on its client's devices, and has them written to if it stays unread.
pub fn notify(
    cx: &mut Write,
    room: &ConversationWithParticipants,
    message: &Message,
) -> Result<()> {
    if room.conversation.is_group() || !spotter_mail::is_on(cx) {
        return Ok(());
    }
    let speaker = message.sender();
    let others = room.participants.iter().map(|one| one.user());
    let clients = others.filter(|user| *user != speaker && user.role == UserRole::Client);
    let (company, due_at) = (cx.company(), message.sent_at.plus_seconds(UNREAD_SECONDS));
    for client in clients {
        show(cx, ClientId(client.user_id), message)?;
        cx.with_tx(|tx| timers::set_first(tx, company, &TELL_OF_MESSAGES, client.user_id, due_at))?;
    }
    Ok(())
}

fn show(cx: &mut Write, client: ClientId, message: &Message) -> Result<()> {
    if !spotter_push::has_devices(cx, client)?
        || !NotificationFilter::of(cx, client)?.includes(NotificationKind::Messages)
    {
        return Ok(());
    }
    let (names, address) = (Names::of(cx, [message.sender()])?, cx.env().mail_links.clone());
    let shown = Notification {
        title: names.name(message.sender()).to_owned(),
        body: message.line(),
        url: format!("{}/my/messages", address.as_deref().unwrap_or_default()),
    };
    spotter_push::send(cx, client, &shown)
}

fn tell_of_messages(cx: &mut Write, client: Id) -> Result<()> {
    let unread: Option<(i64, Option<Timestamp>)> = cx.one(UNREAD, params![client])?;
    let Some((count, Some(oldest))) = unread else { return Ok(()) };
    let due_at = oldest.plus_seconds(UNREAD_SECONDS);
    if due_at > cx.now() {
        // Older ones were read meanwhile.
        return cx.set_timer(&TELL_OF_MESSAGES, client, due_at);
    }
    match NotificationTurn::of(cx, ClientId(client), NotificationKind::Messages)? {
        NotificationTurn::Now(reader) if reader.client.may_sign_in() => {
            let letter = Letter::UnreadMessages { count: &count.to_string() };
            spotter_mail::send(cx, reader.recipient(), client, &letter)
        }
        NotificationTurn::Later(until) => cx.set_timer(&TELL_OF_MESSAGES, client, until),
        NotificationTurn::Now(_) | NotificationTurn::Never => Ok(()),
    }
}

static TELL_OF_MESSAGES: Timer =
    Timer::new("tell_of_messages", "Write to a client about unread messages", tell_of_messages);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&TELL_OF_MESSAGES])
}

statements! {
    // The oldest unread message is the one after the last that was seen.
    UNREAD = "SELECT CAST(COALESCE(SUM(c.message_count - p.seen_position), 0) AS BIGINT), MIN(m.sent_at) \
        FROM participant p CROSS JOIN conversation c CROSS JOIN message m \
        WHERE p.company_id = ?1 AND p.user_id = ?2 AND c.company_id = ?1 \
        AND c.conversation_id = p.conversation_id AND c.conversation_type = 'direct' \
        AND m.company_id = ?1 AND m.conversation_id = p.conversation_id AND m.position = p.seen_position + 1";
}
