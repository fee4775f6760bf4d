//! Test environments: for each company that wants one, a second database with a copy of its setup, served beside the
//! real one by the same process. Nothing in it is real: no mail leaves, no provider but the sandbox is there, and its
//! clock can be advanced ([`clock`]). [`dispatch`] leads requests to it, by their credentials or their address;
//! [`copy`] says what is copied.

mod clock;
mod copy;
mod dispatch;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::Router;
use futures_util::StreamExt;
use spotter_billing::collecting::connection;
use spotter_company::test_environment::{self, TestEnvironmentStatus};
use spotter_contract::{
    Env, Job, Write,
    jobs::{ClaimedJob, JobOutcome},
};
use spotter_files::{FileError, FileStore, Files};
use spotter_http::State;
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::{Problem, Result, Timestamp, id::CompanyId, secret::EnvironmentMode};
use spotter_outbound::smtp::{Mailbox, Post};
use spotter_store::{
    Config, DatabaseLocation, Db, Tx, beside, create_empty, drop_database, migrate,
};
use tokio::task::JoinHandle;

use self::clock::{ClockDriver, ShiftedClock};
pub(crate) use self::dispatch::Dispatcher;
use crate::{
    instance::{Beside, Instance},
    settings::Settings,
};

/// Test environments that a process serves at once: each takes five connections of a server.
const SERVED_MAX: usize = 8;
/// How long an environment without requests keeps its place from another one.
const YIELDS_AFTER: Duration = Duration::from_secs(60);
/// How long an environment without requests is served.
const KEPT: Duration = Duration::from_secs(600);
/// How often it is looked for such, and for those that another process has deleted.
const SWEEP: Duration = Duration::from_secs(10);
/// How long it is believed that an environment is still there.
const BELIEVED: Duration = Duration::from_secs(2);
/// How long an environment that is stopped waits for what is under way.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// The test environments of an installation; clones share them.
#[derive(Clone)]
pub(crate) struct TestEnvironments(Arc<EnvironmentRegistry>);

struct EnvironmentRegistry {
    settings: Settings,
    /// The real environment, which knows who has a test environment.
    live: Arc<State>,
    served: Mutex<HashMap<CompanyId, TestInstance>>,
    /// Held by who starts an environment, or sees to it that it is not served.
    turn: tokio::sync::Mutex<()>,
}

/// An environment that is served.
struct TestInstance {
    instance: Instance,
    routes: Router,
    driver: JoinHandle<()>,
    /// When it was created: another one of the same company may take its place.
    created_at: Timestamp,
    used: Instant,
    checked: Instant,
}

impl TestInstance {
    async fn stop(self, patience: Duration) {
        self.driver.abort();
        self.driver.await.ok();
        drop(self.routes);
        self.instance.stop(patience).await;
    }
}

