//! The groups of operations, and what a reader should know before the first of each.

/// The description of a group, in Markdown; `None` for a name that the table does not have.
pub(super) fn description(tag: &str) -> Option<&'static str> {
    TAGS.iter().find(|(name, _)| *name == tag).map(|(_, text)| *text)
}

const TAGS: &[(&str, &str)] = &[
    (
        "Authentication",
        "Access tokens for API clients: OAuth 2.0 client credentials. A token is valid for an hour and carries \
        the company, so no request names one.",
    ),
    (
        "Signing in",
        "Sessions of coaches and clients: passwords, the second step of sign-in, invitations, file uploads and live \
        updates. An access token is valid for an hour; a refresh token renews it once.",
    ),
    (
        "Platform",
        "An integration's own record, the features that the company has enabled, scopes and events. \
        Start here to check credentials.",
    ),
    (
        "Audit logs",
        "Entries of who changed which record, and when. Every write adds one with the names of changed fields, \
        never their values.",
    ),
    (
        "Company catalogue",
        "The company's profile, facilities, services and policies. \
        Integrations read it; managers edit it.",
    ),
    ("Company", "Settings, features and erasure: what managers decide for the whole company."),
    (
        "Coaches",
        "The people who work for a company. A coach has the role Coach, Manager or Admin; roles decide what they may \
        do in the application API.",
    ),
    (
        "Public site",
        "What strangers see of a company and how they sign up, without a token; the site's settings, for staff. The \
        address in a path names the company.",
    ),
    (
        "Test environment",
        "A copy of the company's setup in which nothing is real, which managers create and delete, and its clock, which \
        can be advanced.",
    ),
    (
        "Locations",
        "Locations of a company, physical or online, with opening hours and access zones.",
    ),
    (
        "Clients",
        "The people a company coaches. `relationshipStatus` describes the relationship with the company, \
        `memberStatus` the client's membership, `portalAccessStatus` their account. Archived clients keep their records.",
    ),
    (
        "Client custom fields",
        "Fields that a company adds to its clients' profiles: definitions here, values with each client.",
    ),
    (
        "Client timeline",
        "The steps of a client's relationship with the company: created, invited, approved, archived, \
        restored.",
    ),
    ("Client notes", "Notes about a client by coaches and integrations. Clients do not see them."),
    ("API clients", "Credentials of integrations: their scopes, consents and secrets."),
    (
        "Availability",
        "When coaches work, when locations can be used, closures, and the slots that follow from all three. \
        A slot carries a token that books it within ten minutes.",
    ),
    (
        "Event types",
        "Kinds of appointments and classes, with duration, seats, credits and rules; and templates for classes.",
    ),
    (
        "Calendar",
        "Events that take place, series of classes, and coaches' tasks. Appointments are created by booking them, \
        classes by coaches.",
    ),
    (
        "Bookings",
        "A client's seat at an event or position on its waitlist. A booking keeps the cancellation policy it was \
        made under. Booking holds credits; late cancellations and no-shows may cost a fee.",
    ),
    (
        "Recurring bookings",
        "A client's bookings by a recurrence. Changes apply to one occurrence, to one and all following, or \
        to all to come.",
    ),
    (
        "Calendar feeds",
        "Private addresses at which calendar programs read a coach's, a client's or a location's calendar \
        (iCalendar, RFC 5545).",
    ),
    (
        "Booking requests",
        "Bookings that need a coach's approval. A pending request holds its slot until it expires.",
    ),
    (
        "Conversations",
        "Messages between coaches and clients. Integrations need the private-communication consent to read \
        content and names.",
    ),
    (
        "Products",
        "Memberships, passes, credit packs and other products that a company sells. Prices include VAT.",
    ),
    (
        "Invoices",
        "Invoices and the credit notes that correct them. An issued invoice never changes. Each has a PDF/A-3 with the \
        electronic invoice of EN 16931 inside.",
    ),
    (
        "Payments",
        "Money that was received or requested: payments, refunds, payment requests, payment methods and \
        chargebacks. Amounts are in minor units.",
    ),
    (
        "Sales",
        "Products sold to clients on the terms of that day. Preview a sale to see its invoices and credits.",
    ),
    (
        "Subscriptions",
        "Clients' memberships: renewals, pauses and cancellations. Requests take effect at once or after a \
        manager's approval, as the company decides.",
    ),
    (
        "Credits",
        "Credits pay for bookings. They are granted by sales, held by bookings, consumed by attendance and \
        expire on their date; every change is an entry.",
    ),
    ("Access rules", "Where and when a product admits a client at doors."),
    (
        "Assistants",
        "AI assistants that act for coaches and clients over MCP: grants, keys and the company's policy.",
    ),
    (
        "Webhooks",
        "Subscriptions to events, and the record of their deliveries. Deliveries are signed, retried with increasing \
        pauses, and can be sent again.",
    ),
    (
        "Workout libraries",
        "Exercises and equipment: the starter library, which cannot be changed, and a company's own.",
    ),
    (
        "Workout programmes",
        "Plan templates with weeks, days, exercises and sets. A template is a draft until it is published.",
    ),
    (
        "Workout plans of clients",
        "Copies of templates that were assigned to clients, and the calendar of what is due.",
    ),
    (
        "Workout sessions",
        "Workouts as they were done: started, logged, completed. Completed sessions count for records and \
        volume.",
    ),
    (
        "Workout progress",
        "Exercise history, personal records and training volume of completed sessions.",
    ),
    ("Workout groups", "Groups of clients that share a plan; each member trains by a copy."),
    ("Workout settings", "The company's weight unit and defaults for plans."),
    (
        "Measurements",
        "Measurements of clients by type. Values are returned in metric units unless `units` says \
        otherwise. Reading and writing require health-data consent.",
    ),
    (
        "Progress photos",
        "Pictures of a client's progress. They need health-data consent and are served at short-lived URLs.",
    ),
    (
        "Progress summaries",
        "Measurements, habits, goals and activity of a client over a range of dates.",
    ),
    (
        "Habits",
        "Habits of clients and their entries by date. Streaks count dates in a row on which a habit was kept.",
    ),
    (
        "Nutrition",
        "Meals and nutrition targets of a client. Integrations do not have access to them.",
    ),
    ("Goals", "Goals of clients: by measurements, a habit, workouts, or manual progress."),
    (
        "Forms",
        "Forms with versions, their assignment to clients, and submissions. A published version never changes.",
    ),
    ("Intakes", "Forms that new clients answer once. Submissions need health-data consent."),
    (
        "Check-ups",
        "Forms that clients answer regularly. A series assigns the same form again by its recurrence.",
    ),
    (
        "Documents",
        "Contracts, waivers, reports and other documents, as files or links, in folders.",
    ),
    (
        "Imports",
        "Files of clients and memberships from other programs: checked row by row before anything is created, run \
        once, undone as a whole.",
    ),
    (
        "Reports",
        "Attendance, revenue and retention by day, week or month. Every rate comes with its numerator and \
        denominator; CSV with `Accept: text/csv`.",
    ),
    (
        "Access devices",
        "Doors, gates and turnstiles. Devices authenticate with their own key, ask before they open, and work \
        from an allow-list without a network.",
    ),
    ("Access credentials", "Cards, PINs, phones and QR codes that clients show at doors."),
    (
        "Access log",
        "Scans and visits: who entered where and when, kept as long as the operator sets.",
    ),
    (
        "Mail",
        "Messages that were mailed to coaches and clients, and their delivery. Contents are not stored.",
    ),
    ("Push notifications", "Browsers of clients that show what they are written of, by web push."),
    ("Webhook events", "The payloads that subscriptions receive, one per event."),
];
