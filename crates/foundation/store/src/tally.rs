//! Totals of large lists, kept as records change, so that no list is counted to say how long it is.
//!
//! SQLite keeps one row a total, which its single writer makes free of conflict. PostgreSQL
//! appends a row a transaction, for a row that all write would make them take turns;
//! [`Db::fold_tallies`](crate::Db::fold_tallies) adds those rows up later.

use std::collections::BTreeMap;

use spotter_kernel::{Result, id::CompanyId};

use crate::{
    agenda::{Agenda, UNFOLDED_TALLIES},
    params,
    sql::Sql,
    tx::{Engine, Tx},
};

/// Changes of totals that wait for the commit, by company and subject.
#[derive(Default)]
pub(crate) struct Tallies(BTreeMap<(CompanyId, String), i64>);

impl Tallies {
    pub(crate) fn add(&mut self, company: CompanyId, subject: &str, by: i64) {
        *self.0.entry((company, subject.to_owned())).or_default() += by;
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes the changes that change something.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (CompanyId, String, i64)> + use<> {
        let all = std::mem::take(&mut self.0).into_iter().filter(|(_, by)| *by != 0);
        all.map(|((company, subject), by)| (company, subject, by))
    }
}

impl Tx<'_> {
    /// Adds to a company's count of something.
    pub fn tally(&mut self, company: CompanyId, subject: &str, by: i64) -> Result<()> {
        if by == 0 {
            return Ok(());
        }
        match &mut self.engine {
            Engine::Sqlite(_) => self.defer(ADD, params![company, subject, 0i64, by]),
            Engine::Postgres(session) => {
                self.signals.note_due(UNFOLDED_TALLIES, Agenda::AT_ONCE);
                session.tally(company, subject, by);
                Ok(())
            }
        }
    }

    /// A company's count of something.
    pub fn tallied(&mut self, company: CompanyId, subject: &str) -> Result<i64> {
        if let Engine::Postgres(session) = &mut self.engine {
            session.write_tallies()?;
        }
        let row: Option<(i64,)> = self.one(SUM, params![company, subject])?;
        Ok(row.map_or(0, |(total,)| total))
    }

    /// A company's counts between two subjects, the last first.
    pub(crate) fn tallied_between(
        &mut self,
        company: CompanyId,
        from: &str,
        until: &str,
    ) -> Result<Vec<(String, i64)>> {
        if let Engine::Postgres(session) = &mut self.engine {
            session.write_tallies()?;
        }
        self.all(BETWEEN, params![company, from, until])
    }
}

crate::statements! {
    ADD = "INSERT INTO tally (company_id, subject, shard, amount) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (company_id, subject, shard) DO UPDATE SET amount = tally.amount + excluded.amount";
    pub(crate) APPEND = "INSERT INTO tally (company_id, subject, shard, amount) VALUES (?1, ?2, ?3, ?4)";
    SUM = "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM tally \
        WHERE company_id = ?1 AND subject = ?2";
    BETWEEN = "SELECT subject, CAST(SUM(amount) AS BIGINT) FROM tally \
        WHERE company_id = ?1 AND subject > ?2 AND subject < ?3 GROUP BY subject ORDER BY subject DESC";
}

/// Most appended rows summed by [`FOLD`].
pub(crate) const FOLD_MAX: i64 = 20_000;

/// Sums appended rows and returns their number. PostgreSQL only.
pub(crate) const FOLD: Sql = Sql(crate::concatcp!(
    "WITH gone AS (DELETE FROM tally WHERE ctid = ANY (ARRAY \
        (SELECT ctid FROM tally WHERE shard <> 0 ORDER BY shard LIMIT ",
    FOLD_MAX,
    ")) RETURNING company_id, subject, amount), \
    folded AS (INSERT INTO tally (company_id, subject, shard, amount) \
        SELECT company_id, subject, 0, CAST(SUM(amount) AS BIGINT) FROM gone GROUP BY company_id, subject \
        ON CONFLICT (company_id, subject, shard) DO UPDATE SET amount = tally.amount + excluded.amount) \
    SELECT COUNT(*) FROM gone"
));
