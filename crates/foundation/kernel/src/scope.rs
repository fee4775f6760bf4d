//! The scope catalogue: every permission an API client can be given, with its purpose and the
//! consent that gates it.

use std::{borrow::Cow, collections::BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    problem::{INVALID, Key, refuse},
    rule::Rule,
};

/// The consent that a scope needs of the API client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Gate {
    /// No consent is needed.
    None,
    /// The health-data consent.
    HealthData,
    /// The private-communication consent.
    PrivateCommunication,
}

impl Gate {
    /// What creating or widening an API client answers when the consent is missing.
    pub const fn at_creation(self) -> Key {
        match self {
            Self::PrivateCommunication => Key::PrivateCommunicationConsentRequired,
            Self::HealthData | Self::None => Key::HealthConsentRequired,
        }
    }

    /// What a request answers when the consent is missing.
    pub const fn at_use(self) -> Key {
        match self {
            Self::PrivateCommunication => Key::ScopesPrivateCommunicationConsentRequired,
            Self::HealthData | Self::None => Key::ScopesHealthConsentRequired,
        }
    }
}

macro_rules! scopes {
    ($($name:ident $wire:literal $gate:ident $purpose:literal)+) => {
        /// A permission of the Public API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope { $(#[doc = $purpose] $name),+ }

        impl Scope {
            /// Every scope, in the order of the contract.
            pub const ALL: &[Self] = &[$(Self::$name),+];
            /// The scope's name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $wire),+ }
            }
            /// The consent that gates it.
            pub const fn gate(self) -> Gate {
                match self { $(Self::$name => Gate::$gate),+ }
            }
            /// Purpose.
            pub const fn purpose(self) -> &'static str {
                match self { $(Self::$name => $purpose),+ }
            }
        }
    };
}

scopes! {
    PlatformRead "platform:read" None "Client profile, capabilities, scope catalogue"
    AuditLogsRead "audit_logs:read" None "Redacted audit logs"
    CompanyCatalogRead "company_catalog:read" None "Company profile, facilities, services, policies"
    LocationsRead "locations:read" None "Read locations"
    LocationsWrite "locations:write" None "Create, update and archive locations"
    ClientsRead "clients:read" None "Read CRM clients and tags"
    ClientsWrite "clients:write" None "Create, update, archive and assign clients"
    ClientOnboardingWrite "client_onboarding:write" None "Portal invites; approve or reject pending relationships"
    ClientCustomFieldsRead "client_custom_fields:read" None "Read custom field definitions and values"
    ClientCustomFieldsWrite "client_custom_fields:write" None "Change custom field definitions and values"
    ClientTimelineRead "client_timeline:read" None "Lifecycle timeline"
    ClientNotesRead "client_notes:read" None "Read notes"
    ClientNotesWrite "client_notes:write" None "Write notes"
    CoachesRead "coaches:read" None "Coaches"
    CoachAvailabilityRead "coach_availability:read" None "Read coach availability templates"
    CoachAvailabilityWrite "coach_availability:write" None "Change coach availability templates"
    ConversationsRead "conversations:read" PrivateCommunication "Conversations and their messages"
    MessagesRead "messages:read" PrivateCommunication "Sanitized chat threads and messages"
    CalendarEventsRead "calendar_events:read" None "Calendar events"
    EventTypesRead "event_types:read" None "Read event types"
    EventTypesWrite "event_types:write" None "Change event types"
    EventTemplatesRead "event_templates:read" None "Read event templates"
    EventTemplatesWrite "event_templates:write" None "Change event templates"
    RecurringBookingsRead "recurring_bookings:read" None "Read recurring booking chains"
    RecurringBookingsWrite "recurring_bookings:write" None "Change recurring booking chains"
    CalendarTasksRead "calendar_tasks:read" None "Read blocking calendar tasks"
    CalendarTasksWrite "calendar_tasks:write" None "Change blocking calendar tasks"
    BookingRequestsRead "booking_requests:read" None "Read booking requests"
    BookingRequestsWrite "booking_requests:write" None "Approve or reject booking requests"
    LocationAvailabilityRead "location_availability:read" None "Read location availability templates"
    LocationAvailabilityWrite "location_availability:write" None "Change location availability templates"
    AvailabilityRulesRead "availability_rules:read" None "Read closure metadata"
    AvailabilityRulesWrite "availability_rules:write" None "Change closure metadata"
    AvailabilityRead "availability:read" None "Bookable slots and short-lived tokens"
    BookingsRead "bookings:read" None "Read bookings"
    BookingsWrite "bookings:write" None "Create and change bookings"
    FinanceInvoicesRead "finance_invoices:read" None "Invoices and line items"
    FinanceInvoicePdfsRead "finance_invoice_pdfs:read" None "Invoice PDF download metadata"
    FinancePaymentsRead "finance_payments:read" None "Payments and transactions"
    FinancePaymentRequestsRead "finance_payment_requests:read" None "Read payment requests"
    FinancePaymentRequestsWrite "finance_payment_requests:write" None "Create and cancel payment requests"
    FinanceChargebacksRead "finance_chargebacks:read" None "Chargebacks"
    FinancePaymentMethodsRead "finance_payment_methods:read" None "Masked payment methods"
    FinanceInvoiceMessagesWrite "finance_invoice_messages:write" None "Invoice reminders and copies"
    FinanceProductsRead "finance_products:read" None "Read products"
    FinanceProductsWrite "finance_products:write" None "Assign and revoke products"
    FinanceSubscriptionsRead "finance_subscriptions:read" None "Subscriptions"
    FinanceSubscriptionActionsWrite "finance_subscription_actions:write" None "Pause and cancellation requests"
    FinanceMembershipsWrite "finance_memberships:write" None "Assign memberships"
    FinanceCreditsRead "finance_credits:read" None "Read credits"
    FinanceCreditsWrite "finance_credits:write" None "Adjust credits"
    MeasurementsRead "measurements:read" HealthData "Read measurements"
    MeasurementsWrite "measurements:write" HealthData "Record measurements"
    ProgressSummariesRead "progress_summaries:read" HealthData "Progress summaries"
    ProgressPhotosRead "progress_photos:read" HealthData "Photo metadata and signed URLs"
    HabitsRead "habits:read" HealthData "Read habits and entries"
    HabitsWrite "habits:write" HealthData "Change habits and entries"
    GoalsRead "goals:read" HealthData "Read goals"
    GoalsWrite "goals:write" HealthData "Change goals"
    FormsRead "forms:read" None "Forms"
    FormAssignmentsWrite "form_assignments:write" None "Assign intake forms"
    IntakesRead "intakes:read" HealthData "Intakes"
    CheckupsRead "checkups:read" HealthData "Read check-ups"
    CheckupsWrite "checkups:write" HealthData "Change check-ups"
    DocumentsRead "documents:read" None "Read document metadata"
    DocumentsWrite "documents:write" None "Change document metadata"
    AttendanceSummariesRead "attendance_summaries:read" None "Attendance report"
    RevenueSummariesRead "revenue_summaries:read" None "Revenue report"
    RetentionSummariesRead "retention_summaries:read" None "Retention report"
    WebhooksRead "webhooks:read" None "Read webhook subscriptions"
    WebhooksWrite "webhooks:write" None "Change webhook subscriptions"
    WebhookDeliveriesRead "webhook_deliveries:read" None "Webhook delivery attempts"
    WorkoutExercisesRead "workout_exercises:read" None "Read exercises and equipment"
    WorkoutExercisesWrite "workout_exercises:write" None "Change exercises and equipment"
    WorkoutPlansRead "workout_plans:read" None "Read workout templates"
    WorkoutPlansWrite "workout_plans:write" None "Change workout templates"
    WorkoutClientPlansRead "workout_client_plans:read" None "Read clients' assigned plans"
    WorkoutClientPlansWrite "workout_client_plans:write" None "Change clients' assigned plans"
    WorkoutSessionsRead "workout_sessions:read" None "Read workout sessions"
    WorkoutSessionsWrite "workout_sessions:write" None "Record workout sessions"
    WorkoutProgressRead "workout_progress:read" None "Workout progress and records"
    WorkoutGroupsRead "workout_groups:read" None "Read workout groups"
    WorkoutGroupsWrite "workout_groups:write" None "Change workout groups"
    WorkoutSettingsRead "workout_settings:read" None "Read workout settings"
    WorkoutSettingsWrite "workout_settings:write" None "Change workout settings"
}

