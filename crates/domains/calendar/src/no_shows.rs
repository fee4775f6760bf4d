//! Absent clients: those who missed their last two bookings, and those who have not come for a while, so that staff
//! can follow up.

use spotter_contract::{Area, ListQuery, Read, listed, operation};
use spotter_kernel::{Key, Result, Timestamp, id::CoachId, in_order};
use spotter_people::client_is_there;
use spotter_store::{Bind, List, filters, lists};

use crate::booking::{Booking, BookingView};

/// The default number of days to look back.
const USUAL_DAYS: i64 = 30;

listed!(RepeatedNoShows { bookings: BookingView });

filters! {
    struct Filters {
        /// Missed at this instant or later; within the last 30 days when absent.
        from: Timestamp;
        /// Bookings with this coach.
        coach_id: CoachId => "coach_id = ?";
    }
}

fn list_repeated_no_shows(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<RepeatedNoShows> {
    let from = wanted.from.unwrap_or_else(|| cx.now().plus_days(-USUAL_DAYS));
    let above = [from.bind().into_owned()];
    Ok(cx.page_under(&LIST, &above, &wanted, page)?.map(BookingView::from).into())
}

listed!(AbsentClients { bookings: BookingView });

/// The default number of days since the last visit, and to look back.
const ABSENT_DAYS: i64 = 28;
const ABSENT_RANGE_DAYS: i64 = 92;

filters! {
    struct AbsentFilters {
        /// Came last before this instant; 28 days ago when absent.
        before: Timestamp;
        /// Came last at this instant or later; 92 days before `before` when absent.
        from: Timestamp;
        /// Bookings with this coach.
        coach_id: CoachId => "coach_id = ?";
    }
}

fn list_absent_clients(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<AbsentFilters>,
) -> Result<AbsentClients> {
    let before = wanted.before.unwrap_or_else(|| cx.now().plus_days(-ABSENT_DAYS));
    let from = wanted.from.unwrap_or_else(|| before.plus_days(-ABSENT_RANGE_DAYS));
    in_order(Some(from), Some(before), "before")?;
    let above = [from.bind().into_owned(), before.bind().into_owned()];
    Ok(cx.page_under(&ABSENT, &above, &wanted, page)?.map(BookingView::from).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app GET "/calendar/absences", Coach, list_absent_clients)
            .summary("List absent clients")
            .describe(
                "Returns clients whose last attended booking started between `from` and `before`, \
                 latest first, without archived clients.",
            )
            .fails(&[Key::DateRangeOrderInvalid]),
        operation!(app GET "/calendar/no-shows", Coach, list_repeated_no_shows)
            .summary("List repeated no-shows")
            .describe(
                "Returns clients whose last two bookings with attendance were missed, latest \
                 first, without archived clients.",
            ),
    ])
}

lists! {
    /// The last booking that a client attended.
    ABSENT: List<Booking, AbsentFilters> = List::new(
        concat!(
            "booking WHERE company_id = ?1 AND attendance_status = 'attended' AND status = 'booked' \
         AND starts_at >= ?2 AND starts_at < ?3 AND ",
            client_is_there!("booking"),
            " AND NOT EXISTS (SELECT 1 FROM booking AS later \
         WHERE later.company_id = ?1 AND later.client_id = booking.client_id \
         AND (later.starts_at, later.booking_id) > (booking.starts_at, booking.booking_id) AND later.status = 'booked' \
         AND later.attendance_status = 'attended')",
        ),
        "starts_at DESC, booking_id DESC",
    );
    /// The latest booking that a client missed, where the one before was missed, too, and none was come to since.
    LIST: List<Booking, Filters> = List::new(
        concat!(
            "booking WHERE company_id = ?1 AND attendance_status = 'no_show' AND status = 'booked' \
         AND starts_at >= ?2 AND ",
            client_is_there!("booking"),
            " AND NOT EXISTS (SELECT 1 FROM booking AS later \
         WHERE later.company_id = ?1 AND later.client_id = booking.client_id \
         AND (later.starts_at, later.booking_id) > (booking.starts_at, booking.booking_id) AND later.status = 'booked' \
         AND later.attendance_status IN ('attended', 'no_show')) \
         AND 'no_show' = (SELECT earlier.attendance_status FROM booking AS earlier \
         WHERE earlier.company_id = ?1 AND earlier.client_id = booking.client_id \
         AND (earlier.starts_at, earlier.booking_id) < (booking.starts_at, booking.booking_id) AND earlier.status = 'booked' \
         AND earlier.attendance_status IN ('attended', 'no_show') \
         ORDER BY earlier.starts_at DESC, earlier.booking_id DESC LIMIT 1)",
        ),
        "starts_at DESC, booking_id DESC",
    );
}
