//! `spotter doctor`: looks at all that an installation stands on, and says what to do where something is wrong.

mod checks;
mod database;

use serde::Serialize;

pub(crate) use self::checks::RIGHTS;
use crate::{serve, settings::Settings};

/// How a finding is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// Nothing is to be done.
    Fine,
    /// It works, and should be looked after.
    Warning,
    /// It does not work, or will not much longer.
    Failure,
}

/// What a check has found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnosis {
    /// What was checked.
    check: &'static str,
    level: Level,
    /// What was found.
    found: String,
    /// What to do; `None` where nothing is.
    advice: Option<String>,
}

impl Diagnosis {
    fn fine(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, level: Level::Fine, found: found.into(), advice: None }
    }

    fn warning(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        let (found, advice) = (found.into(), Some(advice.into()));
        Self { check, level: Level::Warning, found, advice }
    }

    fn failure(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { level: Level::Failure, ..Self::warning(check, found, advice) }
    }

    /// Settings that cannot be used, one diagnosis each.
    pub(crate) fn of_settings(wrong: Vec<String>) -> Vec<Self> {
        let advice = "correct it; docs/OPERATIONS.md lists the settings";
        wrong.into_iter().map(|one| Self::failure("settings", one, advice)).collect()
    }

    /// Variables that look like settings and are none.
    pub(crate) fn of_variables(odd: Vec<String>) -> Vec<Self> {
        let advice = "correct the name, or remove the variable";
        odd.into_iter().map(|one| Self::warning("settings", one, advice)).collect()
    }
}

/// Everything about an installation whose settings can be read.
pub(crate) fn examine(settings: &Settings) -> Result<Vec<Diagnosis>, String> {
    let mut findings = checks::settings(settings);
    findings.extend(checks::key(settings));
    findings.extend(checks::disks(settings));
    let runtime = serve::runtime()?;
    findings.extend(runtime.block_on(checks::certificate(settings)));
    findings.extend(runtime.block_on(checks::addresses(settings)));
    findings.extend(runtime.block_on(checks::mail(settings)));
    findings.extend(runtime.block_on(checks::backups(settings)));
    findings.extend(database::examine(settings, &runtime));
    Ok(findings)
}

/// The findings as an operator reads them, and whether nothing fails.
pub(crate) fn report(findings: &[Diagnosis]) -> (String, bool) {
    let mut text = String::new();
    for Diagnosis { check, level, found, advice } in findings {
        let mark = match level {
            Level::Fine => "ok     ",
            Level::Warning => "warning",
            Level::Failure => "FAILURE",
        };
        text += &format!("{mark}  {check:<12} {found}\n");
        if let Some(advice) = advice {
            text += &format!("{:21} -> {advice}\n", "");
        }
    }
    let worst = findings.iter().map(|finding| finding.level).max();
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    text += &match worst {
        Some(Level::Fine) | None => "Everything is fine.".to_owned(),
        _ => format!("Failures: {}. Warnings: {}.", count(Level::Failure), count(Level::Warning)),
    };
    (text, worst != Some(Level::Failure))
}