impl Scope {
    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.name() == name)
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| refuse::<D::Error>(Key::InvalidEnum, Rule::UnknownScope))
    }
}

impl JsonSchema for Scope {
    fn schema_name() -> Cow<'static, str> {
        "Scope".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Self::ALL.iter().map(|scope| scope.name()).collect();
        json_schema!({"type": "string", "enum": names, "description": "The name of a scope.",
            INVALID: Key::InvalidEnum.wire()})
    }
}

/// A set of scopes, kept as RFC 6749 writes it: names with a space between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeSet(String);

impl ScopeSet {
    /// The set of these scopes, in the catalogue's order and without repeats.
    pub fn of(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let set: BTreeSet<Scope> = scopes.into_iter().collect();
        Self(set.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" "))
    }

    /// Takes the text that this type itself wrote.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Reads space-separated names; the first unknown one is the error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let scopes: Result<Vec<_>, _> = text
            .split_ascii_whitespace()
            .map(|name| Scope::parse(name).ok_or_else(|| name.to_owned()))
            .collect();
        scopes.map(Self::of)
    }

    /// Whether the set holds the scope.
    pub fn contains(&self, scope: Scope) -> bool {
        self.0.split(' ').any(|name| name == scope.name())
    }

    /// The scopes in it.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.split(' ').filter_map(Scope::parse)
    }

    /// Whether every scope of this set is in the other.
    pub fn is_subset(&self, of: &Self) -> bool {
        self.iter().all(|scope| of.contains(scope))
    }

    /// Space-separated names.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_and_private_scopes_are_gated() {
        let gated = |gate| Scope::ALL.iter().filter(|scope| scope.gate() == gate).count();
        assert_eq!(gated(Gate::HealthData), 11);
        assert_eq!(gated(Gate::PrivateCommunication), 2);
    }

    #[test]
    fn sets_keep_the_catalogues_order() {
        let set = ScopeSet::parse("clients:write  clients:read clients:write").unwrap();
        assert_eq!(set.as_str(), "clients:read clients:write");
        assert!(!set.contains(Scope::ClientNotesRead));
        assert!(ScopeSet::default().is_subset(&set) && !set.is_subset(&ScopeSet::default()));
        assert_eq!(ScopeSet::parse("clients:read admin"), Err("admin".to_owned()));
    }
}
