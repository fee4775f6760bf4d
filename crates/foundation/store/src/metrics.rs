//! Metrics: daily totals, updated as records change, so that no report counts records. A table of metrics has a row
//! per company, scope (what it is about), day and part (a currency, where there are several); a change adds to the
//! rows of its day.
//!
//! As with [tallies](crate::tally), SQLite has one row of each, and PostgreSQL appends rows that
//! [`Db::fold_metrics`](crate::Db::fold_metrics) adds up later, because writers of a single row would wait for each
//! other.

use spotter_kernel::{Date, Result, id::CompanyId};

use crate::{
    Value,
    agenda::{Agenda, UNFOLDED_METRICS},
    params,
    row::{Record, Row},
    sql::Sql,
    tx::{Engine, Tx},
    value::Bind,
};

/// A table of metrics, as it is written.
#[derive(Debug)]
pub struct MetricTable {
    /// Display name.
    pub name: &'static str,
    /// Columns of counts.
    pub columns: &'static [&'static str],
    /// Adds to a row.
    pub add: Sql,
    /// Writes a row beside others that mean the same.
    pub append: Sql,
    /// Sums appended rows.
    pub fold: Sql,
}

/// What a day amounts to: a row of a table of metrics. Declared by [`daily_metrics!`](crate::daily_metrics).
pub trait DailyMetrics: Record + Copy + Default + PartialEq {
    /// Its table.
    const TABLE: &'static MetricTable;
    /// The days of a scope between two, both included, by day and part.
    const BETWEEN: Sql;
    /// Everything of a scope before a day, by part, under the first day.
    const BEFORE: Sql;
    /// The days between two, both included, of every scope.
    const ALL: Sql;
    /// The first and the last day of which there are any.
    const SPAN: Sql;
    /// The metrics in the order of the columns.
    fn amounts(&self) -> Vec<i64>;
    /// Adds a multiple of another.
    fn add(&mut self, other: &Self, times: i64);
}

/// What a day of a scope amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedMetrics<F> {
    /// The scope.
    pub scope: String,
    /// The day.
    pub day: Date,
    /// The part of it, such as a currency; empty where there are none.
    pub part: String,
    /// What it amounts to.
    pub metrics: F,
}

impl<F: DailyMetrics> Record for DatedMetrics<F> {
    const WIDTH: usize = 3 + F::WIDTH;
    fn read(row: &Row<'_>, from: usize) -> Result<Self> {
        Ok(Self {
            scope: row.get(from)?,
            day: row.get(from + 1)?,
            part: row.get(from + 2)?,
            metrics: F::read(row, from + 3)?,
        })
    }
}

impl Tx<'_> {
    /// Adds to what a day of a scope amounts to.
    pub fn add_metrics(
        &mut self,
        table: &'static MetricTable,
        company: CompanyId,
        scope: &str,
        day: Date,
        part: &str,
        amounts: &[i64],
    ) -> Result<()> {
        let (sql, shard) = match &mut self.engine {
            Engine::Sqlite(_) => (table.add, 0),
            Engine::Postgres(session) => {
                self.signals.note_due(UNFOLDED_METRICS, Agenda::AT_ONCE);
                (table.append, session.shard())
            }
        };
        let mut row: Vec<Value<'_>> = params![company, scope, day, part, shard].to_vec();
        row.extend(amounts.iter().map(Bind::bind));
        self.defer(sql, &row)
    }
}

/// Most appended rows summed at once.
pub(crate) const FOLD_MAX: i64 = 20_000;

