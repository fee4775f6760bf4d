//! The event registry: everything that webhooks can tell, its group, and when it is told.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::problem::{INVALID, Key, refuse};

macro_rules! events {
    ($($group:literal { $($name:ident $wire:literal $when:literal)+ })+) => {
        /// Something that happened in a company and that its integrations may hear of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Event { $($(#[doc = $when] $name,)+)+ }

        impl Event {
            /// Every event, in the order of the registry.
            pub const ALL: &[Self] = &[$($(Self::$name),+),+];
            /// The event's name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$name => $wire,)+)+ }
            }
            /// The group that the registry puts it in.
            pub const fn group(self) -> &'static str {
                match self { $($(Self::$name => $group,)+)+ }
            }
            /// When it is sent.
            pub const fn when(self) -> &'static str {
                match self { $($(Self::$name => $when,)+)+ }
            }
        }
    };
}

events! {
    "System" {
        SubscriptionTest "subscription.test" "A test was requested via the test endpoint"
    }
    "Members" {
        ClientCreated "client.created" "A client was created or linked to the company"
        ClientUpdated "client.updated" "Public-safe profile metadata changed"
        ClientArchived "client.archived" "The company-client relationship was archived"
        ClientInvited "client.invited" "A portal invite was sent"
        ClientPortalAccessChanged "client.portal_access.changed" "The portal access status changed"
        ClientRelationshipApproved "client.relationship.approved" "A relationship request was approved"
        ClientRelationshipRejected "client.relationship.rejected" "A relationship request was rejected"
        ClientNoteCreated "client.note.created" "A note was created (no title or body)"
        ClientNoteUpdated "client.note.updated" "A note was updated (no title or body)"
        ClientNoteDeleted "client.note.deleted" "A note was deleted"
    }
    "Conversations" {
        ConversationCreated "conversation.created" "A conversation was created"
        ConversationUpdated "conversation.updated" "A conversation's metadata changed"
        ConversationParticipantAdded "conversation.participant.added" "A participant was added"
        ConversationParticipantRemoved "conversation.participant.removed" "A participant was removed"
        ConversationMessageCreated "conversation.message.created" "A message was sent (no text)"
        ConversationMessageUpdated "conversation.message.updated" "A message was edited (no text)"
        ConversationMessageDeleted "conversation.message.deleted" "A message was deleted"
    }
    "Bookings and calendar" {
        BookingCreated "booking.created" "A booking was created"
        BookingUpdated "booking.updated" "Attendance, timing or safe metadata changed"
        BookingCancelled "booking.cancelled" "A booking was cancelled after policy handling"
        BookingRequestCreated "booking_request.created" "A booking entered coach approval"
        BookingRequestApproved "booking_request.approved" "A booking request was approved"
        BookingRequestRejected "booking_request.rejected" "A booking request was rejected"
        RecurringBookingChanged "recurring_booking.changed" "A recurring booking was updated or cancelled"
        CalendarTaskCreated "calendar_task.created" "A calendar task was created"
        CalendarTaskUpdated "calendar_task.updated" "A calendar task was updated"
        CalendarTaskCancelled "calendar_task.cancelled" "A calendar task was cancelled"
    }
    "Finance" {
        InvoiceCreated "invoice.created" "An invoice was created"
        InvoiceSent "invoice.sent" "An invoice copy was sent"
        InvoiceOverdue "invoice.overdue" "A past-due invoice got a payment reminder"
        InvoiceCancelled "invoice.cancelled" "Reserved for a native cancellation transition"
        InvoicePaid "invoice.paid" "An invoice moved to paid"
        PaymentSucceeded "payment.succeeded" "A payment reached a successful final state"
        PaymentFailed "payment.failed" "A payment reached a failed final state"
        PaymentRequestCreated "payment.request.created" "A payment request was created"
        PaymentRequestCancelled "payment.request.cancelled" "A payment request was cancelled"
        ChargebackCreated "chargeback.created" "A new chargeback was recorded"
        SubscriptionChanged "subscription.changed" "A membership or subscription materially changed"
        SubscriptionCancelled "subscription.cancelled" "A membership or subscription was cancelled"
    }
    "Products and credits" {
        ClientProductAssigned "client_product.assigned" "A product was assigned"
        ClientProductRevoked "client_product.revoked" "A product was revoked or cancelled"
        CreditAssigned "credit.assigned" "Credits were assigned"
        CreditAdjusted "credit.adjusted" "A credit balance was adjusted"
        CreditRevoked "credit.revoked" "Credits were revoked or expired"
        MembershipAssigned "membership.assigned" "A membership was assigned"
    }
    "Forms" {
        FormAssigned "form.assigned" "A form was assigned"
        FormSubmitted "form.submitted" "A form was submitted (no answers or media)"
        IntakeSubmitted "intake.submitted" "An intake was submitted (no answers or media)"
        CheckupSubmitted "checkup.submitted" "A check-up was submitted (no answers or media)"
        CheckupAssigned "checkup.assigned" "A check-up form was assigned"
    }
    "Progress" {
        MeasurementCreated "measurement.created" "A measurement entry was created (no value)"
        MeasurementUpdated "measurement.updated" "A measurement entry was updated (no value)"
        ProgressPhotoCreated "progress_photo.created" "A progress photo was added (no URLs)"
        GoalUpdated "goal.updated" "A goal was updated"
        HabitEntryCreated "habit_entry.created" "A habit entry was created (no notes or values)"
    }
    "Documents" {
        DocumentLinked "document.linked" "Document metadata was linked to a client (no URLs)"
        DocumentUpdated "document.updated" "Document metadata was updated"
        DocumentArchived "document.archived" "Document metadata was archived"
    }
}

impl Event {
    /// The event with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| {
            refuse::<D::Error>(Key::InvalidEnum, "must be an event of GET /platform/events")
        })
    }
}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Self::ALL.iter().map(|event| event.name()).collect();
        json_schema!({"type": "string", "enum": names, "description": "The name of an event.",
            INVALID: Key::InvalidEnum.wire()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_whole() {
        assert_eq!(Event::ALL.len(), 59);
        for event in Event::ALL {
            assert_eq!(Event::parse(event.name()), Some(*event));
        }
    }
}
