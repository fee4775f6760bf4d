//! A file store that can be made to have no room, or not to answer.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::{TryStreamExt, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart, memory::InMemory,
    path::Path,
};
use spotter_files::Files;

/// Keeps files in memory while it is well.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    memory: Arc<InMemory>,
    full: Arc<AtomicBool>,
    away: Arc<AtomicBool>,
}

impl Faulty {
    /// The store, as servers use it.
    pub fn files(&self) -> Files {
        Files::over(Arc::new(self.clone()))
    }

    /// Sets whether the store has no room.
    pub fn is_full(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }

    /// Sets whether the store does not answer.
    pub fn is_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// How many files it holds.
    pub async fn kept(&self) -> usize {
        self.memory.list(None).try_collect::<Vec<_>>().await.unwrap().len()
    }

    fn well(&self, writes: bool) -> Result<()> {
        let kind = if self.away.load(Ordering::SeqCst) {
            io::ErrorKind::ConnectionRefused
        } else if writes && self.full.load(Ordering::SeqCst) {
            io::ErrorKind::StorageFull
        } else {
            return Ok(());
        };
        let source = Box::new(io::Error::from(kind));
        Err(object_store::Error::Generic { store: "faulty", source })
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[derive(Debug)]
struct Parts(Faulty, Box<dyn MultipartUpload>);

#[async_trait]
impl MultipartUpload for Parts {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        match self.0.well(true) {
            Ok(()) => self.1.put_part(data),
            Err(error) => Box::pin(async move { Err(error) }),
        }
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.0.well(true)?;
        self.1.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.1.abort().await
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        at: &Path,
        data: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.well(true)?;
        self.memory.put_opts(at, data, options).await
    }

    async fn put_multipart_opts(
        &self,
        at: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.well(false)?;
        let parts = self.memory.put_multipart_opts(at, options).await?;
        Ok(Box::new(Parts(self.clone(), parts)))
    }

    async fn get_opts(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.well(false)?;
        self.memory.get_opts(at, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.memory.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.memory.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.memory.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.memory.copy_opts(from, to, options).await
    }
}
