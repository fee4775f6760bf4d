"""What a manager asks of an assistant, in thirty tasks."""

import datetime
import secrets
import zoneinfo

from run import End, Task, call, confirmed, wrong

MODULES = [
    "clients", "calendar_events", "bookings", "subscriptions", "credits", "invoices", "recurring_bookings",
    "event_templates", "calendar_tasks", "measurements", "goals", "client_notes", "client_onboarding", "company",
    "products", "sales", "payments", "workouts", "workout_programmes", "habits", "forms", "checkups", "documents",
    "reports", "access", "audit_logs", "conversations", "availability", "nutrition_logs",
]

# Days are those of the gym.
TODAY = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Amsterdam")).date()


def day(days):
    return (TODAY + datetime.timedelta(days=days)).isoformat()


def at(days, clock="09:00"):
    return f"{day(days)}T{clock}:00Z"


def prepare(api, demo):
    """Records of our own, so that tasks do not depend on what a demo happens to hold."""
    mark = secrets.token_hex(4)
    coach = api("GET", "/coaches?limit=100&status=active")["coaches"]
    coach = next(one for one in coach if one["role"] == "Coach")["coachId"]

    def client(first, **facts):
        body = {"firstName": first, "lastName": mark, "email": f"{first.lower()}.{mark}@example.com",
                "memberStatus": "active", **facts}
        return api("POST", "/clients", body)["client"]["clientId"]

    ids = {name: client(name.title()) for name in ("ann", "bea", "cleo", "dina")}
    always = {"weekly": [{"weekday": weekday, "startTime": "00:00", "endTime": "23:59"} for weekday in range(1, 8)]}
    type_id = api("POST", "/event-types", {"name": f"Talk {mark}", "durationMinutes": 30, "coachIds": [coach]})
    type_id = type_id["eventType"]["eventTypeId"]
    api("PUT", f"/coaches/{coach}/availability", always)
    asked = api("POST", "/event-types", {"name": f"Consult {mark}", "durationMinutes": 30, "coachIds": [coach],
                                         "requiresApproval": True})["eventType"]["eventTypeId"]
    field = api("POST", "/client-custom-fields", {"label": f"Shoe size {mark}", "type": "number"})["customField"]["fieldId"]
    products = api("GET", "/finance/products?limit=100")["products"]
    named = lambda name: next(one["productId"] for one in products if one["name"].get("en") == name)
    member = api("POST", f"/finance/clients/{ids['cleo']}/memberships", {"productId": named("Once a week")})
    pending = client("Petra", relationshipStatus="pending")
    feared = client("Quinn", relationshipStatus="pending")
    return {**ids, "mark": mark, "coach": coach, "type": type_id, "asked": asked, "field": field,
            "ten": named("Ten sessions"), "weekly": named("Once a week"),
            "subscription": member["subscription"]["subscriptionId"], "pending": pending, "feared": feared}


