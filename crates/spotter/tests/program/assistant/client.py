"""What a client asks of an assistant of their own, in fifteen tasks."""

import datetime
import secrets
import zoneinfo

from run import End, Task, call, confirmed, wrong

MODULES = [
    "client_ai_account", "client_ai_bookings", "client_ai_measurements", "client_ai_nutrition", "client_ai_workouts",
    "client_ai_goals", "client_ai_habits", "client_ai_progress", "client_ai_forms", "client_ai_documents",
    "client_ai_conversations", "client_ai_visits",
]

# Days are those of the gym.
TODAY = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Amsterdam")).date()


def day(days):
    return (TODAY + datetime.timedelta(days=days)).isoformat()


def at(days, clock="09:00"):
    return f"{day(days)}T{clock}:00Z"


def prepare(api, demo):
    mark, me = secrets.token_hex(4), demo["client"]["clientId"]
    coach = api("GET", "/coaches?limit=100&status=active")["coaches"]
    coach = next(one for one in coach if one["role"] == "Coach")["coachId"]
    always = {"weekly": [{"weekday": weekday, "startTime": "00:00", "endTime": "23:59"} for weekday in range(1, 8)]}
    api("PUT", f"/coaches/{coach}/availability", always)
    kind = {"durationMinutes": 30, "coachIds": [coach], "clientsMayBook": True}
    type_id = api("POST", "/event-types", {"name": f"Talk {mark}", **kind})["eventType"]["eventTypeId"]
    asked = api("POST", "/event-types", {"name": f"Consult {mark}", "requiresApproval": True, **kind})["eventType"]["eventTypeId"]
    habit = api("POST", f"/clients/{me}/habits", {"name": f"Stretch {mark}", "kind": "check", "schedule": {"kind": "daily"}})["habit"]["habitId"]
    talk = api("POST", "/conversations", {"conversationType": "direct", "userIds": [me]})
    return {"me": me, "mark": mark, "coach": coach, "type": type_id, "asked": asked, "habit": habit,
            "talk": talk["conversation"]["conversationId"]}


TASKS = [
    Task("Read what there is of me", [
        call("get_client", expect={"client.clientId": "$me"}),
        call("list_subscriptions"),
        call("list_invoices"),
        call("get_credits"),
    ]),
    Task("Nobody else can be looked at", [
        wrong("get_client", "Correct the field", clientId="000000000000000000000000"),
        wrong("get_invoice", "Find the id with a list tool", invoiceId="000000000000000000000000"),
    ]),
    Task("Book a talk with a coach", [
        call("list_coaches", limit=100),
        call("list_event_types", limit=100),
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(3), "to": at(4)}, keep={"token": "slots.0.slotToken"}),
        wrong("create_booking", "Call its preview", slotToken="$token", confirmToken="guessed"),
        confirmed("create_booking", slotToken="$token", says="is booked", keep={"booking": "booking.bookingId"}),
    ], End("/bookings/${booking}", "booking.clientId", "$me")),
    Task("Move it to another time", [
        call("list_bookings", status="booked", limit=100),
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(6), "to": at(7)},
             keep={"token": "slots.0.slotToken", "start": "slots.3.startsAt"}),
        confirmed("create_booking", slotToken="$token", keep={"booking": "booking.bookingId"}),
        confirmed("reschedule_booking", bookingId="$booking", startsAt="$start"),
    ], End("/bookings/${booking}", "booking.startsAt", "$start")),
    Task("Call it off", [
        call("list_slots", eventTypeId="$type", coachId="$coach", **{"from": at(8), "to": at(9)}, keep={"token": "slots.0.slotToken"}),
        confirmed("create_booking", slotToken="$token", keep={"booking": "booking.bookingId"}),
        confirmed("cancel_booking", bookingId="$booking", says="cancelled"),
    ], End("/bookings/${booking}", "booking.status", "cancelled")),
    Task("Ask for a consult, and think better of it", [
        call("list_slots", eventTypeId="$asked", coachId="$coach", **{"from": at(4), "to": at(5)}, keep={"token": "slots.0.slotToken"}),
        confirmed("create_booking", slotToken="$token", says="a coach must approve", keep={"request": "bookingRequest.bookingRequestId"}),
        call("list_booking_requests", status="pending"),
        confirmed("withdraw_booking_request", bookingRequestId="$request"),
    ], End("/booking-requests/${request}", "bookingRequest.status", lambda it: it != "pending")),
    Task("Write down my weight", [
        wrong("record_measurement", "Correct the field", type="weigth", value=70),
        call("list_measurement_types", limit=100),
        call("record_measurement", type="weight", value=70.25, unit="kg", keep={"id": "measurement.measurementId"}),
        call("update_measurement", measurementId="$id", value=70),
    ], End("/clients/${me}/measurements/${id}", "measurement.value", 70)),
    Task("Log breakfast, and take it back", [
        wrong("log_meal", "Correct the field", date=day(0), mealType="brunch", items=[{"name": "Oats", "amount": 60, "unit": "g", "nutrients": {"energyKcal": 233}}]),
        call("log_meal", date=day(0), mealType="breakfast", items=[{"name": "Oats", "amount": 60, "unit": "g", "nutrients": {"energyKcal": 233}}], keep={"log": "nutritionLog.nutritionLogId"}),
        call("get_client_nutrition_day", date=day(0)),
        confirmed("delete_nutrition_log", nutritionLogId="$log"),
    ], End("/clients/${me}/nutrition-logs?from=" + day(0) + "&to=" + day(0), "nutritionLogs", lambda it: all(one["items"][0]["name"] != "Oats" for one in it))),
    Task("Train on my own, set by set", [
        call("list_workout_exercises", search="squat", keep={"exercise": "exercises.0.exerciseId"}),
        call("begin_workout_session", keep={"session": "session.sessionId"}),
        call("set_workout_session_sets", sessionId="$session", exercises=[{"exerciseId": "$exercise", "sets": [{"weight": 40, "reps": 8}]}]),
        call("complete_workout_session", sessionId="$session"),
        call("list_top_exercises"),
    ], End("/workout/clients/${me}/plans/sessions/${session}", "session.status", "completed")),
    Task("See what is next to train, and my records", [
        call("list_client_workout_plans"),
        call("get_client_workout_calendar", **{"from": day(0), "to": day(7)}),
        call("list_personal_records"),
    ]),
    Task("Set a goal of my own, and give it up", [
        wrong("create_goal", "Correct the field", title="Read a book", kind="custom", targetValue=1),
        call("create_goal", title="Read a book", kind="custom", targetValue=1, direction="increase", keep={"goal": "goal.goalId"}),
        call("update_goal", goalId="$goal", status="abandoned"),
    ], End("/clients/${me}/goals/${goal}", "goal.status", "abandoned")),
    Task("Say that a habit was kept today", [
        call("list_habits", limit=100),
        call("put_habit_entry", habitId="$habit", date=day(0), status="done"),
    ], End("/clients/${me}/habits/${habit}/entries", "total", 1)),
    Task("See how I get on, and what waits for me", [
        call("get_progress_summary", **{"from": day(-30), "to": day(0)}),
        call("list_form_assignments"),
        call("list_checkups"),
    ]),
    Task("Write to my coach", [
        call("list_own_conversations"),
        confirmed("send_message", conversationId="$talk", text="See you at ${mark}", says="is sent"),
    ], End("/conversations/${talk}/messages", "messages.0.text", "See you at ${mark}")),
    Task("Look for my documents and visits", [
        call("list_documents"),
        call("list_visits"),
        wrong("get_document", "Find the id with a list tool", documentId="000000000000000000000000"),
    ]),
]