impl TestEnvironments {
    pub(crate) fn new(settings: &Settings, live: &Arc<State>) -> Self {
        let (settings, live) = (settings.clone(), live.clone());
        let (served, turn) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(EnvironmentRegistry { settings, live, served, turn }))
    }

    /// Whether the installation is reached over TLS alone.
    fn is_secure(&self) -> bool {
        self.0.live.env.address.starts_with("https")
    }

    /// The routes of a company's test environment, if it is served now and was there a moment ago.
    fn served_routes(&self, company: CompanyId) -> Option<Router> {
        let mut all = self.served();
        let served = all.get_mut(&company)?;
        served.used = Instant::now();
        (served.checked.elapsed() < BELIEVED).then(|| served.routes.clone())
    }

    /// Whether a company's test environment is served now.
    fn serves(&self, company: CompanyId) -> bool {
        self.served().contains_key(&company)
    }

    /// The routes of a company's test environment, which is started where it is not served yet; `None` where there is
    /// none.
    async fn routes(&self, company: CompanyId) -> Result<Option<Router>> {
        if let Some(routes) = self.served_routes(company) {
            return Ok(Some(routes));
        }
        let ready = self.ready(company).await?;
        let gone = {
            let mut all = self.served();
            match all.get_mut(&company) {
                Some(served) if ready == Some(served.created_at) => {
                    served.checked = Instant::now();
                    return Ok(Some(served.routes.clone()));
                }
                _ => all.remove(&company),
            }
        };
        gone.map(|gone| tokio::spawn(gone.stop(STOP_TIMEOUT)));
        if ready.is_none() {
            return Ok(None);
        }
        let _turn = self.0.turn.lock().await;
        if let Some(routes) = self.served_routes(company) {
            return Ok(Some(routes));
        }
        // It may have been deleted while the turn was waited for.
        let Some(created_at) = self.ready(company).await? else { return Ok(None) };
        self.make_room()?;
        let served = self.start(company, created_at).await?;
        let routes = served.routes.clone();
        self.served().insert(company, served);
        Ok(Some(routes))
    }

    /// Stops the environment that was not used for longest, where as many as may be are served.
    fn make_room(&self) -> Result<()> {
        let mut all = self.served();
        if all.len() < SERVED_MAX {
            return Ok(());
        }
        let idle = all.iter().filter(|(_, served)| served.used.elapsed() > YIELDS_AFTER);
        let oldest = idle.min_by_key(|(_, served)| served.used).map(|(company, _)| *company);
        let gone = oldest.and_then(|oldest| all.remove(&oldest)).ok_or_else(Problem::overloaded)?;
        tokio::spawn(gone.stop(STOP_TIMEOUT));
        Ok(())
    }

    fn served(&self) -> MutexGuard<'_, HashMap<CompanyId, TestInstance>> {
        self.0.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When a company's test environment was created, if it can be used.
    async fn ready(&self, company: CompanyId) -> Result<Option<Timestamp>> {
        self.0.live.db.read(move |tx| test_environment::ready(tx, company)).await
    }

    async fn start(&self, company: CompanyId, created_at: Timestamp) -> Result<TestInstance> {
        let settings = self.settings_of(company);
        let config = settings.database.clone();
        let now = self.0.live.env.clock.now();
        let opened = tokio::task::spawn_blocking(move || {
            migrate(&config.location, now, |_| ())?;
            Db::open(&config)
        });
        let db = opened.await.map_err(Problem::internal)??;
        let clock = Arc::new(ShiftedClock::new(self.0.live.env.clock.clone()));
        let env = Env {
            mode: EnvironmentMode::Test,
            clock: clock.clone(),
            address: settings.address().into(),
            mail_links: Some(settings.address().into()),
            mail_sender: settings.mail.as_ref().map_or("", Post::sender_address).into(),
            ..self.0.live.env.clone()
        };
        let jobs = crate::areas::areas().jobs.into();
        let driver = ClockDriver { db: db.clone(), company, clock, jobs };
        driver.set().await?;
        let instance = Instance::start(&settings, env, db, Beside::Live(&self.0.live));
        let instance = instance.map_err(Problem::internal)?;
        let routes = instance.routes.clone();
        let (driver, now) = (tokio::spawn(driver.run()), Instant::now());
        Ok(TestInstance { instance, routes, driver, created_at, used: now, checked: now })
    }

    /// The settings of the installation as they are for a company's test environment.
    fn settings_of(&self, company: CompanyId) -> Settings {
        let settings = &self.0.settings;
        let address = settings.address();
        let path = test_environment::path_of(company);
        let database = Config {
            location: self.location(company),
            replica: None,
            readers: 1,
            connections: 3,
            cache_mb: 8,
            ..settings.database.clone()
        };
        Settings {
            database,
            files: files_beside(&settings.files, company),
            base_url: Some(format!("{}{path}", address.trim_end_matches('/'))),
            // Letters are written, and go to a mailbox that nobody opens.
            mail: Some(Post::Mailbox(Mailbox::default())),
            mcp_listen: None,
            ..settings.clone()
        }
    }

    fn location(&self, company: CompanyId) -> DatabaseLocation {
        location_of(&self.0.settings, company)
    }

    /// Does what the status of a company's test environment says.
    async fn keep(self, company: CompanyId) -> JobOutcome {
        let kept = async {
            let status =
                self.0.live.db.read(move |tx| test_environment::status(tx, company)).await?;
            match status {
                Some(TestEnvironmentStatus::Creating) => self.create(company).await,
                Some(TestEnvironmentStatus::Deleting) => self.delete(company).await,
                _ => Ok(()),
            }
        };
        match kept.await {
            Ok(()) => JobOutcome::Done,
            Err(problem) => JobOutcome::Failed(problem.to_string()),
        }
    }

    async fn create(&self, company: CompanyId) -> Result<()> {
        self.let_go(company).await;
        let (from, to) = (self.0.settings.database.location.clone(), self.location(company));
        let now = self.0.live.env.clock.now();
        let config = self.settings_of(company).database;
        let made = tokio::task::spawn_blocking(move || {
            create_empty(&from, &to)?;
            migrate(&to, now, |_| ())?;
            copy::copy(&from, &to, company)?;
            Db::open(&config)
        });
        let (db, env) = (made.await.map_err(Problem::internal)??, self.0.live.env.clone());
        let name = test_environment::KEEP.id;
        let connect = move |tx: &mut Tx<'_>| {
            Write::as_system(tx, &env, company, name, &[], connection::connect_sandbox).map(drop)
        };
        db.write(connect).await?;
        let closed = tokio::task::spawn_blocking(move || db.close(STOP_TIMEOUT)).await;
        closed.map(drop).map_err(Problem::internal)
    }

    async fn delete(&self, company: CompanyId) -> Result<()> {
        self.let_go(company).await;
        remove(&self.0.settings, company).await
    }

    async fn let_go(&self, company: CompanyId) {
        let _turn = self.0.turn.lock().await;
        let served = self.served().remove(&company);
        if let Some(served) = served {
            served.stop(STOP_TIMEOUT).await;
        }
    }

    /// Ends the streams that would otherwise never end.
    pub(crate) fn stop_streams(&self) {
        self.served().values().for_each(|served| served.instance.state.stop());
    }

    /// Stops environments that are unused or were deleted, until it is dropped.
    pub(crate) async fn stop_unused(self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            let deleted = self.deleted().await.unwrap_or_default();
            let unused: Vec<TestInstance> = {
                let mut all = self.served();
                all.extract_if(|company, served| {
                    served.used.elapsed() > KEPT || deleted.contains(&(*company, served.created_at))
                })
                .map(|(_, one)| one)
                .collect()
            };
            futures_util::future::join_all(unused.into_iter().map(|one| one.stop(STOP_TIMEOUT)))
                .await;
        }
    }

    /// Those that are served though another process has deleted them.
    async fn deleted(&self) -> Result<Vec<(CompanyId, Timestamp)>> {
        let served = self
            .served()
            .iter()
            .map(|(company, one)| (*company, one.created_at))
            .collect::<Vec<_>>();
        if served.is_empty() {
            return Ok(served);
        }
        let gone = move |tx: &mut Tx<'_>| {
            let mut gone = Vec::new();
            for (company, created_at) in &served {
                if test_environment::ready(tx, *company)? != Some(*created_at) {
                    gone.push((*company, *created_at));
                }
            }
            Ok(gone)
        };
        self.0.live.db.read(gone).await
    }

    /// Stops all that are served.
    pub(crate) async fn stop(&self, patience: Duration) {
        let all = std::mem::take(&mut *self.served());
        futures_util::future::join_all(all.into_values().map(|served| served.stop(patience))).await;
    }
}

