//! What an assistant can be allowed, as one table: each module with its words on the consent page,
//! its scopes and its tools. The module keys are the OAuth scopes of the MCP server.

use std::collections::BTreeSet;

use crate::rules::AssistantRule;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_kernel::{
    Key, Scope, ScopeSet,
    problem::{INVALID, refuse},
};
use spotter_store::words;

words! {
    /// The subject that an assistant acts for: a company's manager, or a client.
    pub enum GrantSubject { Company = "company", Client = "client" }
}

macro_rules! modules {
    ($(
        $name:ident $key:literal $subject:ident $title:literal
        reads $reads:literal changes $changes:literal
        [$($scope:ident)*] [$($tool:ident)*]
    )+) => {
        /// Something that an assistant can be allowed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Module { $(#[doc = $title] $name),+ }

        impl Module {
            /// Every module, in the order in which they are shown.
            pub const ALL: &[Self] = &[$(Self::$name),+];
            /// Its key, which is a scope of the MCP server.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key),+ }
            }
            /// The subject whose grants can include it.
            pub const fn subject(self) -> GrantSubject {
                match self { $(Self::$name => GrantSubject::$subject),+ }
            }
            /// Display name.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }
            /// What it allows to read, in plain words.
            pub const fn reads(self) -> &'static str {
                match self { $(Self::$name => $reads),+ }
            }
            /// What it allows to change, in plain words; empty for nothing.
            pub const fn changes(self) -> &'static str {
                match self { $(Self::$name => $changes),+ }
            }
            /// The scopes of the operations that it opens.
            pub const fn scopes(self) -> &'static [Scope] {
                match self { $(Self::$name => &[$(Scope::$scope),*]),+ }
            }
            /// The operations that are its tools; none while the area is not built.
            pub const fn tools(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$(stringify!($tool)),*]),+ }
            }
        }
    };
}

