//! What people may do through the operations that integrations have: coaches by their role, clients by
//! the row of the operation, and with themselves as its subject.

use serde_json::Value;
use spotter_kernel::{Key, Problem, Result, Scope};

use crate::caller::{Actor, Caller, Role};

impl Role {
    /// The least role whose coaches reach the operations of a scope; nobody where it says nobody.
    pub const fn least_for(scope: Scope) -> Option<Self> {
        use Scope::*;
        Some(match scope {
            // What people say to each other is theirs: they read their own conversations.
            ConversationsRead | MessagesRead => return None,
            // Those who work with clients.
            CompanyCatalogRead
            | LocationsRead
            | ClientsRead
            | ClientsWrite
            | ClientOnboardingWrite
            | ClientCustomFieldsRead
            | ClientCustomFieldsWrite
            | ClientTimelineRead
            | ClientNotesRead
            | ClientNotesWrite
            | CoachesRead
            | CoachAvailabilityRead
            | CoachAvailabilityWrite
            | CalendarEventsRead
            | EventTypesRead
            | EventTemplatesRead
            | RecurringBookingsRead
            | RecurringBookingsWrite
            | CalendarTasksRead
            | CalendarTasksWrite
            | BookingRequestsRead
            | BookingRequestsWrite
            | LocationAvailabilityRead
            | AvailabilityRulesRead
            | AvailabilityRead
            | BookingsRead
            | BookingsWrite
            | FinanceProductsRead
            | FinanceSubscriptionsRead
            | FinanceCreditsRead
            | MeasurementsRead
            | MeasurementsWrite
            | ProgressSummariesRead
            | ProgressPhotosRead
            | HabitsRead
            | HabitsWrite
            | GoalsRead
            | GoalsWrite
            | FormsRead
            | FormAssignmentsWrite
            | IntakesRead
            | CheckupsRead
            | CheckupsWrite
            | DocumentsRead
            | DocumentsWrite
            | WorkoutExercisesRead
            | WorkoutExercisesWrite
            | WorkoutPlansRead
            | WorkoutPlansWrite
            | WorkoutClientPlansRead
            | WorkoutClientPlansWrite
            | WorkoutSessionsRead
            | WorkoutSessionsWrite
            | WorkoutProgressRead
            | WorkoutGroupsRead
            | WorkoutGroupsWrite
            | WorkoutSettingsRead => Self::Coach,
            // Those who run the company.
            PlatformRead
            | AuditLogsRead
            | LocationsWrite
            | EventTypesWrite
            | EventTemplatesWrite
            | LocationAvailabilityWrite
            | AvailabilityRulesWrite
            | FinanceInvoicesRead
            | FinanceInvoicePdfsRead
            | FinancePaymentsRead
            | FinancePaymentRequestsRead
            | FinancePaymentRequestsWrite
            | FinanceChargebacksRead
            | FinancePaymentMethodsRead
            | FinanceInvoiceMessagesWrite
            | FinanceProductsWrite
            | FinanceSubscriptionActionsWrite
            | FinanceMembershipsWrite
            | FinanceCreditsWrite
            | AttendanceSummariesRead
            | RevenueSummariesRead
            | RetentionSummariesRead
            | WebhooksRead
            | WebhooksWrite
            | WebhookDeliveriesRead
            | WorkoutSettingsWrite => Self::Manager,
        })
    }

    /// Lets a coach with this role reach the operations of a scope, or says which role it takes.
    pub(crate) fn check(self, scope: Scope) -> Result<()> {
        match Self::least_for(scope) {
            Some(least) if self >= least => Ok(()),
            Some(least) => Err(least.is_needed()),
            None => Err(Key::Forbidden.into()),
        }
    }

    /// The refusal of a lower role.
    pub(crate) fn is_needed(self) -> Problem {
        let text = format!("This needs the role {} or higher.", self.word());
        Problem::because(Key::Forbidden, text)
    }
}

/// What a row grants the company's clients, each with themselves as the subject: the path names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForClient {
    /// Fields that are staff's alone: answers come without them, and requests with them are refused.
    pub staffs: &'static [&'static str],
}

impl ForClient {
    /// Refuses a client's request that is about somebody else, who does not exist for them, or says
    /// what is staff's to say.
    pub(crate) fn check<'n>(
        &self,
        caller: &Caller,
        subject: Option<&str>,
        mut fields: impl Iterator<Item = &'n str>,
    ) -> Result<()> {
        let Actor::Client { id, .. } = caller.actor else { return Ok(()) };
        if subject != Some(id.to_string().as_str()) {
            return Err(Key::ClientNotFound.into());
        }
        match fields.find(|field| self.staffs.contains(field)) {
            Some(field) => Err(Problem::invalid(field, "is for the company's staff to say")),
            None => Ok(()),
        }
    }

    /// An answer as a client is given it.
    pub(crate) fn shown(&self, data: String) -> Result<String> {
        if self.staffs.is_empty() {
            return Ok(data);
        }
        let mut told: Value = serde_json::from_str(&data).map_err(Problem::internal)?;
        self.strip(&mut told);
        Ok(told.to_string())
    }

    fn strip(&self, told: &mut Value) {
        match told {
            Value::Object(fields) => {
                self.staffs.iter().for_each(|name| drop(fields.remove(*name)));
                fields.values_mut().for_each(|value| self.strip(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.strip(item)),
            _ => {}
        }
    }

    /// A schema of an answer that staff and clients are given: what is staff's may be absent.
    pub fn without_staffs(&self, mut schema: Value) -> Value {
        self.relax(&mut schema);
        schema
    }

    fn relax(&self, schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if let Some(Value::Array(required)) = fields.get_mut("required") {
                    required.retain(|name| !self.staffs.iter().any(|own| name == own));
                }
                fields.values_mut().for_each(|part| self.relax(part));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.relax(item)),
            _ => {}
        }
    }

    /// A schema of an answer that clients alone are given.
    pub fn strip_schema(&self, schema: &mut Value) {
        self.relax(schema);
        self.strip_properties(schema);
    }

    fn strip_properties(&self, schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                    self.staffs.iter().for_each(|name| drop(properties.remove(*name)));
                }
                fields.values_mut().for_each(|part| self.strip_properties(part));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.strip_properties(item)),
            _ => {}
        }
    }
}
