use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, calendar, dates,
    samples::{Ids, Sample, SampleFuture},
    text, with,
};

/// Working hours, event types and bookings of a coach.
pub struct Calendar;

impl Sample for Calendar {
    fn has(&self, operation: &Operation) -> bool {
        let places = [
            "/availability",
            "/event-",
            "/calendar",
            "/booking",
            "/recurring-bookings",
            "/coaches/{coachId}/availability",
        ];
        places.iter().any(|place| operation.path.starts_with(place))
            || operation.path == "/locations/{locationId}/availability"
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let coach = app.admin.to_string();
            let Some(operation) = of else {
                calendar::always_at_work(app, &coach).await;
                let rule = json!({"appliesTo": "company", "startDate": "2031-01-01", "endDate": "2031-01-02"});
                let made = app.post("/availability-rules", rule).await.ok();
                ids.insert(
                    "availabilityRuleId",
                    text(made.data(), "/availabilityRule/availabilityRuleId"),
                );
                let class = calendar::new_type(
                    app,
                    json!({"name": "Spin", "kind": "class", "capacity": 20,
                    "waitlist": {"mode": "auto"}}),
                )
                .await;
                let template = json!({"name": "Spin", "eventTypeId": class, "durationMinutes": 45,
                    "coachId": coach});
                let made = app.post("/event-templates", template).await.ok();
                ids.insert("eventTemplateId", text(made.data(), "/eventTemplate/eventTemplateId"));
                ids.insert("classTypeId", class);
                ids.insert(
                    "approvedTypeId",
                    calendar::new_type(app, json!({"name": "Massage", "requiresApproval": true}))
                        .await,
                );
                fresh(app, ids, "").await;
                return;
            };
            fresh(app, ids, operation.id).await;
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        let (coach, start) = (&ids["calendarCoachId"], &ids["freeStart"]);
        match operation {
            "set_coach_availability" => json!({"weekly": calendar::always(), "prepMinutes": 5}),
            "set_location_availability" => json!({"overrides": []}),
            "preview_availability_rule" | "create_availability_rule" => {
                json!({"appliesTo": "company", "startDate": "2031-02-01", "endDate": "2031-02-02"})
            }
            "cancel_closed_events" => json!({"message": "Closed"}),
            "update_availability_rule" => json!({"reason": "Painting"}),
            "create_event_type" => json!({"name": "Yoga", "durationMinutes": 30}),
            "update_event_type" => json!({"durationMinutes": 45}),
            "create_event_template" => {
                json!({"name": "Yoga", "eventTypeId": ids["eventTypeId"], "durationMinutes": 45})
            }
            "update_event_template" => json!({"capacity": 12}),
            "create_calendar_task" => json!({"coachId": coach, "title": "Call",
                "startsAt": start, "endsAt": dates::later(start, 30)}),
            "update_calendar_task" => json!({"title": "Order more towels"}),
            "create_booking" => {
                json!({"clientId": ids["clientId"], "eventTypeId": ids["eventTypeId"],
                "coachId": coach, "startsAt": start})
            }
            "update_booking" => json!({"note": "Bring shoes"}),
            "reschedule_booking" => json!({"startsAt": start}),
            "create_recurring_booking" => nothing_to_book(ids),
            "update_recurring_booking" => json!({"scope": "all", "onConflict": "refuse"}),
            "cancel_booking" | "preview_booking_cancellation" => json!({"reason": "Ill"}),
            "preview_booking_bulk" | "change_bookings" => {
                json!({"bookingIds": [ids["bookingId"]], "cancel": true})
            }
            "set_booking_attendance" => json!({"attendanceStatus": "attended"}),
            "set_event_attendance" => json!({"attendance": [
                {"bookingId": ids["bookingId"], "attendanceStatus": "attended"}]}),
            "create_calendar_event" => json!({"eventTypeId": ids["classTypeId"], "coachId": coach,
                "startsAt": start}),
            "update_calendar_event" => json!({"capacity": 25}),
            "create_calendar_feed" => json!({"kind": "coach"}),
            "rotate_calendar_feed" => Value::Null,
            "create_event_series" => no_class(ids),
            "update_event_series" => json!({"scope": "all", "name": "Spin"}),
            "cancel_recurring_booking" | "cancel_event_series" => json!({"scope": "all"}),
            "promote_booking" => json!({"ignorePolicy": true}),
            "cancel_calendar_event" => json!({"reason": "Ill"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}

/// A recurrence whose only date is an exception.
fn no_date() -> Value {
    let date = &dates::at(200, 0)[..10];
    json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startDate": date, "startTime": "10:00", "count": 1,
        "exclusions": [date]})
}

fn no_class(ids: &Ids) -> Value {
    json!({"eventTypeId": ids["classTypeId"], "coachId": ids["calendarCoachId"],
        "recurrence": no_date()})
}

fn nothing_to_book(ids: &Ids) -> Value {
    json!({"clientId": ids["clientId"], "eventTypeId": ids["eventTypeId"],
        "coachId": ids["calendarCoachId"],
        "recurrence": no_date()})
}

/// Records on which an operation can act: each time at instants of their own.
async fn fresh(app: &App, ids: &mut Ids, operation: &str) {
    let coach = app.admin.to_string();
    ids.insert("calendarCoachId", coach.clone());
    ids.insert("freeStart", calendar::free_start());
    let intake = json!({"name": "Intake"});
    ids.insert("eventTypeId", calendar::new_type(app, intake).await);
    let soon = matches!(operation, "set_booking_attendance" | "set_event_attendance");
    let by = if soon { calendar::coach_at_work(app).await } else { coach.clone() };
    let starts_at = if soon { dates::this_minute() } else { calendar::free_start() };
    let class = json!({"eventTypeId": ids["classTypeId"], "coachId": by, "startsAt": starts_at});
    let class = app.app("POST", "/calendar/events", Some(class)).await.ok();
    ids.insert("calendarEventId", text(class.data(), "/calendarEvent/calendarEventId"));
    let client = &ids["clientId"];
    let whatever = json!({"clientId": client, "ignorePolicy": true, "allowOverlap": true});
    let booking = match operation {
        "promote_booking" => calendar::waiting(app, client, "auto").await.0,
        "accept_offered_seat" | "decline_offered_seat" => {
            let (waiting, booked) = calendar::waiting(app, client, "offer").await;
            app.act(&format!("/bookings/{booked}/cancel")).await.ok();
            waiting
        }
        "set_event_attendance" => {
            let seat = json!({"calendarEventId": ids["calendarEventId"]});
            calendar::book(app, with(&whatever, seat)).await
        }
        _ => {
            let by = if soon { calendar::coach_at_work(app).await } else { coach.clone() };
            let slot = json!({"eventTypeId": ids["eventTypeId"], "coachId": by,
                "startsAt": if soon { dates::this_minute() } else { calendar::free_start() }});
            calendar::book(app, with(&whatever, slot)).await
        }
    };
    ids.insert("bookingId", booking);
    let new = json!({"clientId": ids["clientId"], "eventTypeId": ids["approvedTypeId"],
        "coachId": coach, "startsAt": calendar::free_start()});
    let made = app.post("/bookings", new).await.ok();
    ids.insert("bookingRequestId", text(made.data(), "/bookingRequest/bookingRequestId"));
    let series = app.post("/recurring-bookings", nothing_to_book(ids)).await.ok();
    ids.insert("recurringBookingId", text(series.data(), "/recurringBooking/recurringBookingId"));
    let series = app.app("POST", "/calendar/event-series", Some(no_class(ids))).await.ok();
    ids.insert("eventSeriesId", text(series.data(), "/eventSeries/eventSeriesId"));
    // The number of feeds of a calendar is limited.
    if operation.is_empty() || operation.ends_with("calendar_feed") {
        let feed = app.app("POST", "/calendar/feeds", Some(json!({"kind": "coach"}))).await.ok();
        ids.insert("calendarFeedId", text(feed.data(), "/calendarFeed/calendarFeedId"));
    }
    let start = calendar::free_start();
    let task = json!({"coachId": coach, "title": "Order towels", "startsAt": start,
        "endsAt": dates::later(&start, 30)});
    let made = app.post("/calendar-tasks", task).await.ok();
    ids.insert("calendarTaskId", text(made.data(), "/calendarTask/calendarTaskId"));
}
