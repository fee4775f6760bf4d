//! A database that is written directly, because years of rows would take hours over HTTP.

use std::time::Duration;

use spotter_kernel::Problem;
use spotter_store::{Config, DatabaseLocation, Db, Sql, Tx};

use crate::Outcome;

/// A database that no service has open.
pub struct Filling(Db, DatabaseLocation);

/// Opens it.
pub async fn open(location: DatabaseLocation) -> Outcome<Filling> {
    let config = Config::new(location.clone());
    let db = tokio::task::spawn_blocking(move || Db::open(&config))
        .await?
        .map_err(Problem::for_operators)?;
    Ok(Filling(db, location))
}

impl Filling {
    /// Writes some rows, in one transaction.
    pub async fn write(
        &self,
        mut rows: impl FnMut(&mut Tx<'_>) -> Result<(), Problem> + Send + 'static,
    ) -> Outcome {
        Ok(self.0.write_rows(move |tx| rows(tx)).await.map_err(Problem::for_operators)?)
    }

    /// Reads some.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl Fn(&mut Tx<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Outcome<T> {
        Ok(self.0.read(question).await.map_err(Problem::for_operators)?)
    }

    /// Closes it, with folded totals and PostgreSQL's statistics.
    pub async fn close(self) -> Outcome {
        let Self(db, location) = self;
        db.fold_tallies().await.map_err(Problem::for_operators)?;
        if let DatabaseLocation::Server(_) = location {
            db.write_rows(|tx| tx.execute(Sql("ANALYZE"), &[]).map(drop))
                .await
                .map_err(Problem::for_operators)?;
        }
        db.close(Duration::from_secs(5));
        Ok(())
    }
}
