//! The operator's setting of the file store.

use std::path::{Path, PathBuf};

/// The place of the file store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStore {
    /// A folder of this machine, or one that several machines share.
    Folder(PathBuf),
    /// A bucket of a store that speaks S3's protocol.
    S3 {
        /// The bucket's name.
        bucket: String,
        /// What every key in it begins with; may be empty.
        prefix: String,
    },
}

impl FileStore {
    /// Reads a folder's path, or `s3://bucket/prefix`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once("://") {
            None => (!text.is_empty()).then(|| Self::Folder(text.into())),
            Some(("s3", rest)) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                let named = bucket.len() >= 3
                    && bucket.bytes().all(|c| c.is_ascii_alphanumeric() || b"-._".contains(&c));
                let prefix = prefix.trim_matches('/').to_owned();
                named.then(|| Self::S3 { bucket: bucket.to_owned(), prefix })
            }
            Some(_) => None,
        }
    }

    /// Whether one of two places is within the other, or is the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        let within = |inner: &Path, outer: &Path| real(inner).starts_with(real(outer));
        match (self, other) {
            (Self::Folder(own), Self::Folder(other)) => within(own, other) || within(other, own),
            (Self::S3 { bucket, prefix }, Self::S3 { bucket: bucket2, prefix: prefix2 }) => {
                let (own, other) = (Path::new(prefix), Path::new(prefix2));
                bucket == bucket2 && (own.starts_with(other) || other.starts_with(own))
            }
            _ => false,
        }
    }
}

/// A folder by its own name, where it is there.
fn real(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_folders_or_buckets() {
        let s3 = |bucket: &str, prefix: &str| {
            Some(FileStore::S3 { bucket: bucket.into(), prefix: prefix.into() })
        };
        assert_eq!(FileStore::parse("data/files"), Some(FileStore::Folder("data/files".into())));
        assert_eq!(FileStore::parse("s3://gym-files/a/b/"), s3("gym-files", "a/b"));
        assert_eq!(FileStore::parse("s3://gym-files"), s3("gym-files", ""));
        for bad in ["", "s3://", "s3:///x", "s3://a b", "gs://bucket", "https://x"] {
            assert_eq!(FileStore::parse(bad), None, "{bad}");
        }
    }
}
