//! What a test environment begins with: the company's setup and its coaches, who sign in there as they do in reality.
//! Of clients there is nothing, nor of anything that others may know: keys, devices, webhooks, invitations.

use spotter_kernel::{Result, id::CompanyId};
use spotter_store::{CopiedRows, DatabaseLocation, copy_company};

const fn all(table: &'static str) -> CopiedRows {
    CopiedRows { table, condition: "TRUE" }
}

const fn only(table: &'static str, condition: &'static str) -> CopiedRows {
    CopiedRows { table, condition }
}

/// The company's own rows come first: all others refer to it.
const COPIED: &[CopiedRows] = &[
    all("company"),
    all("company_policy"),
    all("finance_settings"),
    all("notification_settings"),
    all("workout_settings"),
    all("mcp_policy"),
    all("location"),
    all("facility"),
    all("service"),
    all("coach"),
    only("account", "subject = 'coach'"),
    only("second_step", "subject = 'coach'"),
    only("recovery_code", "subject = 'coach'"),
    all("custom_field"),
    all("event_type"),
    all("event_template"),
    all("availability_rule"),
    all("coach_availability"),
    all("location_availability"),
    all("product"),
    all("form"),
    all("form_version"),
    all("measurement_type"),
    all("workout_exercise"),
    only("workout_equipment", "client_id IS NULL"),
    only("workout_plan", "client_id IS NULL"),
    only(
        "workout_moment",
        "plan_id IN (SELECT plan_id FROM workout_plan p \
         WHERE p.company_id = workout_moment.company_id AND p.client_id IS NULL)",
    ),
    all("access_zone"),
    all("access_rule"),
];

/// Copies a company's setup into an empty database that has the schema.
pub(super) fn copy(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
    company: CompanyId,
) -> Result<()> {
    copy_company(from, to, company, COPIED, |_| Ok(()))
}
