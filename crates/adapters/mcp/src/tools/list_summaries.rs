//! Lists of large records: a model gets the fields that it needs to choose one, and requests the rest of that record.
//! Nobody needs every address of a hundred clients.

use serde_json::Value;

/// The fields that a list shows of its records.
#[derive(Clone, Copy)]
pub(super) struct BriefRecord {
    tool: &'static str,
    /// The name of the list in the answer.
    list: &'static str,
    fields: &'static [&'static str],
}

/// Lists with large records, in the order of their tools.
const BRIEFS: &[BriefRecord] = &[
    BriefRecord {
        tool: "list_bookings",
        list: "bookings",
        fields: &[
            "bookingId",
            "clientId",
            "calendarEventId",
            "coachId",
            "locationId",
            "name",
            "startsAt",
            "localStartsAt",
            "endsAt",
            "status",
            "attendanceStatus",
            "waitlistPosition",
            "recurringBookingId",
        ],
    },
    BriefRecord {
        tool: "list_clients",
        list: "clients",
        fields: &[
            "clientId",
            "firstName",
            "lastName",
            "memberStatus",
            "relationshipStatus",
            "assignedCoachId",
            "tags",
        ],
    },
    BriefRecord {
        tool: "list_invoices",
        list: "invoices",
        fields: &[
            "invoiceId",
            "number",
            "kind",
            "status",
            "clientId",
            "currency",
            "issueDate",
            "dueDate",
            "grossTotal",
            "balance",
        ],
    },
    BriefRecord {
        tool: "list_slots",
        list: "slots",
        fields: &[
            "calendarEventId",
            "coachId",
            "locationId",
            "startsAt",
            "localStartsAt",
            "capacityLeft",
            "bookable",
            "reasons",
            "slotToken",
        ],
    },
    BriefRecord {
        tool: "list_subscriptions",
        list: "subscriptions",
        fields: &[
            "subscriptionId",
            "clientId",
            "name",
            "status",
            "price",
            "currency",
            "period",
            "nextBillingDate",
            "endDate",
        ],
    },
];

/// The shown fields of a tool's list; `None` where all are shown.
pub(super) fn of(tool: &str) -> Option<BriefRecord> {
    BRIEFS.iter().copied().find(|brief| brief.tool == tool)
}

impl BriefRecord {
    /// Removes the other fields of each record.
    pub(super) fn cut(self, answer: &mut Value) {
        for record in answer[self.list].as_array_mut().into_iter().flatten() {
            self.summarize(record);
        }
    }

    /// The same for the schema of the answer, whose definitions are beside it.
    pub(super) fn cut_schema(self, schema: &mut Value, definitions: &mut Value) {
        let items = &mut schema["properties"][self.list]["items"];
        let named = items["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
        match named.map(str::to_owned) {
            Some(name) => self.summarize(&mut definitions[name.as_str()]["properties"]),
            None => self.summarize(&mut items["properties"]),
        }
    }

    fn summarize(self, record: &mut Value) {
        if let Some(record) = record.as_object_mut() {
            record.retain(|name, _| self.fields.contains(&name.as_str()));
        }
    }
}
