//! Storage of files: a folder, or any store with the S3 protocol. Records of the files are in the database.

mod kind;
pub mod picture;
mod store;

pub use kind::looks_like;
pub use store::FileStore;

use std::{error::Error, fmt, io, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    ObjectStore, ObjectStoreExt, aws::AmazonS3Builder, buffered::BufWriter, local::LocalFileSystem,
    path::Path, prefix::PrefixStore,
};
use tokio::io::AsyncWriteExt;

/// Bytes that are held before they are sent on: the least that a part of an S3 upload may have.
const PART: usize = 5 << 20;

/// A file store; clones share it.
#[derive(Clone, Debug)]
pub struct Files(Arc<dyn ObjectStore>);

/// Why something could not be done with a file.
#[derive(Debug)]
pub enum FileError {
    /// There is no room for it.
    Full,
    /// It is not there.
    Missing,
    /// Anything else, for the log.
    Failed(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the file store is full"),
            Self::Missing => f.write_str("a file is not in the file store"),
            Self::Failed(why) => write!(f, "the file store failed: {why}"),
        }
    }
}

impl Error for FileError {}

impl From<object_store::Error> for FileError {
    fn from(error: object_store::Error) -> Self {
        if let object_store::Error::NotFound { .. } = error {
            return Self::Missing;
        }
        if is_full(&error) { Self::Full } else { Self::Failed(error.to_string()) }
    }
}

/// Whether an operating system's refusal for want of room is at the bottom of an error.
fn is_full(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let own = error.downcast_ref::<io::Error>();
    own.is_some_and(|own| matches!(own.kind(), StorageFull | QuotaExceeded | FileTooLarge))
        || error.source().is_some_and(is_full)
}

impl Files {
    /// Opens a file store; creates a missing folder.
    pub fn open(place: &FileStore) -> Result<Self, FileError> {
        match place {
            FileStore::Folder(folder) => {
                let failed = |error| FileError::Failed(format!("{}: {error}", folder.display()));
                std::fs::create_dir_all(folder).map_err(failed)?;
                // Acknowledged data is on disk, as in the database.
                let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                // Nothing is left of a company that is gone.
                Ok(Self(Arc::new(store.with_automatic_cleanup(true))))
            }
            FileStore::S3 { bucket, prefix } => {
                // Region, endpoint and credentials are those of the AWS_* variables.
                let store = AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
                Ok(Self(Arc::new(PrefixStore::new(store, prefix.as_str()))))
            }
        }
    }

    /// Files over a store of one's own.
    pub fn over(store: Arc<dyn ObjectStore>) -> Self {
        Self(store)
    }

    /// Begins to write a file, which exists once it is completely [finished](Writing::finish).
    pub fn create(&self, key: &str) -> FileWriter {
        let writer = BufWriter::with_capacity(self.0.clone(), Path::from(key), PART);
        FileWriter { writer: writer.with_max_concurrency(1), size: 0 }
    }

    /// The size of a file and its bytes as they come.
    pub async fn read(&self, key: &str) -> Result<(u64, Chunks), FileError> {
        let found = self.0.get(&Path::from(key)).await?;
        Ok((found.meta.size, found.into_stream()))
    }

    /// All files, by their keys, with their sizes in bytes; in no order.
    pub fn list(&self) -> BoxStream<'static, Result<(String, u64), FileError>> {
        let found = self.0.list(None).map_ok(|meta| (meta.location.to_string(), meta.size));
        found.map_err(FileError::from).boxed()
    }

    /// The keys of the files in a folder, in no order.
    pub fn list_folder(&self, folder: &str) -> BoxStream<'static, Result<String, FileError>> {
        let found = self.0.list(Some(&Path::from(folder))).map_ok(|meta| meta.location.to_string());
        found.map_err(FileError::from).boxed()
    }

    /// The keys without a folder, in no order.
    pub async fn list_top(&self) -> Result<Vec<String>, FileError> {
        let found = self.0.list_with_delimiter(None).await?;
        Ok(found.objects.into_iter().map(|meta| meta.location.to_string()).collect())
    }

    /// Deletes a file; one that is not there is deleted already.
    pub async fn delete(&self, key: &str) -> Result<(), FileError> {
        match self.0.delete(&Path::from(key)).await.map_err(FileError::from) {
            Err(FileError::Missing) => Ok(()),
            outcome => outcome,
        }
    }
}

/// The bytes of a file as they come.
pub type Chunks = BoxStream<'static, object_store::Result<Bytes>>;

/// A file that is being written.
pub struct FileWriter {
    writer: BufWriter,
    size: u64,
}

impl FileWriter {
    /// Adds bytes; waits while the store is behind.
    pub async fn put(&mut self, bytes: Bytes) -> Result<(), FileError> {
        self.size += bytes.len() as u64;
        self.writer.put(bytes).await.map_err(Into::into)
    }

    /// How many bytes were added.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Keeps the file.
    pub async fn finish(mut self) -> Result<u64, FileError> {
        match self.writer.shutdown().await {
            Ok(()) => Ok(self.size),
            Err(error) if is_full(&error) => Err(FileError::Full),
            Err(error) => Err(FileError::Failed(error.to_string())),
        }
    }

    /// Forgets the file, and what of it has been written.
    pub async fn abort(mut self) -> Result<(), FileError> {
        self.writer.abort().await.map_err(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (Files, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("spotter-files-{}", std::process::id()));
        (Files::open(&FileStore::Folder(folder.clone())).unwrap(), folder)
    }

    #[tokio::test]
    async fn a_file_is_there_whole_or_not_at_all() {
        let (files, folder) = folder();
        for size in [0, 1_000, PART, 3 * PART + 7] {
            let key = format!("a/{size}");
            let mut writing = files.create(&key);
            for piece in vec![7u8; size].chunks(1_000_003) {
                writing.put(Bytes::copy_from_slice(piece)).await.unwrap();
                assert!(matches!(files.read(&key).await, Err(FileError::Missing)));
            }
            assert_eq!(writing.finish().await.unwrap(), size as u64);
            let (output, chunks) = files.read(&key).await.unwrap();
            let read: Vec<Bytes> = chunks.try_collect().await.unwrap();
            assert_eq!((output, read.concat().len()), (size as u64, size));
            let listed: Vec<_> = files.list().try_collect().await.unwrap();
            assert_eq!(listed, [(key.clone(), size as u64)]);
            files.delete(&key).await.unwrap();
            files.delete(&key).await.unwrap();
            assert!(folder.exists() && !folder.join("a").exists(), "an empty folder is left");
        }
        let mut writing = files.create("a/given-up");
        writing.put(vec![1; 2 * PART].into()).await.unwrap();
        writing.abort().await.unwrap();
        let left: Vec<_> = std::fs::read_dir(folder.join("a")).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_full_disk_is_a_distinct_error() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = object_store::Error::Generic { store: "x", source: Box::new(full) };
        assert!(matches!(FileError::from(error), FileError::Full));
        let other = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = object_store::Error::Generic { store: "x", source: Box::new(other) };
        assert!(matches!(FileError::from(error), FileError::Failed(_)));
    }
}
