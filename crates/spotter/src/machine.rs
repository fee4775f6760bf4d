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
    /// Sets the gauges of the disk, the certificate's end, the database and the last backup.
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
        let backup = db.read(operator::last_backup).await;
        gauge!("spotter_database_up").set(f64::from(u8::from(backup.is_ok())));
        if let Some(at) = backup? {
            gauge!("spotter_backup_timestamp_seconds").set(at.seconds() as f64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use spotter_kernel::Clock as _;
    use spotter_store::{Config, DatabaseLocation, migrate};

    use super::*;
    use crate::system::SystemClock;

    #[test]
    fn a_database_that_does_not_answer_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine { data: folder.path().to_owned(), certificate: None };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let recorder = PrometheusBuilder::new().build_recorder();
        let _measured = metrics::set_default_local_recorder(&recorder);
        let is_up = |location: &DatabaseLocation| {
            let db = Db::open(&Config::new(location.clone())).unwrap();
            let answered = runtime.block_on(machine.measure(&db)).is_ok();
            let metrics = recorder.handle().render();
            let gauge = format!("spotter_database_up {}", u8::from(answered));
            assert!(metrics.contains(&gauge), "{gauge}: {metrics}");
            answered
        };
        let [empty, filled] =
            ["empty.db", "filled.db"].map(|name| DatabaseLocation::File(folder.path().join(name)));
        migrate(&filled, SystemClock.now(), |_| ()).unwrap();
        assert!(is_up(&filled));
        assert!(!is_up(&empty), "one without tables has no answer");
    }
}