modules! {
    Clients "clients" Company "Clients"
        reads "Names, contact details, tags, status and history of your clients"
        changes "Create, update, archive and restore clients; assign coaches; set tags"
        [ClientsRead ClientsWrite ClientTimelineRead ClientCustomFieldsRead ClientCustomFieldsWrite
            CoachesRead LocationsRead]
        [list_clients get_client list_client_tags create_client update_client archive_client
            restore_client assign_client_coach set_client_tags change_clients get_client_timeline
            list_custom_fields get_client_custom_fields update_client_custom_fields list_coaches list_locations]
    CalendarEvents "calendar_events" Company "Calendar"
        reads "Events in the company's calendar" changes ""
        [CalendarEventsRead CoachesRead LocationsRead EventTypesRead]
        [list_calendar_events get_calendar_event list_coaches list_locations list_event_types]
    Bookings "bookings" Company "Bookings"
        reads "Who has booked what, and what can be booked"
        changes "Make, move and cancel bookings; say who came; decide requests"
        [BookingsRead BookingsWrite AvailabilityRead EventTypesRead BookingRequestsRead
            BookingRequestsWrite CoachesRead LocationsRead]
        [list_coaches list_locations list_event_types list_slots list_bookings get_booking create_booking reschedule_booking
            cancel_booking set_booking_attendance list_booking_requests approve_booking_request
            reject_booking_request list_absent_clients list_repeated_no_shows]
    Subscriptions "subscriptions" Company "Memberships"
        reads "Memberships that renew themselves" changes "Ask for pauses and cancellations"
        [FinanceSubscriptionsRead FinanceSubscriptionActionsWrite]
        [list_subscriptions get_subscription get_bills_to_come request_pause request_cancellation]
    Credits "credits" Company "Credits"
        reads "Credits of your clients" changes "Adjust credits"
        [FinanceCreditsRead FinanceCreditsWrite] [get_credits list_credit_entries adjust_credits]
    Invoices "invoices" Company "Invoices"
        reads "Invoices and their status" changes "Send reminders and copies"
        [FinanceInvoicesRead FinanceInvoiceMessagesWrite]
        [list_invoices get_invoice remind_of_invoice send_invoice_copy send_invoice_messages]
    RecurringBookings "recurring_bookings" Company "Recurring bookings"
        reads "Series of bookings" changes "Change and cancel series"
        [RecurringBookingsRead RecurringBookingsWrite CoachesRead LocationsRead EventTypesRead]
        [list_coaches list_locations list_event_types list_recurring_bookings get_recurring_booking create_recurring_booking
            update_recurring_booking cancel_recurring_booking]
    EventTemplates "event_templates" Company "Event templates"
        reads "Templates of events" changes "Change templates of events"
        [EventTemplatesRead EventTemplatesWrite CoachesRead LocationsRead EventTypesRead]
        [list_coaches list_locations list_event_types list_event_templates get_event_template create_event_template update_event_template
            archive_event_template]
    CalendarTasks "calendar_tasks" Company "Calendar tasks"
        reads "Tasks in coaches' calendars" changes "Create, change and cancel tasks"
        [CalendarTasksRead CalendarTasksWrite CoachesRead]
        [list_coaches list_calendar_tasks get_calendar_task create_calendar_task update_calendar_task
            cancel_calendar_task]
    Measurements "measurements" Company "Measurements"
        reads "Body measurements of your clients: health data" changes "Record, correct and delete measurements"
        [MeasurementsRead MeasurementsWrite]
        [list_measurement_types list_measurements get_latest_measurements get_measurement record_measurement
            update_measurement delete_measurement]
    Goals "goals" Company "Goals"
        reads "Goals of your clients: health data" changes "Set and change goals"
        [GoalsRead GoalsWrite] [list_goals get_goal create_goal update_goal]
    NutritionLogs "nutrition_logs" Company "Nutrition logs"
        reads "What your clients eat: health data" changes ""
        [] [list_client_nutrition_logs get_client_nutrition_day]
    ClientNotes "client_notes" Company "Notes about clients"
        reads "Notes that coaches keep about clients" changes "Write, change and delete notes"
        [ClientNotesRead ClientNotesWrite]
        [list_client_notes get_client_note create_client_note update_client_note delete_client_note]
    Locations "locations" Company "Locations"
        reads "Your locations and their opening hours" changes "Create, change and archive locations"
        [LocationsRead LocationsWrite]
        [list_locations get_location create_location update_location archive_location]
    Products "products" Company "Products"
        reads "What you sell, and for how much" changes ""
        [FinanceProductsRead]
        [list_products get_product list_memberships list_credit_packs list_day_passes]
    Sales "sales" Company "Sales"
        reads "Purchases of your clients" changes "Sell products and memberships; revoke sales"
        [FinanceProductsRead FinanceProductsWrite FinanceMembershipsWrite]
        [list_products list_client_products get_client_product assign_product assign_membership
            create_desk_sale revoke_client_product list_shop_orders create_shop_order]
    Payments "payments" Company "Payments"
        reads "Payments, chargebacks and requests to pay" changes "Create and cancel payment requests"
        [FinancePaymentsRead FinanceChargebacksRead FinancePaymentRequestsRead FinancePaymentRequestsWrite]
        [list_payments get_payment list_chargebacks get_chargeback list_payment_requests
            get_payment_request create_payment_request cancel_payment_request]
    Refunds "refunds" Company "Refunds"
        reads "Payments and invoices" changes "Refund payments and credit invoices"
        [FinancePaymentsRead FinanceInvoicesRead]
        [list_payments get_payment refund_payment list_invoices get_invoice credit_invoice]
    Workouts "workouts" Company "Workouts"
        reads "Exercises, programmes, clients' plans, sessions and progress"
        changes "Assign programmes and record sessions"
        [WorkoutExercisesRead WorkoutPlansRead WorkoutClientPlansRead WorkoutClientPlansWrite
            WorkoutSessionsRead WorkoutSessionsWrite WorkoutProgressRead]
        [list_workout_exercises list_workout_templates list_client_workout_plans
            get_client_workout_plan assign_workout_plan get_client_workout_calendar
            list_workout_sessions get_workout_session begin_workout_session set_workout_session_sets
            complete_workout_session list_top_exercises list_personal_records list_exercise_history
            get_workout_volume]
    WorkoutProgrammes "workout_programmes" Company "Workout programmes"
        reads "Exercises, equipment and programmes with their days" changes "Build and publish programmes; add exercises"
        [WorkoutExercisesRead WorkoutExercisesWrite WorkoutPlansRead WorkoutPlansWrite]
        [list_workout_exercises get_workout_exercise create_workout_exercise list_workout_equipment
            list_workout_templates get_workout_template create_workout_template
            duplicate_workout_template list_workout_moments create_workout_moment
            set_workout_moment_exercises add_workout_week publish_workout_template]
    WorkoutGroups "workout_groups" Company "Workout groups"
        reads "Groups that train by one programme" changes "Create groups, add members, assign programmes"
        [WorkoutGroupsRead WorkoutGroupsWrite WorkoutPlansRead]
        [list_workout_groups get_workout_group list_workout_group_members create_workout_group
            add_workout_group_members list_workout_templates assign_workout_group_plan]
    Onboarding "client_onboarding" Company "New clients"
        reads "Who signed up at the public site" changes "Approve or reject people who want to become clients"
        [ClientsRead ClientOnboardingWrite]
        [list_clients list_sign_ups approve_client_relationship reject_client_relationship]
    Business "company" Company "The company"
        reads "Your company's profile, public site, facilities, services, policies and coaches" changes ""
        [CompanyCatalogRead CoachesRead]
        [get_company_profile get_site list_company_facilities list_company_services get_company_policies
            list_coaches get_coach]
    EventTypes "event_types" Company "Event types"
        reads "What can be booked" changes "Create, change and archive what can be booked"
        [EventTypesRead EventTypesWrite CoachesRead LocationsRead]
        [list_event_types get_event_type create_event_type update_event_type archive_event_type
            list_coaches list_locations]
    Availability "availability" Company "Availability"
        reads "Working hours, opening hours and closures"
        changes "Change coaches' and locations' hours; add and delete closures"
        [CoachAvailabilityRead CoachAvailabilityWrite LocationAvailabilityRead LocationAvailabilityWrite
            AvailabilityRulesRead AvailabilityRulesWrite CoachesRead LocationsRead]
        [list_coaches list_locations get_coach_availability set_coach_availability
            get_location_availability set_location_availability list_availability_rules
            get_availability_rule create_availability_rule delete_availability_rule]
    Progress "progress" Company "Progress"
        reads "Progress summaries of your clients: health data" changes ""
        [ProgressSummariesRead] [get_progress_summary]
    Habits "habits" Company "Habits"
        reads "Habits of your clients: health data" changes "Set habits and log entries"
        [HabitsRead HabitsWrite]
        [list_habits get_habit create_habit update_habit list_habit_entries put_habit_entry
            delete_habit_entry]
    Forms "forms" Company "Forms"
        reads "Your forms and their assignments, without answers" changes "Assign and cancel forms"
        [FormsRead FormAssignmentsWrite]
        [list_forms get_form list_form_assignments get_form_assignment assign_form
            cancel_form_assignment]
    Checkups "checkups" Company "Check-ups"
        reads "Check-ups and whether they were submitted, without answers"
        changes "Assign and cancel check-ups, once or recurring"
        [CheckupsRead CheckupsWrite FormsRead]
        [list_forms list_checkups assign_checkup update_checkup cancel_checkup list_checkup_series
            end_checkup_series]
    Documents "documents" Company "Documents"
        reads "Names and addresses of documents, except medical ones" changes "Link, change, archive and restore documents"
        [DocumentsRead DocumentsWrite]
        [list_document_folders list_documents get_document link_document update_document
            archive_document restore_document]
    Conversations "conversations" Company "Your conversations"
        reads "Your own conversations with clients and coaches" changes "Send messages in your name"
        [] [list_own_conversations get_own_conversation list_own_messages send_message]
    Reports "reports" Company "Reports"
        reads "Attendance, revenue and retention" changes ""
        [AttendanceSummariesRead RevenueSummariesRead RetentionSummariesRead CoachesRead LocationsRead]
        [get_attendance_report get_revenue_report get_retention_report get_retention_cohorts
            list_coaches list_locations]
    Doors "access" Company "Doors"
        reads "Access devices, visits and denied entries" changes "Block and unblock clients"
        [LocationsRead]
        [list_locations list_access_devices get_access_device list_access_zones list_access_scans
            list_visits get_access_block block_access unblock_access]
    AuditLogs "audit_logs" Company "Audit log"
        reads "Who did what" changes "" [AuditLogsRead] [list_audit_logs get_audit_log]
    Webhooks "webhooks" Company "Webhooks"
        reads "Webhooks and their deliveries" changes "Send a test, and deliver again"
        [WebhooksRead WebhooksWrite WebhookDeliveriesRead]
        [list_webhooks get_webhook list_webhook_deliveries get_webhook_delivery test_webhook
            redeliver_webhook]
    ClientAccount "client_ai_account" Client "Your account"
        reads "Your name, contact details, memberships, credits and invoices" changes ""
        [ClientsRead FinanceProductsRead FinanceSubscriptionsRead FinanceCreditsRead FinanceInvoicesRead]
        [get_client list_client_products list_subscriptions get_bills_to_come get_credits list_invoices
            get_invoice]
    ClientMembership "client_ai_membership" Client "Your membership"
        reads "Your memberships and upcoming invoices" changes "Ask to pause or cancel your membership"
        [FinanceSubscriptionsRead FinanceSubscriptionActionsWrite]
        [list_subscriptions get_subscription get_bills_to_come request_pause request_cancellation]
    ClientShop "client_ai_shop" Client "Your purchases"
        reads "What you can buy, and what you ordered" changes "Order products, which you pay yourself, and cancel orders"
        [FinanceProductsRead FinanceProductsWrite]
        [browse_products list_shop_orders get_shop_order create_shop_order cancel_shop_order]
    ClientBookings "client_ai_bookings" Client "Your bookings"
        reads "What you have booked, and what you can book" changes "Book, move and cancel for you"
        [BookingsRead BookingsWrite AvailabilityRead EventTypesRead CoachesRead LocationsRead
            BookingRequestsRead BookingRequestsWrite]
        [list_coaches list_locations list_event_types list_slots list_bookings get_booking
            create_booking reschedule_booking cancel_booking list_booking_requests
            withdraw_booking_request accept_offered_seat decline_offered_seat]
    ClientMeasurements "client_ai_measurements" Client "Your measurements"
        reads "Your body measurements: health data" changes "Record and correct your measurements"
        [MeasurementsRead MeasurementsWrite]
        [list_measurement_types list_measurements get_latest_measurements record_measurement update_measurement]
    ClientNutrition "client_ai_nutrition" Client "Your nutrition"
        reads "Your logged meals: health data" changes "Log and delete meals"
        [] [list_client_nutrition_logs get_client_nutrition_day log_meal delete_nutrition_log]
    ClientWorkouts "client_ai_workouts" Client "Your workouts"
        reads "Your plans, calendar, sessions and progress, and the exercises there are" changes "Record your sessions"
        [WorkoutExercisesRead WorkoutClientPlansRead WorkoutSessionsRead WorkoutSessionsWrite
            WorkoutProgressRead]
        [list_workout_exercises list_client_workout_plans get_client_workout_plan
            get_client_workout_calendar list_workout_sessions get_workout_session
            begin_workout_session set_workout_session_sets complete_workout_session
            list_top_exercises list_personal_records list_exercise_history get_workout_volume]
    ClientGoals "client_ai_goals" Client "Your goals"
        reads "Your goals: health data" changes "Set goals, and change your own"
        [GoalsRead GoalsWrite] [list_goals get_goal create_goal update_goal]
    ClientHabits "client_ai_habits" Client "Your habits"
        reads "Your habits: health data" changes "Log entries"
        [HabitsRead HabitsWrite]
        [list_habits list_habit_entries put_habit_entry delete_habit_entry]
    ClientProgress "client_ai_progress" Client "Your progress"
        reads "A summary of your progress: health data" changes ""
        [ProgressSummariesRead] [get_progress_summary]
    ClientForms "client_ai_forms" Client "Your forms"
        reads "Your open forms and check-ups, without answers" changes ""
        [FormsRead CheckupsRead] [list_form_assignments list_checkups]
    ClientDocuments "client_ai_documents" Client "Your documents"
        reads "Names and addresses of your documents, except medical ones" changes ""
        [DocumentsRead] [list_documents get_document]
    ClientConversations "client_ai_conversations" Client "Your conversations"
        reads "Your conversations with your coaches" changes "Send messages in your name"
        [] [list_own_conversations get_own_conversation list_own_messages send_message]
    ClientVisits "client_ai_visits" Client "Your visits"
        reads "When you entered and left" changes "" [] [list_visits]
}