TASKS = [
    Task("Find a client by the beginning of names, and read her record", [
        call("list_clients", search="Ann ${mark}", keep={"id": "clients.0.clientId"}, expect={"clients.*": 1}),
        call("get_client", clientId="$id", expect={"client.email": "ann.${mark}@example.com"}),
    ]),
    Task("Add a client, having got the date of birth wrong first", [
        wrong("create_client", "Correct the field", firstName="Eva", dateOfBirth="31/12/1990"),
        call("create_client", firstName="Eva", lastName="$mark", dateOfBirth="1990-12-31", keep={"id": "client.clientId"}),
    ], End("/clients/${id}", "client.dateOfBirth", "1990-12-31")),
    Task("Correct a telephone number, and take the e-mail address out", [
        call("update_client", clientId="$bea", phone="+31 6 12345678", email=None),
    ], End("/clients/${bea}", "client.email", None), End("/clients/${bea}", "client.phone", lambda it: it.endswith("12345678"))),
    Task("Tag a client", [
        call("list_client_tags", limit=5),
        call("set_client_tags", clientId="$ann", tags=["vip", "rehab"]),
    ], End("/clients/${ann}", "client.tags", ["rehab", "vip"])),
    Task("Give a client a coach", [
        call("list_coaches", keep={"other": "coaches.0.coachId"}),
        call("assign_client_coach", clientId="$ann", coachId="$other"),
    ], End("/clients/${ann}", "client.assignedCoachId", "$other")),
    Task("Archive a client, which is not done before it was told", [
        wrong("archive_client", "Call its preview", clientId="$dina", confirmToken="guessed"),
        confirmed("archive_client", clientId="$dina", says="is archived"),
    ], End("/clients/${dina}", "client.relationshipStatus", "archived")),
    Task("Take the client back who was archived", [
        call("list_clients", archived=True, search="Dina ${mark}", keep={"id": "clients.0.clientId"}),
        call("restore_client", clientId="$id"),
    ], End("/clients/${dina}", "client.relationshipStatus", "active")),
    Task("Let in one who wants to become a client, and turn away another", [
        call("list_clients", relationshipStatus="pending", search="${mark}", expect={"clients.*": 2}),
        call("approve_client_relationship", clientId="$pending"),
        confirmed("reject_client_relationship", clientId="$feared"),
    ], End("/clients/${pending}", "client.relationshipStatus", "active"), End("/clients/${feared}", "client.relationshipStatus", "rejected")),
    Task("Keep a note, and delete it", [
        call("create_client_note", clientId="$ann", body="Prefers mornings", keep={"note": "note.noteId"}),
        call("list_client_notes", clientId="$ann", expect={"notes.*": 1}),
        confirmed("delete_client_note", clientId="$ann", noteId="$note"),
    ], End("/clients/${ann}/notes", "total", 0)),
    Task("Fill in a field of the company's own", [
        call("list_custom_fields", limit=100),
        call("update_client_custom_fields", clientId="$ann", values=[{"fieldId": "$field", "value": 38}]),
        call("get_client_custom_fields", clientId="$ann"),
    ], End("/clients/${ann}/custom-fields", "values", lambda it: any(one["value"] == 38 for one in it))),
    Task("Book a client into a free slot", [
        call("list_event_types", limit=100),
        call("list_slots", eventTypeId="$type", coachId="$coach", clientId="$ann", **{"from": at(3), "to": at(4)},
             keep={"token": "slots.0.slotToken"}),
        confirmed("create_booking", clientId="$ann", slotToken="$token", says="is booked", keep={"booking": "booking.bookingId"}),
    ], End("/bookings/${booking}", "booking.status", "booked")),
    Task("Book what is taken, and offer something else", [
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(5), "to": at(6)},
             keep={"start": "slots.0.startsAt"}),
        confirmed("create_booking", clientId="$ann", eventTypeId="$type", coachId="$coach", startsAt="$start"),
        wrong("preview_create_booking", "alternatives", clientId="$bea", eventTypeId="$type", coachId="$coach", startsAt="$start"),
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(6), "to": at(7)}, keep={"token": "slots.3.slotToken"}),
        confirmed("create_booking", clientId="$bea", slotToken="$token", keep={"booking": "booking.bookingId"}),
    ], End("/bookings/${booking}", "booking.clientId", "$bea")),
    Task("Move a booking", [
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(8), "to": at(9)},
             keep={"start": "slots.0.startsAt", "later": "slots.4.startsAt"}),
        confirmed("create_booking", clientId="$cleo", eventTypeId="$type", coachId="$coach", startsAt="$start",
                  keep={"booking": "booking.bookingId"}),
        confirmed("reschedule_booking", bookingId="$booking", startsAt="$later"),
    ], End("/bookings/${booking}", "booking.startsAt", "$later")),
    Task("Call off a booking", [
        call("list_bookings", clientId="$cleo", status="booked", keep={"booking": "bookings.0.bookingId"}),
        confirmed("cancel_booking", bookingId="$booking", reason="Ill", says="cancelled"),
    ], End("/bookings/${booking}", "booking.status", "cancelled")),
    Task("Book a client every week until the end of a course", [
        confirmed("create_recurring_booking", clientId="$dina", eventTypeId="$type", coachId="$coach",
                  recurrence={"weekdays": [2], "startTime": "11:00", "startDate": day(10), "count": 4}, onConflict="skip",
                  keep={"series": "recurringBooking.recurringBookingId"}),
    ], End("/bookings?recurringBookingId=${series}", "total", lambda it: it >= 3)),
    Task("End a course for good", [
        call("list_recurring_bookings", clientId="$dina", status="active", keep={"series": "recurringBookings.0.recurringBookingId"}),
        confirmed("cancel_recurring_booking", recurringBookingId="$series", scope="all"),
    ], End("/recurring-bookings/${series}", "recurringBooking.status", "cancelled")),
    Task("Keep an hour free for a coach, and give it back", [
        call("create_calendar_task", coachId="$coach", title="Order towels", startsAt=at(12), endsAt=at(12, "10:00"),
             keep={"task": "calendarTask.calendarTaskId"}),
        call("update_calendar_task", calendarTaskId="$task", title="Order more towels"),
        confirmed("cancel_calendar_task", calendarTaskId="$task"),
    ], End("/calendar-tasks/${task}", "calendarTask.status", "cancelled")),
    Task("See what a coach has on next week", [
        wrong("list_calendar_events", "Correct the field", coachId="$coach", **{"from": at(0), "to": at(500)}),
        call("list_calendar_events", coachId="$coach", **{"from": at(0), "to": at(14)}, expect={"total": lambda it: it >= 1}),
    ]),
    Task("Make a template of an event", [
        call("create_event_template", eventTypeId="$type", name="Talk ${mark}", durationMinutes=45,
             keep={"template": "eventTemplate.eventTemplateId"}),
    ], End("/event-templates/${template}", "eventTemplate.durationMinutes", 45)),
    Task("Record a weight, and correct it", [
        call("list_measurement_types", limit=100),
        wrong("record_measurement", "Correct the field", clientId="$ann", type="weight", value=7),
        call("record_measurement", clientId="$ann", type="weight", value=71.5, unit="kg", keep={"id": "measurement.measurementId"}),
        call("update_measurement", clientId="$ann", measurementId="$id", value=70.5),
    ], End("/clients/${ann}/measurements/${id}", "measurement.value", 70.5)),
    Task("Set a goal that follows the weight", [
        call("create_goal", clientId="$ann", title="Under 68", kind="measurement", measurementType="weight",
             direction="decrease", targetValue=68, dueDate=day(90), keep={"goal": "goal.goalId"}),
    ], End("/clients/${ann}/goals/${goal}", "goal.status", "active")),
    Task("Sell ten sessions, and give one more", [
        call("list_products", limit=50),
        confirmed("assign_product", clientId="$bea", productId="$ten", keep={"sold": "clientProduct.clientProductId"}),
        call("get_credits", clientId="$bea", keep={"pool": "credits.0.poolKey"}),
        confirmed("adjust_credits", clientId="$bea", poolKey="$pool", amount=1, reason="A gift"),
    ], End("/finance/client-products/${sold}", "clientProduct.status", "active"),
       End("/finance/clients/${bea}/credits", "credits.0.available", 11)),
    Task("Sell a membership, and say what its first bill is", [
        confirmed("assign_membership", clientId="$dina", productId="$weekly", keep={"invoice": "invoice.invoiceId"}),
        call("get_invoice", invoiceId="$invoice", expect={"invoice.clientId": "$dina"}),
    ], End("/finance/subscriptions?clientId=${dina}", "total", 1)),
    Task("Pause a membership", [
        call("list_subscriptions", clientId="$cleo", keep={"subscription": "subscriptions.0.subscriptionId"}),
        call("get_bills_to_come", subscriptionId="$subscription"),
        confirmed("request_pause", subscriptionId="$subscription", until=day(45), **{"from": day(31)}),
    ], End("/finance/subscriptions/${subscription}", "subscription.pauses.*", 1)),
    Task("Ask a client to pay what is open", [
        call("list_invoices", clientId="$cleo", keep={"invoice": "invoices.0.invoiceId", "left": "invoices.0.balance"}),
        confirmed("create_payment_request", clientId="$cleo", invoiceId="$invoice", keep={"request": "paymentRequest.paymentRequestId"}),
    ], End("/finance/payment-requests/${request}", "paymentRequest.amount", "$left")),
    Task("Give a client a programme", [
        call("list_workout_templates", keep={"template": "templates.1._id"}),
        call("assign_workout_plan", clientId="$ann", templateId="$template", startDate=day(7)),
    ], End("/workout/clients/${ann}/plans", "total", 1)),
    Task("Have a client keep a habit", [
        call("create_habit", clientId="$ann", name="Walk", kind="check", schedule={"kind": "daily"}, keep={"habit": "habit.habitId"}),
    ], End("/clients/${ann}/habits/${habit}", "habit.name", "Walk")),
    Task("Give a client a form to answer", [
        call("list_forms", keep={"form": "forms.1.formId"}),
        confirmed("assign_form", clientId="$bea", formId="$form"),
    ], End("/clients/${bea}/form-assignments", "total", 1)),
    Task("Link a document, and put it away", [
        call("link_document", clientId="$ann", name="House rules", type="contract", url="https://example.com/rules",
             keep={"document": "document.documentId"}),
        confirmed("archive_document", documentId="$document"),
    ], End("/documents/${document}", "document.status", "archived")),
    Task("Say how the last month went", [
        wrong("get_revenue_report", "Correct the field", groupBy="day", **{"from": day(-800), "to": day(0)}),
        call("get_revenue_report", groupBy="month", **{"from": day(-30), "to": day(0)}),
        call("get_attendance_report", groupBy="week", **{"from": day(-30), "to": day(0)}),
        call("get_retention_report", groupBy="month", **{"from": day(-30), "to": day(0)}),
    ]),
    Task("Keep somebody out, and let them in again", [
        call("block_access", clientId="$dina", note="Owes for months"),
        call("get_access_block", clientId="$dina"),
        call("unblock_access", clientId="$dina"),
    ], End("/audit-logs?operation=unblock_access&limit=1", "auditLogs.0.operation", "unblock_access")),
]
