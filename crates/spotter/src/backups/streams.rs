//! Reading, writing and copying files between stores, with their digests.

use bytes::Bytes;
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use spotter_files::{FileError, Files};

use super::file_list::CopiedFile;

/// An error as an operator reads it.
pub(super) fn failed(error: FileError) -> String {
    error.to_string()
}

/// Writes a short file.
pub(super) async fn write(files: &Files, key: &str, text: impl Into<Bytes>) -> Result<(), String> {
    let mut writer = files.create(key);
    writer.put(text.into()).await.map_err(failed)?;
    writer.finish().await.map(drop).map_err(failed)
}

/// Reads a short text.
pub(super) async fn read(files: &Files, key: &str) -> Result<String, String> {
    let (_, chunks) = files.read(key).await.map_err(|error| format!("{key}: {error}"))?;
    let bytes: Vec<Bytes> = chunks.try_collect().await.map_err(|error| error.to_string())?;
    String::from_utf8(bytes.concat()).map_err(|_| format!("{key} is no text"))
}

/// Copies a file between stores.
pub(super) async fn copy(
    from: &Files,
    key: &str,
    to: &Files,
    new_key: &str,
) -> Result<CopiedFile, String> {
    let mut writer = to.create(new_key);
    let copied = pass(from, key, async |chunk| writer.put(chunk).await.map_err(failed)).await?;
    writer.finish().await.map_err(failed)?;
    Ok(copied)
}

/// The size and the SHA-256 of a file.
pub(super) async fn digest(files: &Files, key: &str) -> Result<CopiedFile, String> {
    pass(files, key, async |_| Ok(())).await
}

/// Reads a file, and hands each part on.
async fn pass(
    files: &Files,
    key: &str,
    mut part: impl AsyncFnMut(Bytes) -> Result<(), String>,
) -> Result<CopiedFile, String> {
    let (_, mut chunks) = files.read(key).await.map_err(|error| format!("{key}: {error}"))?;
    let (mut hash, mut size) = (Sha256::new(), 0);
    while let Some(chunk) = chunks.try_next().await.map_err(|error| format!("{key}: {error}"))? {
        size += chunk.len() as u64;
        hash.update(&chunk);
        part(chunk).await?;
    }
    Ok(CopiedFile { size, sha256: hexadecimal(&hash.finalize()) })
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(super) fn text_digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