/// Tools of every assistant, regardless of its grant: about the person it acts for.
pub const OF_ALL: &[&str] = &["get_own_account"];

/// The proposal for a manager where an assistant requests nothing in particular.
pub const PROPOSED: &[Module] = &[
    Module::Clients,
    Module::CalendarEvents,
    Module::Bookings,
    Module::Subscriptions,
    Module::Credits,
    Module::Invoices,
    Module::RecurringBookings,
    Module::EventTemplates,
    Module::CalendarTasks,
    Module::Measurements,
    Module::Goals,
];

/// The proposal before it is known whether the person acts for a company or as a client.
pub fn usual() -> impl Iterator<Item = Module> {
    let of_clients = [
        Module::ClientAccount,
        Module::ClientBookings,
        Module::ClientMeasurements,
        Module::ClientNutrition,
        Module::ClientWorkouts,
    ];
    PROPOSED.iter().copied().chain(of_clients)
}

impl Module {
    /// The module with this key.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|module| module.key() == key)
    }

    /// Whether an assistant can do something with it today.
    pub const fn is_of_use(self) -> bool {
        !self.tools().is_empty()
    }

    /// Every module of a subject.
    pub fn of(subject: GrantSubject) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |module| module.subject() == subject)
    }
}

impl Serialize for Module {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Module {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let key = std::borrow::Cow::<str>::deserialize(d)?;
        Self::parse(&key).ok_or_else(|| refuse(Key::InvalidEnum, AssistantRule::UnknownModule))
    }
}

