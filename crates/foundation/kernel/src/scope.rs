//! The scope catalogue: every permission an API client can be given, with its purpose and the
//! consent that gates it.

use std::{borrow::Cow, collections::BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    problem::{INVALID, Key, refuse},
    rule::Rule,
};

/// The consent of the API client that a scope requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScopeConsent")]
pub enum Gate {
    /// No consent is required.
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

/// The coaches who reach the operations of a scope through the application API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staff {
    /// None: what people write to each other is read by those who take part.
    Nobody,
    /// Every coach: working with clients.
    Coach,
    /// Managers and admins: running the company.
    Manager,
}

macro_rules! scopes {
    ($($name:ident $wire:literal $gate:ident $staff:ident $purpose:literal)+) => {
        /// The name of a scope.
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
            /// The coaches who reach its operations.
            pub const fn staff(self) -> Staff {
                match self { $(Self::$name => Staff::$staff),+ }
            }
            /// Purpose.
            pub const fn purpose(self) -> &'static str {
                match self { $(Self::$name => $purpose),+ }
            }
        }
    };
}

scopes! {
    PlatformRead "platform:read" None Manager "Client profile, capabilities, scope catalogue"
    AuditLogsRead "audit_logs:read" None Manager "Redacted audit logs"
    CompanyCatalogRead "company_catalog:read" None Coach "Company profile, facilities, services, policies"
    LocationsRead "locations:read" None Coach "Read locations"
    LocationsWrite "locations:write" None Manager "Create, update and archive locations"
    ClientsRead "clients:read" None Coach "Read CRM clients and tags"
    ClientsWrite "clients:write" None Coach "Create, update, archive and assign clients"
    ClientOnboardingWrite "client_onboarding:write" None Coach "Portal invites; approve or reject pending relationships"
    ClientCustomFieldsRead "client_custom_fields:read" None Coach "Read custom field definitions and values"
    ClientCustomFieldsWrite "client_custom_fields:write" None Coach "Change custom field definitions and values"
    ClientTimelineRead "client_timeline:read" None Coach "Lifecycle timeline"
    ClientNotesRead "client_notes:read" None Coach "Read notes"
    ClientNotesWrite "client_notes:write" None Coach "Write notes"
    CoachesRead "coaches:read" None Coach "Coaches"
    CoachAvailabilityRead "coach_availability:read" None Coach "Read coach availability templates"
    CoachAvailabilityWrite "coach_availability:write" None Coach "Change coach availability templates"
    ConversationsRead "conversations:read" PrivateCommunication Nobody "Conversations and their messages"
    MessagesRead "messages:read" PrivateCommunication Nobody "Sanitized chat threads and messages"
    CalendarEventsRead "calendar_events:read" None Coach "Calendar events"
    EventTypesRead "event_types:read" None Coach "Read event types"
    EventTypesWrite "event_types:write" None Manager "Change event types"
    EventTemplatesRead "event_templates:read" None Coach "Read event templates"
    EventTemplatesWrite "event_templates:write" None Manager "Change event templates"
    RecurringBookingsRead "recurring_bookings:read" None Coach "Read recurring booking chains"
    RecurringBookingsWrite "recurring_bookings:write" None Coach "Change recurring booking chains"
    CalendarTasksRead "calendar_tasks:read" None Coach "Read blocking calendar tasks"
    CalendarTasksWrite "calendar_tasks:write" None Coach "Change blocking calendar tasks"
    BookingRequestsRead "booking_requests:read" None Coach "Read booking requests"
    BookingRequestsWrite "booking_requests:write" None Coach "Approve or reject booking requests"
    LocationAvailabilityRead "location_availability:read" None Coach "Read location availability templates"
    LocationAvailabilityWrite "location_availability:write" None Manager "Change location availability templates"
    AvailabilityRulesRead "availability_rules:read" None Coach "Read closure metadata"
    AvailabilityRulesWrite "availability_rules:write" None Manager "Change closure metadata"
    AvailabilityRead "availability:read" None Coach "Bookable slots and short-lived tokens"
    BookingsRead "bookings:read" None Coach "Read bookings"
    BookingsWrite "bookings:write" None Coach "Create and change bookings"
    FinanceInvoicesRead "finance_invoices:read" None Manager "Invoices and line items"
    FinanceInvoicePdfsRead "finance_invoice_pdfs:read" None Manager "Invoice PDF download metadata"
    FinancePaymentsRead "finance_payments:read" None Manager "Payments and transactions"
    FinancePaymentRequestsRead "finance_payment_requests:read" None Manager "Read payment requests"
    FinancePaymentRequestsWrite "finance_payment_requests:write" None Manager "Create and cancel payment requests"
    FinanceChargebacksRead "finance_chargebacks:read" None Manager "Chargebacks"
    FinancePaymentMethodsRead "finance_payment_methods:read" None Manager "Masked payment methods"
    FinanceInvoiceMessagesWrite "finance_invoice_messages:write" None Manager "Invoice reminders and copies"
    FinanceProductsRead "finance_products:read" None Coach "Read products"
    FinanceProductsWrite "finance_products:write" None Manager "Assign and revoke products"
    FinanceSubscriptionsRead "finance_subscriptions:read" None Coach "Subscriptions"
    FinanceSubscriptionActionsWrite "finance_subscription_actions:write" None Manager "Pause and cancellation requests"
    FinanceMembershipsWrite "finance_memberships:write" None Manager "Assign memberships"
    FinanceCreditsRead "finance_credits:read" None Coach "Read credits"
    FinanceCreditsWrite "finance_credits:write" None Manager "Adjust credits"
    MeasurementsRead "measurements:read" HealthData Coach "Read measurements"
    MeasurementsWrite "measurements:write" HealthData Coach "Record measurements"
    ProgressSummariesRead "progress_summaries:read" HealthData Coach "Progress summaries"
    ProgressPhotosRead "progress_photos:read" HealthData Coach "Photo metadata and signed URLs"
    HabitsRead "habits:read" HealthData Coach "Read habits and entries"
    HabitsWrite "habits:write" HealthData Coach "Change habits and entries"
    GoalsRead "goals:read" HealthData Coach "Read goals"
    GoalsWrite "goals:write" HealthData Coach "Change goals"
    FormsRead "forms:read" None Coach "Forms"
    FormAssignmentsWrite "form_assignments:write" None Coach "Assign intake forms"
    IntakesRead "intakes:read" HealthData Coach "Intakes"
    CheckupsRead "checkups:read" HealthData Coach "Read check-ups"
    CheckupsWrite "checkups:write" HealthData Coach "Change check-ups"
    DocumentsRead "documents:read" None Coach "Read document metadata"
    DocumentsWrite "documents:write" None Coach "Change document metadata"
    AttendanceSummariesRead "attendance_summaries:read" None Manager "Attendance report"
    RevenueSummariesRead "revenue_summaries:read" None Manager "Revenue report"
    RetentionSummariesRead "retention_summaries:read" None Manager "Retention report"
    WebhooksRead "webhooks:read" None Manager "Read webhook subscriptions"
    WebhooksWrite "webhooks:write" None Manager "Change webhook subscriptions"
    WebhookDeliveriesRead "webhook_deliveries:read" None Manager "Webhook delivery attempts"
    WorkoutExercisesRead "workout_exercises:read" None Coach "Read exercises and equipment"
    WorkoutExercisesWrite "workout_exercises:write" None Coach "Change exercises and equipment"
    WorkoutPlansRead "workout_plans:read" None Coach "Read workout templates"
    WorkoutPlansWrite "workout_plans:write" None Coach "Change workout templates"
    WorkoutClientPlansRead "workout_client_plans:read" None Coach "Read clients' assigned plans"
    WorkoutClientPlansWrite "workout_client_plans:write" None Coach "Change clients' assigned plans"
    WorkoutSessionsRead "workout_sessions:read" None Coach "Read workout sessions"
    WorkoutSessionsWrite "workout_sessions:write" None Coach "Record workout sessions"
    WorkoutProgressRead "workout_progress:read" None Coach "Workout progress and records"
    WorkoutGroupsRead "workout_groups:read" None Coach "Read workout groups"
    WorkoutGroupsWrite "workout_groups:write" None Coach "Change workout groups"
    WorkoutSettingsRead "workout_settings:read" None Coach "Read workout settings"
    WorkoutSettingsWrite "workout_settings:write" None Manager "Change workout settings"
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
