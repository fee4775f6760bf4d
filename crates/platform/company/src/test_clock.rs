//! The clock of a test environment. It goes as fast as any, ahead of the real time by an offset that only grows. Whoever
//! advances it sets an instant; what falls due on the way runs at its own time before the clock goes further.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Read, Success, Write, answer, operation};
use spotter_kernel::{Key, Problem, Result, Timestamp, id::CompanyId, secret::EnvironmentMode};
use spotter_store::{Tx, params, record, statements, words};

use crate::rules::CompanyRule;

/// Most days that the clock is advanced at once.
const ADVANCE_DAYS_MAX: i64 = 400;

words! {
    /// Whether a test clock is on its way to a later instant.
    pub enum TestClockStatus { Ready = "ready", Advancing = "advancing" }
}

record! {
    /// The clock of a test environment, as it is stored.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct TestClock {
        /// How far it is ahead of the real time, in milliseconds.
        pub offset_ms: i64,
        /// Where it is advanced to.
        pub advance_to: Option<Timestamp>,
    }
}

/// The clock of a test environment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestClock")]
struct TestClockView {
    status: TestClockStatus,
    /// The clock's time.
    now: Timestamp,
    /// Where it is advanced to; null unless it is `advancing`.
    advance_to: Option<Timestamp>,
}

impl TestClock {
    /// The clock of a company's test environment, in whose database it is; one that was never advanced, where none is
    /// stored.
    pub fn stored(tx: &mut Tx, company: CompanyId) -> Result<Self> {
        Ok(tx.one(FIND, params![company])?.unwrap_or_default())
    }

    /// Moves the clock from where it was found, and notes that it has arrived; whether it was still there.
    pub fn step(self, tx: &mut Tx, company: CompanyId, to: Self) -> Result<bool> {
        let Self { offset_ms, advance_to } = to;
        let moved = params![company, offset_ms, advance_to, self.offset_ms, self.advance_to];
        Ok(tx.execute(STEP, moved)? > 0)
    }

    /// The caller's.
    fn find(cx: &mut Read) -> Result<Self> {
        Ok(cx.one(FIND, params![])?.unwrap_or_default())
    }

    fn view(self, cx: &Read) -> TestClockView {
        let status = match self.advance_to {
            Some(_) => TestClockStatus::Advancing,
            None => TestClockStatus::Ready,
        };
        TestClockView { status, now: cx.now(), advance_to: self.advance_to }
    }
}

answer!(TestClockAnswer { test_clock: TestClockView });

fn get_test_clock(cx: &mut Read) -> Result<TestClockAnswer> {
    let clock = TestClock::find(cx)?;
    Ok(TestClockAnswer { test_clock: clock.view(cx) })
}

/// How a test clock is advanced.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TestClockAdvance {
    /// After the clock's time, by at most 400 days.
    advance_to: Timestamp,
}

fn advance_test_clock(
    cx: &mut Write,
    Body(wanted): Body<TestClockAdvance>,
) -> Result<TestClockAnswer> {
    if cx.mode() == EnvironmentMode::Live {
        return Err(Problem::conflict("testClock", CompanyRule::LiveClock));
    }
    let (clock, to) = (TestClock::find(cx)?, wanted.advance_to);
    if clock.advance_to.is_some() {
        return Err(Problem::conflict("advanceTo", CompanyRule::ClockAdvancing));
    }
    if to <= cx.now() {
        return Err(Problem::invalid("advanceTo", CompanyRule::ClockBehind));
    }
    if to > cx.now().plus_days(ADVANCE_DAYS_MAX) {
        let rule = CompanyRule::ClockTooFar { days: ADVANCE_DAYS_MAX };
        return Err(Problem::invalid("advanceTo", rule));
    }
    cx.set_audit_target("test_clock", cx.company().0, ["advanceTo"]);
    let advancing = TestClock { advance_to: Some(to), ..clock };
    cx.defer(SET, &advancing.params())?;
    Ok(TestClockAnswer { test_clock: advancing.view(cx) })
}

/// The operations and statements of this module.
pub(crate) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/test-clock", PlatformRead, get_test_clock)
            .summary("Get the test clock")
            .describe(
                "Returns the time of the environment that the token is for: of a live token the real \
                 time.",
            ),
        operation!(POST "/test-clock/advance", PlatformRead, advance_test_clock)
            .success(Success::Saved)
            .summary("Advance the test clock")
            .describe(
                "Moves the time of the test environment forward. Renewals, reminders and all else \
                 that falls due on the way run one after the other, each at its own time; \
                 meanwhile the status is `advancing`. A live token is refused with 409.",
            )
            .fails(&[Key::ApiError]),
    ])
}

statements! {
    FIND = "SELECT ", TestClock::COLUMNS, " FROM test_clock WHERE company_id = ?1";
    SET = "INSERT INTO test_clock (company_id, offset_ms, advance_to) VALUES (?1, ?2, ?3) \
        ON CONFLICT (company_id) DO UPDATE SET advance_to = excluded.advance_to";
    STEP = "UPDATE test_clock SET offset_ms = ?2, advance_to = ?3 \
        WHERE company_id = ?1 AND offset_ms = ?4 AND advance_to IS NOT DISTINCT FROM ?5";
}