impl schemars::JsonSchema for Module {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "McpModule".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let keys: Vec<_> = Self::ALL.iter().map(|module| module.key()).collect();
        schemars::json_schema!({"type": "string", "enum": keys, INVALID: Key::InvalidEnum.wire()})
    }
}

/// Reads module keys separated by spaces; the first that is none where one is not.
pub fn parse_scope(scope: &str) -> Result<Vec<Module>, &str> {
    let mut modules = Vec::new();
    for key in scope.split(' ').filter(|key| !key.is_empty()) {
        let module = Module::parse(key).ok_or(key)?;
        if !modules.contains(&module) {
            modules.push(module);
        }
    }
    Ok(modules)
}

/// Module keys separated by spaces.
pub fn scope_of(modules: &[Module]) -> String {
    modules.iter().map(|module| module.key()).collect::<Vec<_>>().join(" ")
}

/// The scopes that modules open, all or only those that read.
pub fn scopes_of(modules: &[Module], read_only: bool) -> ScopeSet {
    let scopes = modules.iter().flat_map(|module| module.scopes().iter().copied());
    ScopeSet::of(scopes.filter(|scope| !read_only || scope.name().ends_with(":read")))
}

/// Which modules hold a tool, of those of a subject.
pub fn holding(subject: GrantSubject, tool: &str) -> BTreeSet<Module> {
    Module::of(subject).filter(|module| module.tools().contains(&tool)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_keys_are_there() {
        let keys: Vec<_> = PROPOSED.iter().map(|module| module.key()).collect();
        assert_eq!(
            keys.join(" "),
            "clients calendar_events bookings subscriptions credits invoices recurring_bookings \
             event_templates calendar_tasks measurements goals"
        );
        for key in [
            "nutrition_logs",
            "client_notes",
            "client_ai_account",
            "client_ai_bookings",
            "client_ai_measurements",
            "client_ai_nutrition",
        ] {
            assert!(Module::parse(key).is_some(), "{key}");
        }
        assert_eq!(parse_scope("clients  goals clients"), Ok(vec![Module::Clients, Module::Goals]));
        assert_eq!(parse_scope("clients admin"), Err("admin"));
        let reads = scopes_of(&[Module::ClientNotes], true);
        assert_eq!(reads.as_str(), "client_notes:read");
    }
}
