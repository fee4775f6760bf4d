//! Lists of big records: a model is shown of each what it is chosen by, and asks for the rest of the one that it means.
//! Of a hundred clients nobody needs every address.

use serde_json::Value;

/// What is shown of the records of a list.
#[derive(Clone, Copy)]
pub(super) struct Brief {
    tool: &'static str,
    /// The name of the list in the answer.
    list: &'static str,
    fields: &'static [&'static str],
}

/// The lists whose records are big, in the order of their tools.
const BRIEFS: &[Brief] = &[
    Brief {
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
    Brief {
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
    Brief {
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
    Brief {
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
    Brief {
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

/// What is shown of the records of a tool's list; nothing where all is.
pub(super) fn of(tool: &str) -> Option<Brief> {
    BRIEFS.iter().copied().find(|brief| brief.tool == tool)
}

impl Brief {
    /// Leaves of each record what is shown.
    pub(super) fn cut(self, answer: &mut Value) {
        for record in answer[self.list].as_array_mut().into_iter().flatten() {
            self.summarize(record);
        }
    }

    /// The same of the schema of such an answer, whose definitions stand beside it.
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
