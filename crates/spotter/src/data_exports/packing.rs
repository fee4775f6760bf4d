//! A ZIP file that is written while it is packed, on a thread of its own: compressing takes the processor's time.

use std::io::{self, Write};

use bytes::Bytes;
use spotter_kernel::{Problem, Result, Timestamp};
use tokio::{sync::mpsc, task::JoinHandle};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

/// Pieces that wait on either side.
const WAITING: usize = 8;
/// The size of a chunk.
const CHUNK: usize = 64 << 10;

/// The parts of the archive, in order.
pub enum ArchivePart {
    /// A file begins: its name, and whether its bytes are compressed already.
    File(String, bool),
    /// Bytes of the file that began last.
    Bytes(Bytes),
    /// That is all. What ends without it is not whole.
    End,
}

/// What has been packed.
pub struct ArchiveStream {
    /// The file, as it comes.
    pub chunks: mpsc::Receiver<Bytes>,
    /// Whether that was all.
    pub ended: JoinHandle<Result<()>>,
}

/// Begins to pack files of a time.
pub fn start(written_at: Timestamp) -> (mpsc::Sender<ArchivePart>, ArchiveStream) {
    let (pieces, arriving) = mpsc::channel(WAITING);
    let (leaving, chunks) = mpsc::channel(WAITING);
    let out = ArchiveOutput { leaving, held: Vec::with_capacity(CHUNK) };
    let ended = tokio::task::spawn_blocking(move || pack(arriving, out, written_at));
    (pieces, ArchiveStream { chunks, ended })
}

fn pack(
    mut arriving: mpsc::Receiver<ArchivePart>,
    out: ArchiveOutput,
    written_at: Timestamp,
) -> Result<()> {
    let options = SimpleFileOptions::default().last_modified_time(dos_time(written_at));
    let mut zip = ZipWriter::new_stream(out);
    while let Some(piece) = arriving.blocking_recv() {
        match piece {
            ArchivePart::File(name, is_compressed) => {
                let method = match is_compressed {
                    true => CompressionMethod::Stored,
                    false => CompressionMethod::Deflated,
                };
                let own = options.compression_method(method);
                zip.start_file(name, own).map_err(Problem::internal)?;
            }
            ArchivePart::Bytes(bytes) => zip.write_all(&bytes).map_err(Problem::internal)?,
            ArchivePart::End => {
                let mut out = zip.finish().map_err(Problem::internal)?.into_inner();
                return out.flush().map_err(Problem::internal);
            }
        }
    }
    Err(Problem::internal("a data export ended before it was whole"))
}

/// A time as ZIP files have it: from 1980 on, of no zone.
fn dos_time(at: Timestamp) -> DateTime {
    // 2026-11-24T08:30:00.000Z
    let text = at.to_string();
    let number = |from: usize, until: usize| text.get(from..until).and_then(|own| own.parse().ok());
    let small = |from: usize| number(from, from + 2).unwrap_or(0) as u8;
    let year = number(0, 4).unwrap_or(1980);
    DateTime::from_date_and_time(year, small(5), small(8), small(11), small(14), small(17))
        .unwrap_or_default()
}

/// Where packed bytes leave.
struct ArchiveOutput {
    leaving: mpsc::Sender<Bytes>,
    held: Vec<u8>,
}

impl Write for ArchiveOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let held = std::mem::replace(&mut self.held, Vec::with_capacity(CHUNK));
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.leaving.blocking_send(held.into()).map_err(|_| gone())
    }
}
