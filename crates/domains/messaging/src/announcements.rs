//! What staff do with announcements: write, list, follow and take them back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, ListQuery, Path, Read, Role, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Key, Problem, Result, Timestamp,
    id::{ClientId, CoachId},
    text::{Name, Text, quoted},
};
use spotter_store::{Bind, Json, List, filters, lists, record};

use crate::{
    announcement::{
        Announcement, AnnouncementChannels, AnnouncementId, AnnouncementStatus, Audience,
        RECIPIENTS_MAX, RecipientStatus, UNDO_SECONDS,
    },
    effects::MessagingEffect,
    rules::MessagingRule,
};

listed!(Announcements { announcements: Announcement });

filters! {
    struct Filters {
        /// Announcements in this status.
        status: AnnouncementStatus => "status = ?";
        /// Announcements by this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_announcements(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Announcements> {
    if let Actor::Coach { id, role: Role::Coach, .. } = cx.caller().actor {
        wanted.coach_id = Some(id);
    }
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(
    /// An announcement in a path.
    AnnouncementPath {
        /// The announcement's id.
        announcement_id: AnnouncementId,
    }
);

answer!(AnnouncementAnswer { announcement: Announcement });

fn get_announcement(cx: &mut Read, Path(at): Path<AnnouncementPath>) -> Result<AnnouncementAnswer> {
    Ok(AnnouncementAnswer { announcement: Announcement::find(cx, at.announcement_id)? })
}

record! {
    /// What became of an announcement for one of its recipients.
    #[derive(Debug, Clone, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct AnnouncementRecipient {
        /// Client it is for.
        client_id: ClientId,
        /// Outcome.
        status: RecipientStatus,
    }
}

listed!(AnnouncementRecipients { recipients: AnnouncementRecipient });

filters! {
    struct RecipientFilters {
        /// Recipients with this outcome.
        status: RecipientStatus => "status = ?";
    }
}

fn list_announcement_recipients(
    cx: &mut Read,
    Path(at): Path<AnnouncementPath>,
    ListQuery(wanted, page): ListQuery<RecipientFilters>,
) -> Result<AnnouncementRecipients> {
    Announcement::find(cx, at.announcement_id)?;
    Ok(cx.page_under(&RECIPIENTS, &[at.announcement_id.bind()], &wanted, page)?.into())
}

/// An announcement to send.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewAnnouncement {
    /// Whom it is for.
    audience: Audience,
    /// How it reaches them: at least one of both.
    channels: AnnouncementChannels,
    /// Subject of the mail.
    subject: Name<120>,
    /// What it says; an empty line begins a paragraph.
    text: Text<4000>,
}

fn create_announcement(
    cx: &mut Write,
    Body(new): Body<NewAnnouncement>,
) -> Result<AnnouncementAnswer> {
    let Actor::Coach { id: coach_id, .. } = cx.caller().actor else {
        return Err(Key::Forbidden.into());
    };
    if !new.channels.message && !new.channels.mail {
        return Err(Problem::invalid("channels.mail", MessagingRule::ChannelNeeded));
    }
    let clients = new.audience.clients(cx)?;
    if clients.is_empty() {
        return Err(Problem::conflict("audience", MessagingRule::NobodyThere));
    }
    if clients.len() > RECIPIENTS_MAX {
        let rule = MessagingRule::AudienceTooLarge { max: RECIPIENTS_MAX };
        return Err(Problem::conflict("audience", rule));
    }
    let now = cx.now();
    let announcement = Announcement {
        announcement_id: AnnouncementId(cx.new_id()),
        audience: Json(Audience { client_ids: None, ..new.audience }),
        channels: Json(new.channels),
        subject: new.subject.into(),
        text: new.text.into(),
        coach_id,
        status: AnnouncementStatus::Scheduled,
        send_at: now.plus_seconds(UNDO_SECONDS),
        recipients: clients.len() as i64,
        sent: 0,
        unreachable: 0,
        created_at: now,
        updated_at: now,
    };
    cx.describe_effect(|| MessagingEffect::AnnouncementSent {
        subject: quoted(&announcement.subject),
        recipients: clients.len(),
    });
    announcement.create(cx, &clients)?;
    Ok(AnnouncementAnswer { announcement })
}

fn cancel_announcement(
    cx: &mut Write,
    Path(at): Path<AnnouncementPath>,
) -> Result<AnnouncementAnswer> {
    let mut announcement = Announcement::find(cx, at.announcement_id)?;
    announcement.cancel(cx)?;
    Ok(AnnouncementAnswer { announcement })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app GET "/announcements", Coach, list_announcements)
            .summary("List announcements")
            .describe("Returns announcements, newest first; coaches see their own."),
        operation!(app GET "/announcements/{announcementId}", Coach, get_announcement)
            .summary("Get an announcement")
            .describe("Returns one announcement and how far it is."),
        operation!(app GET "/announcements/{announcementId}/recipients", Coach,
            list_announcement_recipients)
        .summary("List the recipients of an announcement")
        .describe("Returns the recipients and what became of it for each of them."),
        operation!(app POST "/announcements", Coach, create_announcement)
            .success(Success::Scheduled)
            .summary("Send an announcement")
            .describe(
                "Writes to the attendees of a class, to clients with a tag, to those of a coach, to chosen \
                 clients, or to everybody, at most 5,000: as a message, by mail, or both. It begins after a minute, until when it can be cancelled, and \
                 after quiet hours unless a class begins soon. Coaches write to their own classes and clients, managers \
                 to everybody.",
            )
            .created()
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(app POST "/announcements/{announcementId}/cancel", Coach, cancel_announcement)
            .success(Success::TakenBack)
            .summary("Cancel an announcement")
            .describe("Takes back an announcement that has not begun to be sent.")
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// Announcements, newest first.
    LIST: List<Announcement, Filters> =
        List::new("announcement WHERE company_id = ?1", "announcement_id DESC");
    /// The recipients of one.
    RECIPIENTS: List<AnnouncementRecipient, RecipientFilters> = List::new(
        "announcement_recipient WHERE company_id = ?1 AND announcement_id = ?2", "client_id",
    );
}
