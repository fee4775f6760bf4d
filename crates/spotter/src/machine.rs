//! What of the machine is measured: what an operator must not run out of.

use std::path::PathBuf;

use metrics::gauge;
use spotter_console::operator;
use spotter_kernel::{Problem, Result};
use spotter_store::Db;

/// What of the machine is measured.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The data folder, whose disk can fill up.
    pub data: PathBuf,
    /// The file of the certificate, where the service has one itself.
    pub certificate: Option<PathBuf>,
}

impl Machine {
    /// Sets the gauges of the disk, the last backup, and the certificate's end.
    pub(crate) async fn measure(&self, db: &Db) -> Result<()> {
        gauge!("spotter_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        let own = self.clone();
        let look = move || operator::host_status(&own.data, own.certificate.as_deref());
        let host = tokio::task::spawn_blocking(look).await.map_err(Problem::internal)?;
        if let Some((free, all)) = host.room {
            gauge!("spotter_disk_free_bytes").set(free as f64);
            gauge!("spotter_disk_bytes").set(all as f64);
        }
        if let Some(end) = host.certificate {
            gauge!("spotter_certificate_end_timestamp_seconds").set(end.seconds() as f64);
        }
        if let Some(at) = db.read(operator::last_backup).await? {
            gauge!("spotter_backup_timestamp_seconds").set(at.seconds() as f64);
        }
        Ok(())
    }
}
