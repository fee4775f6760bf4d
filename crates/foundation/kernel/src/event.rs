//! The event registry: every event with its group, the scope that reading it requires, and when it is announced.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    problem::{INVALID, Key, refuse},
    rule::Rule,
    scope::{Gate, Scope},
};

macro_rules! scope_of {
    (Nothing) => {
        None
    };
    ($scope:ident) => {
        Some(Scope::$scope)
    };
}

macro_rules! events {
    ($($group:literal { $($name:ident $wire:literal $scope:ident $when:literal)+ })+) => {
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
            /// The scope that reading it requires, with its consent; nothing for events without the company's
            /// records.
            pub const fn scope(self) -> Option<Scope> {
                match self { $($(Self::$name => scope_of!($scope),)+)+ }
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
        SubscriptionTest "subscription.test" Nothing "A test was requested via the test endpoint"
    }
    "Members" {
        ClientCreated "client.created" ClientsRead "A client was created or linked to the company"
        ClientUpdated "client.updated" ClientsRead "Public-safe profile metadata changed"
        ClientArchived "client.archived" ClientsRead "The company-client relationship was archived"
        ClientInvited "client.invited" ClientsRead "A portal invite was sent"
        ClientPortalAccessChanged "client.portal_access.changed" ClientsRead "The portal access status changed"
        ClientRelationshipApproved "client.relationship.approved" ClientsRead "A relationship request was approved"
        ClientRelationshipRejected "client.relationship.rejected" ClientsRead "A relationship request was rejected"
        ClientNoteCreated "client.note.created" ClientNotesRead "A note was created (no title or body)"
        ClientNoteUpdated "client.note.updated" ClientNotesRead "A note was updated (no title or body)"
        ClientNoteDeleted "client.note.deleted" ClientNotesRead "A note was deleted"
    }
    "Conversations" {
        ConversationCreated "conversation.created" ConversationsRead "A conversation was created"
        ConversationUpdated "conversation.updated" ConversationsRead "A conversation's metadata changed"
        ConversationParticipantAdded "conversation.participant.added" ConversationsRead "A participant was added"
        ConversationParticipantRemoved "conversation.participant.removed" ConversationsRead "A participant was removed"
        ConversationMessageCreated "conversation.message.created" ConversationsRead "A message was sent (no text)"
        ConversationMessageUpdated "conversation.message.updated" ConversationsRead "A message was edited (no text)"
        ConversationMessageDeleted "conversation.message.deleted" ConversationsRead "A message was deleted"
    }
    "Bookings and calendar" {
        BookingCreated "booking.created" BookingsRead "A booking was created"
        BookingUpdated "booking.updated" BookingsRead "Attendance, timing or safe metadata changed"
        BookingCancelled "booking.cancelled" BookingsRead "A booking was cancelled after policy handling"
        BookingRequestCreated "booking_request.created" BookingRequestsRead "A booking entered coach approval"
        BookingRequestApproved "booking_request.approved" BookingRequestsRead "A booking request was approved"
        BookingRequestRejected "booking_request.rejected" BookingRequestsRead "A booking request was rejected"
        RecurringBookingChanged "recurring_booking.changed" RecurringBookingsRead "A recurring booking was updated or cancelled"
        CalendarTaskCreated "calendar_task.created" CalendarTasksRead "A calendar task was created"
        CalendarTaskUpdated "calendar_task.updated" CalendarTasksRead "A calendar task was updated"
        CalendarTaskCancelled "calendar_task.cancelled" CalendarTasksRead "A calendar task was cancelled"
    }
    "Finance" {
        InvoiceCreated "invoice.created" FinanceInvoicesRead "An invoice was created"
        InvoiceSent "invoice.sent" FinanceInvoicesRead "An invoice copy was sent"
        InvoiceOverdue "invoice.overdue" FinanceInvoicesRead "A past-due invoice got a payment reminder"
        InvoiceCancelled "invoice.cancelled" FinanceInvoicesRead "Reserved for a native cancellation transition"
        InvoicePaid "invoice.paid" FinanceInvoicesRead "An invoice moved to paid"
        PaymentSucceeded "payment.succeeded" FinancePaymentsRead "A payment reached a successful final state"
        PaymentFailed "payment.failed" FinancePaymentsRead "A payment reached a failed final state"
        PaymentRequestCreated "payment.request.created" FinancePaymentRequestsRead "A payment request was created"
        PaymentRequestCancelled "payment.request.cancelled" FinancePaymentRequestsRead "A payment request was cancelled"
        ChargebackCreated "chargeback.created" FinanceChargebacksRead "A new chargeback was recorded"
        SubscriptionChanged "subscription.changed" FinanceSubscriptionsRead "A membership or subscription materially changed"
        SubscriptionCancelled "subscription.cancelled" FinanceSubscriptionsRead "A membership or subscription was cancelled"
    }
    "Products and credits" {
        ClientProductAssigned "client_product.assigned" FinanceProductsRead "A product was assigned"
        ClientProductRevoked "client_product.revoked" FinanceProductsRead "A product was revoked or cancelled"
        CreditAssigned "credit.assigned" FinanceCreditsRead "Credits were assigned"
        CreditAdjusted "credit.adjusted" FinanceCreditsRead "A credit balance was adjusted"
        CreditRevoked "credit.revoked" FinanceCreditsRead "Credits were revoked or expired"
        MembershipAssigned "membership.assigned" FinanceSubscriptionsRead "A membership was assigned"
    }
    "Forms" {
        FormAssigned "form.assigned" FormsRead "A form was assigned"
        FormSubmitted "form.submitted" FormsRead "A form was submitted (no answers or media)"
        IntakeSubmitted "intake.submitted" IntakesRead "An intake was submitted (no answers or media)"
        CheckupSubmitted "checkup.submitted" CheckupsRead "A check-up was submitted (no answers or media)"
        CheckupAssigned "checkup.assigned" CheckupsRead "A check-up form was assigned"
    }
    "Progress" {
        MeasurementCreated "measurement.created" MeasurementsRead "A measurement entry was created (no value)"
        MeasurementUpdated "measurement.updated" MeasurementsRead "A measurement entry was updated (no value)"
        ProgressPhotoCreated "progress_photo.created" ProgressPhotosRead "A progress photo was added (no URLs)"
        GoalUpdated "goal.updated" GoalsRead "A goal was updated"
        HabitEntryCreated "habit_entry.created" HabitsRead "A habit entry was created (no notes or values)"
    }
    "Documents" {
        DocumentLinked "document.linked" DocumentsRead "Document metadata was linked to a client (no URLs)"
        DocumentUpdated "document.updated" DocumentsRead "Document metadata was updated"
        DocumentArchived "document.archived" DocumentsRead "Document metadata was archived"
    }
}

impl Event {
    /// The event with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// Whether it is about a client's health, for which companies may require the client's consent.
    pub fn is_about_health(self) -> bool {
        self.scope().is_some_and(|scope| scope.gate() == Gate::HealthData)
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
        Self::parse(&name)
            .ok_or_else(|| refuse::<D::Error>(Key::InvalidEnum, Rule::UnknownEventName))
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
