//! SQLite's log, which a thread of its own copies into the file: commits seldom wait for that. Only a log that became long is
//! copied to its end by a commit, after which the next one begins it anew.

use std::sync::{
    Arc,
    atomic::{AtomicI32, Ordering},
};

use rusqlite::{Connection, hooks::Wal};
use spotter_kernel::{Problem, Result};

/// Pages by which the log has grown when they are copied (16 MB).
const STEP: i32 = 4_000;
/// Pages after which the log begins anew, once the rest that a commit has to copy for that is small (64 MB).
const LONG: i32 = 16_000;
const REST: i32 = 250;

/// What a thread runs, so that a connection copies what the writer's commits add to the log; it ends with the writer.
pub(crate) fn copying(
    writer: &mut Connection,
    copier: Connection,
) -> Result<impl FnOnce() + Send + 'static> {
    let (grown, grown_enough) = crossbeam_channel::bounded(1);
    let copied = Arc::new(AtomicI32::new(0));
    let (known, mut next) = (copied.clone(), STEP);
    let after_commit = move |log: &mut Wal, pages: i32| {
        if pages < next - STEP {
            // It has begun anew.
            known.store(0, Ordering::Relaxed);
            next = STEP;
        }
        let rest = pages - known.load(Ordering::Relaxed);
        if pages >= 2 * LONG || (pages >= LONG && rest <= REST) {
            // The copier may be at it; a later commit tries again.
            log.checkpoint().ok();
        } else if (pages >= next || pages >= LONG) && grown.try_send(()).is_ok() {
            // A long log is copied without a pause, until little is left.
            next = pages + STEP;
        }
        Ok(())
    };
    writer.wal_hook(Some(after_commit)).map_err(Problem::internal)?;
    Ok(move || {
        for () in grown_enough {
            let pages = copier.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(2));
            match pages {
                Ok(pages) => copied.store(pages, Ordering::Relaxed),
                Err(problem) => {
                    tracing::warn!(%problem, "copying the log into the database failed")
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::sqlite::connect;

    #[test]
    fn the_log_is_copied_beside_and_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copied.db");
        let mut writer = connect(&path).unwrap();
        let copy = copying(&mut writer, connect(&path).unwrap()).unwrap();
        let copier = std::thread::spawn(copy);
        writer.execute_batch("CREATE TABLE piece (bytes BLOB)").unwrap();
        let (size, mut longest, mut begun_anew) =
            (|path| std::fs::metadata(path).unwrap().len(), 0, 0);
        let log = folder.path().join("copied.db-wal");
        let mut previous = Vec::new();
        // 1 MB each, so that the log would have four times the length at which it begins anew.
        for _ in 0..256 {
            writer.execute("INSERT INTO piece VALUES (randomblob(1000000))", []).unwrap();
            longest = longest.max(size(&log));
            // Its salt changes when it begins anew.
            let mut head = [0; 24];
            std::fs::File::open(&log).unwrap().read_exact(&mut head).unwrap();
            let salt = head[16..].to_vec();
            begun_anew += usize::from(salt != previous);
            previous = salt;
        }
        let page = 4096 + 24;
        assert!(longest <= (2 * LONG as u64 + 1_000) * page, "{longest} bytes");
        assert!(begun_anew > 1, "it never begins anew");
        assert!(size(&path) > 100_000_000, "what it had is in the file");
        drop(writer);
        copier.join().unwrap();
        let rows: i64 = connect(&path)
            .unwrap()
            .query_row("SELECT COUNT(*) FROM piece", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 256);
    }
}
