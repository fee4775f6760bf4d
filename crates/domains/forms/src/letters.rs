//! Letters to clients about forms: one to fill in, and a check-up that was reviewed.

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Id, Result};
use spotter_mail::Letter;
use spotter_people::clients::notifications::{NotificationKind, NotificationTurn};
use spotter_store::{params, statements};

use crate::{
    assignment::{Assignment, AssignmentStatus},
    form::FormKind,
};

/// How long a form can be taken back or filled in before its client is written to.
const GATHERING_SECONDS: i64 = 60;

/// Has a client told of a form, soon.
pub fn tell_later(cx: &mut Write, assignment: &Assignment) -> Result<()> {
    if !spotter_mail::is_on(cx) {
        return Ok(());
    }
    let soon = cx.now().plus_seconds(GATHERING_SECONDS);
    cx.set_timer(&TELL_OF_FORM, assignment.assignment_id, soon)
}

fn tell_of_form(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Assignment> = cx.one(FIND, params![id])?;
    let Some(assignment) = found else { return Ok(()) };
    let form = &*assignment.form_name;
    let letter = match (assignment.status, assignment.kind) {
        (AssignmentStatus::Assigned, _) => Letter::FormAssigned { form },
        (AssignmentStatus::Reviewed, FormKind::Checkup) => Letter::CheckupReviewed { form },
        _ => return Ok(()),
    };
    match NotificationTurn::of(cx, assignment.client_id, NotificationKind::Forms)? {
        NotificationTurn::Now(reader) => {
            spotter_mail::send(cx, reader.recipient(), assignment.assignment_id, &letter)
        }
        NotificationTurn::Later(until) => cx.set_timer(&TELL_OF_FORM, id, until),
        NotificationTurn::Never => Ok(()),
    }
}

static TELL_OF_FORM: Timer =
    Timer::new("tell_of_form", "Write to a client about a form", tell_of_form);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&TELL_OF_FORM])
}

statements! {
    FIND = "SELECT ", Assignment::COLUMNS, " FROM form_assignment WHERE company_id = ?1 AND assignment_id = ?2";
}
