//! Notification settings: what clients are written of, and at which hours.

use maud::html;
use spotter_kernel::Result;

use super::{only_if, tabs};
use crate::{
    api,
    page_context::PageContext,
    parts::{fields::Form, shell::View},
};

/// `/console/settings/notifications`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_notification_settings())?;
    let t = cx.strings;
    let form = Form::of(cx, api::update_notification_settings())
        .from(answer.notification_settings())
        .check("kinds.bookings", t.notify_of_bookings())
        .check("kinds.waitlists", t.notify_of_waitlists())
        .check("kinds.reminders", t.notify_of_reminders())
        .check("kinds.memberships", t.notify_of_memberships())
        .check("kinds.forms", t.notify_of_forms())
        .check("kinds.messages", t.notify_of_messages())
        .check("kinds.announcements", t.notify_of_announcements())
        .text("reminderHours", t.reminder_hours())
        .of_type("time", "quietFrom", t.quiet_from(), "off")
        .of_type("time", "quietUntil", t.quiet_until(), "off");
    let main = html! {
        (tabs(cx, "/notifications"))
        section.card {
            p.quiet { (t.notifications_mean()) }
            (only_if(cx, api::UpdateNotificationSettings, form.send(t.save())))
        }
    };
    Ok(View::new(t.settings(), main))
}
