//! Making data exports, as a job: the answers of the operations about a client ([`reading`]) are written into a ZIP
//! file ([`packing`]) in the file store. Neither is ever in memory as a whole.

mod packing;
mod reading;

use std::sync::Arc;

use spotter_contract::{
    Env, Job, Table, Write,
    jobs::{ClaimedJob, JobOutcome},
};
use spotter_files::{FileWriter, Files};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::{Problem, Result};
use spotter_people::clients::data_exports::{self, DataExport};
use spotter_store::Db;

use packing::ArchiveStream;
use reading::Reader;

/// What makes data exports.
#[derive(Clone)]
pub struct Exporter {
    /// The database.
    pub db: Db,
    /// The clock and the key.
    pub env: Env,
    /// The operations.
    pub table: Arc<Table>,
    /// The store of files.
    pub files: Files,
}

impl Exporter {
    async fn export(self, held: ClaimedJob) -> JobOutcome {
        match self.attempt_one(&held).await {
            Ok(()) => JobOutcome::Done,
            Err(problem) if problem.status < 500 => JobOutcome::Refused(problem.to_string()),
            Err(problem) => JobOutcome::Failed(problem.to_string()),
        }
    }

    async fn attempt_one(&self, held: &ClaimedJob) -> Result<()> {
        let id = held.subject;
        let begun = self.change(held, move |cx| data_exports::start(cx, id)).await?;
        let Some((export, key)) = begun else { return Ok(()) };
        let size = self.write(held, &export, &key).await?;
        self.change(held, move |cx| data_exports::finish(cx, id, size)).await
    }

    /// Writes the file and returns its size.
    async fn write(&self, held: &ClaimedJob, export: &DataExport, key: &str) -> Result<u64> {
        let (pieces, packed) = packing::start(export.created_at());
        let reader = Reader::new(self, held.company, export, pieces);
        let (read, kept) = tokio::join!(reader.run(), store(self.files.create(key), packed));
        read.and(kept)
    }

    async fn change<T: Send + 'static>(
        &self,
        held: &ClaimedJob,
        step: impl Fn(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (env, company) = (self.env.clone(), held.company);
        let change = move |tx: &mut spotter_store::Tx<'_>| {
            let mut outcome = None;
            Write::as_system(tx, &env, company, data_exports::MAKE.id, &[], |cx| {
                outcome = Some(step(cx)?);
                Ok(())
            })?;
            outcome.ok_or_else(|| Problem::internal("a step was not made"))
        };
        self.db.write(change).await
    }
}

/// Stores the packed file, all of it or nothing.
async fn store(mut writing: FileWriter, mut packed: ArchiveStream) -> Result<u64> {
    while let Some(bytes) = packed.chunks.recv().await {
        writing.put(bytes).await.map_err(Problem::internal)?;
    }
    match packed.ended.await.map_err(Problem::internal)? {
        Ok(()) => writing.finish().await.map_err(Problem::internal),
        Err(problem) => {
            writing.abort().await.ok();
            Err(problem)
        }
    }
}

impl Worker for Exporter {
    fn job(&self) -> &'static Job {
        &data_exports::MAKE
    }

    fn at_once(&self) -> usize {
        1
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        Box::pin(self.clone().export(held.clone()))
    }
}