/// Declares metrics: a struct of whole numbers, which are the columns of a table beside `company_id`,
/// `scope`, `day`, `part` and `shard`.
#[macro_export]
macro_rules! daily_metrics {
    (
        $(#[$doc:meta])*
        $vis:vis struct $name:ident in $table:literal { $($(#[$fdoc:meta])* $field:ident,)+ }
    ) => {
        $crate::record! {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            $vis struct $name { $($(#[$fdoc])* pub $field: i64,)+ }
        }

        impl $name {
            const SUMS: &'static str = $crate::concatcp!(
                "scope, MIN(day), part" $(, ", CAST(SUM(", stringify!($field), ") AS BIGINT)")+
            );
            const EACH: &'static str = $crate::concatcp!(
                "scope, day, part" $(, ", CAST(SUM(", stringify!($field), ") AS BIGINT)")+
            );
            const INSERT: &'static str = $crate::concatcp!(
                "INSERT INTO ", $table, " (company_id, scope, day, part, shard, ", $name::COLUMNS, ")"
            );
            const MERGE: &'static str = $crate::concatcp!(
                " ON CONFLICT (company_id, scope, day, part, shard) DO UPDATE SET shard = excluded.shard"
                $(, ", ", stringify!($field), " = ", $table, ".", stringify!($field),
                    " + excluded.", stringify!($field))+
            );
            /// Every statement of it that both engines know.
            pub const STATEMENTS: &'static [$crate::Sql] = &[
                <Self as $crate::DailyMetrics>::TABLE.add,
                <Self as $crate::DailyMetrics>::TABLE.append,
                <Self as $crate::DailyMetrics>::BETWEEN,
                <Self as $crate::DailyMetrics>::BEFORE,
                <Self as $crate::DailyMetrics>::ALL,
                <Self as $crate::DailyMetrics>::SPAN,
            ];
        }

        impl $crate::DailyMetrics for $name {
            const TABLE: &'static $crate::MetricTable = &$crate::MetricTable {
                name: $table,
                columns: &[$(stringify!($field)),+],
                add: $crate::Sql($crate::concatcp!(
                    $name::INSERT, " VALUES (", $crate::places(1, 5 + <$name as $crate::Record>::WIDTH), ")",
                    $name::MERGE
                )),
                append: $crate::Sql($crate::concatcp!(
                    $name::INSERT, " VALUES (", $crate::places(1, 5 + <$name as $crate::Record>::WIDTH), ")"
                )),
                fold: $crate::Sql($crate::concatcp!(
                    "WITH gone AS (DELETE FROM ", $table, " WHERE ctid = ANY (ARRAY (SELECT ctid FROM ",
                    $table, " WHERE shard <> 0 ORDER BY shard LIMIT 20000)) RETURNING *), folded AS (",
                    $name::INSERT, " SELECT company_id, scope, day, part, 0"
                    $(, ", CAST(SUM(", stringify!($field), ") AS BIGINT)")+,
                    " FROM gone GROUP BY company_id, scope, day, part", $name::MERGE,
                    ") SELECT COUNT(*) FROM gone"
                )),
            };
            const BETWEEN: $crate::Sql = $crate::Sql($crate::concatcp!(
                "SELECT ", $name::EACH, " FROM ", $table, " WHERE company_id = ?1 AND scope = ?2 \
                AND day >= ?3 AND day <= ?4 GROUP BY scope, day, part ORDER BY day, part"
            ));
            const BEFORE: $crate::Sql = $crate::Sql($crate::concatcp!(
                "SELECT ", $name::SUMS, " FROM ", $table, " WHERE company_id = ?1 AND scope = ?2 \
                AND day < ?3 GROUP BY scope, part ORDER BY part"
            ));
            const ALL: $crate::Sql = $crate::Sql($crate::concatcp!(
                "SELECT ", $name::EACH, " FROM ", $table, " WHERE company_id = ?1 \
                AND day >= ?2 AND day <= ?3 GROUP BY scope, day, part"
            ));
            const SPAN: $crate::Sql = $crate::Sql($crate::concatcp!(
                "SELECT MIN(day), MAX(day) FROM ", $table, " WHERE company_id = ?1"
            ));
            fn amounts(&self) -> Vec<i64> {
                vec![$(self.$field),+]
            }
            fn add(&mut self, other: &Self, times: i64) {
                $(self.$field += other.$field * times;)+
            }
        }
    };
}
