//! Entry points for the test suite, which is outside this crate.

use spotter_company::company::NewCompany;
use spotter_contract::{Env, Role};
use spotter_files::Files;
use spotter_kernel::{
    Problem, Result, TimeZone, Timestamp,
    money::Currency,
    text::{Email, Language, Name},
};
use spotter_people::coaches::NewCoach;
use spotter_store::Db;

use crate::{maintenance, operator};

/// A company as `spotter company create` makes it.
pub async fn create_company(
    db: &Db,
    env: &Env,
    name: &str,
    admin_email: &str,
) -> Result<serde_json::Value> {
    let wrong = || Problem::internal("the test's company is wrong");
    let text = |text: &str| Name::parse(text).map_err(|_| wrong());
    let new = NewCompany {
        name: Name::parse(name).map_err(|_| wrong())?,
        time_zone: TimeZone::parse("Europe/Amsterdam").ok_or_else(wrong)?,
        currency: Currency::parse("EUR").ok_or_else(wrong)?,
        language: Language::parse("en").ok_or_else(wrong)?,
        country: None,
    };
    let admin = NewCoach {
        first_name: text("Ada")?,
        last_name: text("Admin")?,
        email: Email::parse(admin_email).ok_or_else(wrong)?,
        role: Role::Admin,
    };
    operator::create_company(db, env, new, admin).await.map(|made| serde_json::json!(made))
}

/// Deletes the files that are unused at this instant, as the background sweep does.
pub async fn sweep_files(db: &Db, files: &Files, now: Timestamp) -> Result<()> {
    maintenance::sweep_files(db, files, now).await
}
