//! The test environment of a company: a copy of its setup in a database of its own, in which nothing is real. It is
//! created and deleted outside of any transaction, by a job.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Area, Job, Read, Success, Write, answer,
    jobs::{AttemptResult, JobState, RetryPolicy},
    operation,
};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id::CompanyId, secret::EnvironmentMode};
use spotter_store::{Tx, params, record, set, statements, values, words};

use crate::{companies, rules::CompanyRule};

words! {
    /// How far a test environment is.
    pub enum TestEnvironmentStatus {
        Creating = "creating",
        Ready = "ready",
        Deleting = "deleting",
        Failed = "failed",
    }
}

record! {
    /// The test environment of the company.
    #[derive(Debug, Clone, PartialEq)]
    struct TestEnvironment {
        status: TestEnvironmentStatus,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The test environment of the company.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestEnvironment")]
struct TestEnvironmentView {
    /// It can be used while it is `ready`; a `failed` one is deleted and created again.
    status: TestEnvironmentStatus,
    /// Where it is reached: the APIs below it, and its pages in a browser.
    address: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The path of a company's test environment.
pub fn path_of(company: CompanyId) -> String {
    format!("/test/{company}")
}

impl TestEnvironment {
    /// The company's, unless it has none. Within a test environment there is no other.
    fn find(cx: &mut Read) -> Result<Option<Self>> {
        match cx.mode() {
            EnvironmentMode::Live => cx.one(FIND, params![]),
            EnvironmentMode::Test => Err(Key::NotFound.into()),
        }
    }

    fn view(self, cx: &Read) -> Result<TestEnvironmentView> {
        let address = format!("{}{}", cx.address()?.trim_end_matches('/'), path_of(cx.company()));
        let Self { status, created_at, updated_at } = self;
        Ok(TestEnvironmentView { status, address, created_at, updated_at })
    }

    /// Has the job make of the environment what its status says.
    fn save(self, cx: &mut Write) -> Result<Self> {
        cx.set_audit_target("test_environment", cx.company().0, ["status"]);
        cx.defer(SAVE, &self.params())?;
        cx.begin_job_again(&KEEP, cx.company().0)?;
        Ok(self)
    }
}

/// When a company's test environment was created, if it can be used.
pub fn ready(tx: &mut Tx, company: CompanyId) -> Result<Option<Timestamp>> {
    let found: Option<(Timestamp,)> =
        tx.one(READY, params![company, TestEnvironmentStatus::Ready])?;
    Ok(found.map(|(created_at,)| created_at))
}

/// The status of a company's test environment, if it has one.
pub fn status(tx: &mut Tx, company: CompanyId) -> Result<Option<TestEnvironmentStatus>> {
    let found: Option<TestEnvironment> = tx.one(FIND, params![company])?;
    Ok(found.map(|own| own.status))
}

/// Forgets all test environments, whose databases are gone.
pub fn forget_all(tx: &mut Tx) -> Result<()> {
    companies::for_each(tx, |tx, company| tx.execute(REMOVE, params![company.company_id]).map(drop))
}

answer!(TestEnvironmentAnswer { test_environment: TestEnvironmentView });

fn get_test_environment(cx: &mut Read) -> Result<TestEnvironmentAnswer> {
    let found = TestEnvironment::find(cx)?.ok_or(Key::NotFound)?;
    Ok(TestEnvironmentAnswer { test_environment: found.view(cx)? })
}

fn create_test_environment(cx: &mut Write) -> Result<TestEnvironmentAnswer> {
    if TestEnvironment::find(cx)?.is_some() {
        return Err(Problem::conflict("testEnvironment", CompanyRule::TestEnvironmentExists));
    }
    let (status, now) = (TestEnvironmentStatus::Creating, cx.now());
    let created = TestEnvironment { status, created_at: now, updated_at: now };
    cx.defer(INSERT, &created.params())?;
    Ok(TestEnvironmentAnswer { test_environment: created.save(cx)?.view(cx)? })
}

fn delete_test_environment(cx: &mut Write) -> Result<TestEnvironmentAnswer> {
    let found = TestEnvironment::find(cx)?.ok_or(Key::NotFound)?;
    let going = match found.status {
        TestEnvironmentStatus::Deleting => found,
        TestEnvironmentStatus::Creating => {
            let rule = CompanyRule::TestEnvironmentCreating;
            return Err(Problem::conflict("testEnvironment", rule));
        }
        TestEnvironmentStatus::Ready | TestEnvironmentStatus::Failed => {
            let (status, updated_at) = (TestEnvironmentStatus::Deleting, cx.now());
            TestEnvironment { status, updated_at, ..found }.save(cx)?
        }
    };
    Ok(TestEnvironmentAnswer { test_environment: going.view(cx)? })
}

/// Creating or deleting a test environment.
pub static KEEP: Job = Job::new(
    "keep_test_environment",
    "Create or delete a company's test environment",
    RetryPolicy { lease_ms: 60_000, retries: &[5, 60] },
    on_finished,
);

fn on_finished(cx: &mut Write, _: Id, settled: &AttemptResult) -> Result<()> {
    let Some(mut own) = TestEnvironment::find(cx)? else { return Ok(()) };
    own.updated_at = cx.now();
    match (own.status, settled.state) {
        (TestEnvironmentStatus::Deleting, JobState::Done) => return cx.defer(REMOVE, params![]),
        (TestEnvironmentStatus::Creating, JobState::Done) => {
            own.status = TestEnvironmentStatus::Ready;
        }
        _ if settled.again_at.is_none() => own.status = TestEnvironmentStatus::Failed,
        _ => return Ok(()),
    }
    cx.defer(SAVE, &own.params())
}

/// The operations and statements of this module.
pub(crate) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&KEEP]).operations([
        operation!(app GET "/test-environment", Manager, get_test_environment)
            .summary("Get the test environment")
            .describe("Returns the company's test environment; 404 where there is none."),
        operation!(app POST "/test-environment", Manager, create_test_environment)
            .success(Success::Added)
            .summary("Create the test environment")
            .describe(
                "Copies the company's setup, without people but its coaches, into a database of \
                 its own, within seconds. Coaches sign in there as they do here. What it issues \
                 has `test_` after its prefix, such as `fspt_test_…`.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(app DELETE "/test-environment", Manager, delete_test_environment)
            .success(Success::Deleted)
            .summary("Delete the test environment")
            .describe("Deletes the test environment with all that is in it, within seconds.")
            .fails(&[Key::ApiError]),
    ])
}

statements! {
    FIND = "SELECT ", TestEnvironment::COLUMNS, " FROM test_environment WHERE company_id = ?1";
    READY = "SELECT t.created_at FROM test_environment t JOIN company c ON c.company_id = t.company_id \
        WHERE t.company_id = ?1 AND t.status = ?2 AND c.suspended_at IS NULL";
    INSERT = "INSERT INTO test_environment ", values!(TestEnvironment);
    SAVE = "UPDATE test_environment SET ", set!(TestEnvironment), " WHERE company_id = ?1";
    REMOVE = "DELETE FROM test_environment WHERE company_id = ?1";
}