fn folder_of(settings: &Settings, company: CompanyId) -> PathBuf {
    settings.data.join("test").join(company.to_string())
}

fn location_of(settings: &Settings, company: CompanyId) -> DatabaseLocation {
    let suffix = format!("_test_{company}");
    beside(&settings.database.location, folder_of(settings, company), &suffix)
}

/// Deletes the database and the files of a company's test environment, if there is one.
pub(crate) async fn remove(settings: &Settings, company: CompanyId) -> Result<()> {
    let place = files_beside(&settings.files, company);
    let files = Files::open(&place).map_err(Problem::internal)?;
    delete_all(files).await.map_err(Problem::internal)?;
    let (from, gone) = (settings.database.location.clone(), location_of(settings, company));
    let folder = folder_of(settings, company);
    let dropped = tokio::task::spawn_blocking(move || {
        drop_database(&from, &gone)?;
        // Empty by now, and only there where they are on this machine.
        std::fs::remove_dir(folder).ok();
        if let FileStore::Folder(folder) = place {
            std::fs::remove_dir_all(folder).ok();
        }
        Ok(())
    });
    dropped.await.map_err(Problem::internal)?
}

/// The files of a company's test environment, apart from those that are backed up.
fn files_beside(files: &FileStore, company: CompanyId) -> FileStore {
    match files {
        FileStore::Folder(folder) => {
            let mut name = folder.file_name().unwrap_or_default().to_owned();
            name.push("-test");
            FileStore::Folder(folder.with_file_name(name).join(company.to_string()))
        }
        FileStore::S3 { bucket, prefix } => {
            FileStore::S3 { bucket: bucket.clone(), prefix: format!("{prefix}-test/{company}") }
        }
    }
}

async fn delete_all(files: Files) -> std::result::Result<(), FileError> {
    let mut found = files.list();
    while let Some(file) = found.next().await {
        files.delete(&file?.0).await?;
    }
    Ok(())
}

impl Worker for TestEnvironments {
    fn job(&self) -> &'static Job {
        &test_environment::KEEP
    }

    fn at_once(&self) -> usize {
        1
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        Box::pin(self.clone().keep(held.company))
    }
}
