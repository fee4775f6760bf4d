//! The meaning of a field whose name says the same thing everywhere, told where the field itself
//! has no description.

use serde_json::Value;

/// Describes every field and parameter that has no description of its own.
pub(super) fn fill(document: &mut Value) {
    match document {
        Value::Object(object) => {
            if let Some(Value::Object(fields)) = object.get_mut("properties") {
                fields.iter_mut().for_each(|(name, field)| describe(name, field));
            }
            if let (Some(Value::String(name)), true) =
                (object.get("name"), object.contains_key("in"))
            {
                let name = name.clone();
                describe(&name, document);
            }
            let parts = document.as_object_mut().into_iter().flatten();
            parts.filter(|(name, _)| !is_no_schema(name)).for_each(|(_, part)| fill(part));
        }
        Value::Array(items) => items.iter_mut().for_each(fill),
        _ => {}
    }
}

/// What holds values, or conditions on fields that are described beside them.
fn is_no_schema(name: &str) -> bool {
    matches!(name, "example" | "examples" | "enum" | "const" | "default" | "if" | "then" | "else")
}

fn describe(name: &str, field: &mut Value) {
    let Value::Object(field) = field else { return };
    // The schema that a reference leads to has a description.
    if field.contains_key("description") || field.contains_key("$ref") {
        return;
    }
    if let Some(text) = meaning(name) {
        field.insert("description".into(), text.into());
    }
}

fn meaning(name: &str) -> Option<&'static str> {
    let at = MEANINGS.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(MEANINGS[at].1)
}

/// By name.
const MEANINGS: &[(&str, &str)] = &[
    ("_id", "The record's id."),
    ("accessTokenSeconds", "How long an access token lives, in seconds."),
    ("accessZones", "Names of the zones that access devices guard."),
    ("access_token", "The token, for `Authorization: Bearer`."),
    ("achievedAt", "When it was achieved."),
    ("action", "What was done."),
    ("actorId", "Who did it; `null` where nobody is known."),
    ("addedAt", "When the client joined the group."),
    ("aliases", "Other names under which it is found."),
    ("archiveReason", "Why it was archived."),
    ("archived", "Whether archived records are listed instead of those in use."),
    ("archivedAt", "When it was archived; `null` while it is in use."),
    ("assignedCoachId", "The coach who is responsible for the client."),
    ("at", "When it happened."),
    ("attachment", "The file that it carries; `null` where it carries none."),
    ("auditLogId", "The audit log's id."),
    ("auditLogs", "Who did what, newest first."),
    ("authorId", "The coach who wrote it; `null` where an integration did."),
    ("backoffCapSeconds", "The longest wait between two attempts, in seconds."),
    ("body", "The text."),
    ("category", "The kind of thing that it is, for sorting and filtering."),
    ("changedAt", "When it was last changed."),
    ("changedFields", "The names of the fields that changed, without their values."),
    ("changes", "What changed, field by field."),
    ("clientAdjustment", "How the client moved this day; `null` where nothing was moved."),
    ("clientAi", "Whether AI assistants may connect for clients."),
    ("clientId", "The client's id."),
    ("clients", "The clients, newest first."),
    ("coachId", "The coach's id."),
    ("coaches", "The coaches, newest first."),
    ("code", "The code."),
    ("companyId", "The company's id."),
    ("completedAt", "When it was completed; `null` until then."),
    ("conversationId", "The conversation's id."),
    ("conversationType", "Whether two people or a group talk."),
    ("conversations", "The conversations."),
    ("country", "ISO 3166-1 alpha-2 code."),
    ("createdAt", "When it was created."),
    ("createdBy", "Who made it; `null` where it was the operator."),
    ("currency", "ISO 4217 code."),
    ("customFields", "The company's own fields."),
    ("data", "What was asked for."),
    ("dateOfBirth", "Date of birth."),
    ("dayCount", "How many days the plan has."),
    ("dayName", "The day's name in the plan."),
    ("dayOrder", "The day's place in the plan, from 1."),
    ("days", "The days, in their order."),
    ("defaultAssignedCoachId", "The coach of new clients for whom none is named."),
    ("defaultReleasePolicy", "How plans are released where nothing else is said."),
    ("defaultRestSeconds", "Rest between sets where nothing else is said, in seconds."),
    ("deliveries", "The deliveries, newest first."),
    ("description", "What it is, in the company's words."),
    ("difficulty", "How hard it is."),
    ("durationMinutes", "How long it takes, in minutes."),
    ("email", "E-mail address."),
    ("emojiRating", "How it felt."),
    ("endDate", "The last day; `null` where there is no end."),
    ("equipment", "The equipment."),
    ("error", "What went wrong."),
    ("error_description", "What went wrong, for humans."),
    ("eventId", "The id of the event that is told."),
    ("events", "The events."),
    ("exerciseId", "The exercise's id."),
    ("exercises", "The exercises."),
    ("expires_in", "How long the token lives, in seconds."),
    ("externalId", "The client's id in another system, unique within the company."),
    ("facilities", "The facilities."),
    ("facilityId", "The facility's id."),
    ("family", "The family of equipment that it belongs to."),
    ("fieldId", "The custom field's id."),
    ("fileName", "What the file is called."),
    ("firstName", "First name."),
    ("from", "The first day."),
    ("gender", "Gender."),
    ("goal", "What the plan is for."),
    ("grantId", "The grant's id."),
    ("grant_type", "The only grant that integrations use."),
    ("grants", "What people have allowed assistants, newest first."),
    ("group", "The heading that it stands under."),
    ("groupId", "The group's id."),
    ("groups", "The groups."),
    ("hasEndDate", "Whether there is a last day."),
    ("history", "Each time the exercise was done, newest first."),
    ("homeLocationId", "The location where the client usually trains."),
    ("id", "The record's id."),
    ("idempotency", "Whether this answer was given before."),
    ("idempotencyKeyMaxLength", "The longest Idempotency-Key, in characters."),
    ("idempotencyRetentionSeconds", "How long a stored answer is kept at least, in seconds."),
    ("instructions", "How it is done."),
    ("intensity", "How intense it is."),
    ("isRestDay", "Whether nothing is planned on this day."),
    ("item", "The entry; `null` where there is none any more."),
    ("itemId", "The custom item's id."),
    ("items", "The entries."),
    ("joinedAt", "When they joined."),
    ("key", "The name that programs use."),
    ("keyId", "The key's id."),
    ("keys", "The keys, newest first."),
    ("label", "The name that people read."),
    ("language", "BCP 47 language tag."),
    ("last4", "The last four characters."),
    ("lastAttempt", "The latest attempt; `null` before the first."),
    ("lastDeliveryAt", "When something was last sent to it; `null` before the first time."),
    ("lastFailureAt", "When a delivery last failed; `null` while none has."),
    ("lastMessage", "The latest message; `null` before the first."),
    ("lastMessageAt", "When the latest message was sent; `null` before the first."),
    ("lastName", "Last name."),
    ("lastPerformedAt", "When it was last done."),
    ("lastSuccessAt", "When a delivery last succeeded; `null` while none has."),
    ("layout", "Whether days follow each other or are tied to weekdays."),
    ("limit", "The most there may be."),
    ("locationId", "The location's id."),
    ("locations", "The locations, newest first."),
    ("mail", "The messages, newest first."),
    ("maxAttempts", "How often a delivery is tried."),
    ("mcp", "Whether AI assistants may connect for coaches."),
    ("mediaType", "What the file is."),
    ("memberStatus", "Where the client stands as a member."),
    ("members", "The members."),
    ("messageCount", "How many messages there are."),
    ("messageId", "The message's id."),
    ("messages", "The messages."),
    ("meta", "What the answer says of the request."),
    ("modality", "The kind of training that it serves."),
    ("mode", "Whether it repeats or runs for a number of weeks."),
    ("moments", "The days of the plan, in their order."),
    ("moveId", "The move's id."),
    ("movementTags", "The movements that it serves."),
    ("muscle", "The muscle."),
    ("name", "The name."),
    ("noteId", "The note's id."),
    ("notes", "Notes, in free text."),
    ("occurredAt", "When it happened."),
    ("occurrenceDate", "The day on which it was planned."),
    ("openingHours", "When it is open, in the location's time zone."),
    ("options", "What can be chosen."),
    ("page", "The page, from 1."),
    ("pageSizeDefault", "Items on a page where `limit` is absent."),
    ("pageSizeMax", "The most items on a page."),
    ("pagination", "Which page this is, and how many there are."),
    ("participantCount", "How many people take part."),
    ("personalRecords", "The best the client has done, by exercise."),
    ("phone", "Telephone number."),
    ("planId", "The plan's id."),
    ("planIds", "The ids of the plans that were made, by client."),
    ("planMomentId", "The id of the day in the plan."),
    ("planName", "The plan's name."),
    ("plannedDate", "The day on which the plan has it; `null` before the plan has a start."),
    ("plannedDurationMinutes", "How long it is planned to take, in minutes."),
    ("plans", "The plans, newest first."),
    ("portalAccessStatus", "Whether the client can sign in."),
    ("primaryMuscles", "The muscles that do most of the work."),
    ("privacyUrl", "The address of the privacy statement."),
    ("productId", "The product's id."),
    ("productIds", "The ids of the products, in their order."),
    ("productType", "The kind of product."),
    ("products", "The products."),
    ("programmeCalendar", "Whether programmes are laid out on a calendar."),
    ("publicApi", "Whether integrations are let in."),
    ("publishedAt", "When it was published; `null` until then."),
    ("purpose", "What it allows."),
    ("rating", "From 1 (worst) to 10 (best)."),
    ("reason", "Why."),
    ("records", "The records of the exercise."),
    ("relationshipStatus", "Where the company and the client stand with each other."),
    ("releasePolicy", "Whether the client sees all weeks at once or week by week."),
    ("remaining", "How many requests are left in this window."),
    ("requestBodyMaxBytes", "The longest body, in bytes."),
    ("requestId", "The request's id, which the logs name too."),
    ("resetSeconds", "Seconds until the window ends."),
    ("resistanceType", "What makes it heavy."),
    ("role", "What they are."),
    ("rotatedAt", "When it was last renewed; `null` while it has not been."),
    ("scheduleUnit", "The unit of the schedule."),
    (
        "scheduledDate",
        "The day on which it stands in the calendar; `null` before the plan has a start.",
    ),
    ("scope", "Space-separated scope names."),
    ("scopes", "The scopes."),
    ("secondaryMuscles", "The muscles that help."),
    ("seenAt", "When they last looked; `null` before the first time."),
    ("seenMessageId", "The latest message that they have seen; `null` before the first."),
    ("sentAt", "When it was sent."),
    ("serviceId", "The service's id."),
    ("services", "The services."),
    ("session", "The session."),
    ("sessionId", "The session's id."),
    ("sessions", "The sessions, newest first."),
    ("setCount", "How many sets."),
    ("sets", "The sets, in their order."),
    ("shelf", "The shelf on which products stand together."),
    ("source", "Where it came from."),
    ("startDate", "The first day; `null` before there is one."),
    ("startTime", "Wall-clock time of the start."),
    ("startedAt", "When it was started."),
    ("status", "Where it stands."),
    ("stepId", "The step's id."),
    ("steps", "The steps, newest first."),
    ("subscriptionId", "The subscription's id."),
    ("subscriptions", "The subscriptions, newest first."),
    ("tag", "The tag."),
    ("tags", "The tags."),
    ("targetId", "The id of what was acted on; `null` where it is the company."),
    ("targetType", "The kind of record that was acted on; `null` where it is the company."),
    ("templateId", "The template's id."),
    ("templates", "The templates, newest first."),
    ("termsUrl", "The address of the terms."),
    ("test", "What became of the test event."),
    ("text", "What is said."),
    ("threads", "The conversations, the latest message first."),
    ("thumbnail", "The address of a small picture."),
    ("timeZone", "IANA time zone."),
    ("title", "The heading."),
    ("to", "The last day."),
    ("token_type", "How the token is sent."),
    ("topExercises", "What the client does most."),
    ("totalDays", "How many days it has."),
    ("totalExercises", "How many exercises it has."),
    ("totalItems", "How many items there are on all pages."),
    ("totalPages", "How many pages there are."),
    ("totalReps", "How many repetitions in all."),
    ("totalWeeks", "How many weeks it runs."),
    ("trackingType", "What is counted."),
    ("type", "The kind."),
    ("unilateral", "Whether each side is trained on its own."),
    ("unit", "The unit."),
    ("unreadConversations", "How many conversations have something new."),
    ("unreadCount", "How many messages are new."),
    ("unreadMessages", "How many messages are new in all conversations."),
    ("updatedAt", "When it was last changed."),
    ("upload", "The file."),
    ("url", "The address."),
    ("usageContexts", "Where it is found."),
    ("userId", "The coach's or client's id."),
    ("values", "The client's values of the company's own fields."),
    ("videoUrl", "The address of a video."),
    ("visibility", "In which app people see it."),
    ("website", "The address of the website."),
    ("weekNumber", "The week, from 1."),
    (
        "weekday",
        "ISO weekday, 1 = Monday to 7 = Sunday; `null` where days are not tied to weekdays.",
    ),
    ("weightUnit", "The unit of weights."),
    ("workout", "Whether the workout module is switched on."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_meanings_are_sentences() {
        assert!(MEANINGS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(MEANINGS.iter().all(|(_, text)| text.ends_with('.')));
    }
}
