//! A cluster of servers with Citus: the rows of a company lie together on one of them, so that a transaction of one company
//! is one server's.
//!
//! A table is spread by its company where each of its keys holds the company's id; the few others are small and stand whole
//! on every server.

pub(crate) mod away;
pub(crate) mod watch;

use spotter_kernel::{Problem, Result};

use crate::{session::Session, tx::read_all, value::Value};

/// Spreads the tables that are not yet, if the server has Citus, telling of it.
pub(crate) fn spread(session: &mut Session, report: &mut impl FnMut(&str)) -> Result<()> {
    if !has_citus(session)? {
        return Ok(());
    }
    let tables: Vec<(String, bool)> = read_all(&session.query(TABLES, &[])?)?;
    if tables.is_empty() {
        return Ok(());
    }
    report(&format!("Citus: {} tables are spread over its servers", tables.len()));
    let keys: Vec<ForeignKey> = read_all(&session.query(FOREIGN_KEYS, &[])?)?
        .into_iter()
        .map(|(table, name, definition, is_kept)| ForeignKey { table, name, definition, is_kept })
        .collect();
    // One after the other: Citus runs commands of its own for each.
    statements(&tables, &keys).iter().try_for_each(|statement| session.script(statement))?;
    session.script(SETTINGS_OF_WORKERS)
}

/// A statement that takes from a table and adds to it, and says of how many rows, for each of the table's parts on the
/// servers that answer, where it runs; it says of how many in all, and why one failed, if one did. The parts do not wait for
/// each other. Its parameters are those of [`parts_of`].
pub(crate) fn on_each_part(table: &str, sql: &str) -> (String, String) {
    let part = sql
        .replace(&format!("FROM {table} "), "FROM %1$s ")
        .replace(&format!("INSERT INTO {table} ("), &format!("INSERT INTO %1$s AS {table} ("));
    let all = format!(
        "SELECT COALESCE(CAST(SUM(CASE WHEN part.success THEN CAST(part.result AS BIGINT) END) AS BIGINT), 0), \
        MAX(CASE WHEN part.success THEN NULL ELSE part.result END) FROM {}",
        parts_of(table)
    );
    (all, part)
}

/// The parts of a table on the servers that answer, as `part`, each with its `success` and `result` of the command `?1`, in which
/// `%1$s` stands for the part. `?2` has the servers that do not answer.
fn parts_of(table: &str) -> String {
    format!(
        "(SELECT array_agg(node) AS nodes, array_agg(port) AS ports, array_agg(command) AS commands \
        FROM (SELECT DISTINCT ON (shardid) CAST(nodename AS TEXT) AS node, CAST(nodeport AS INTEGER) AS port, \
        format(?1, shard_name(logicalrelid, shardid)) AS command \
        FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid) \
        WHERE logicalrelid = CAST('{table}' AS REGCLASS) AND shardstate = 1 \
        AND nodename || ':' || nodeport <> ALL (string_to_array(?2, ','))) placed) asked \
        CROSS JOIN LATERAL master_run_on_worker(nodes, ports, commands, TRUE) part"
    )
}

/// A statement about rows of all companies in one table, `SELECT columns FROM table WHERE conditions ORDER BY order LIMIT
/// number`, as a cluster understands it.
#[derive(Debug)]
pub(crate) struct AcrossCompanies {
    /// As one statement.
    pub(crate) together: String,
    /// The place of the name that is claimed, where one is.
    pub(crate) lock: Option<usize>,
}

impl AcrossCompanies {
    /// What claims a name at the coordinator: each part of a table would claim it from the others.
    pub(crate) const CLAIM: &'static str = "SELECT claim(?1)";

    pub(crate) fn of(sql: &str) -> Self {
        let claim = sql.split_once("claim(?").and_then(|(before, rest)| {
            let (place, after) = rest.split_once(')')?;
            // The place is kept, because parameters are counted.
            Some((format!("{before}CAST(?{place} AS TEXT) IS NOT NULL{after}"), place.parse().ok()))
        });
        let (together, lock) = claim.unwrap_or_else(|| (sql.to_owned(), None));
        Self { together, lock }
    }

    /// As a statement that asks each of the table's parts, and what each is asked, for [`parts_of`]. One whose server is away has
    /// no rows.
    pub(crate) fn apart(&self, params: &[Value<'_>]) -> Result<(String, String)> {
        let parts = || {
            let (columns, rest) = self.together.strip_prefix("SELECT ")?.split_once(" FROM ")?;
            let (table, rest) = rest.split_once(" WHERE ")?;
            let (conditions, order) = rest.split_once(" ORDER BY ")?;
            Some((columns, table, conditions, order))
        };
        let Some((columns, table, conditions, order)) = parts() else {
            let sql = &self.together;
            return Err(Problem::internal(format!("not about rows of one table: {sql}")));
        };
        // Only now, because a value may read as a part of a statement does.
        let conditions = written(conditions, params)?.replace('%', "%%");
        let order = written(order, params)?;
        let part = format!(
            "SELECT COALESCE(jsonb_agg(to_jsonb(own)), '[]') FROM \
            (SELECT {columns} FROM %1$s {table} WHERE {conditions} ORDER BY {order}) own"
        );
        let all = format!(
            "SELECT {columns} FROM (SELECT own.* FROM {} \
            CROSS JOIN LATERAL jsonb_populate_recordset(CAST(NULL AS {table}), \
            CASE WHEN part.success THEN CAST(part.result AS JSONB) ELSE '[]' END) own) {table} \
            ORDER BY {order}",
            parts_of(table)
        );
        Ok((all, part))
    }
}

/// A text with its values in it, for where no parameters are taken.
fn written(text: &str, params: &[Value<'_>]) -> Result<String> {
    let mut pieces = text.split('?');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let (number, rest) = piece.split_at(digits);
        let value = number.parse::<usize>().ok().and_then(|at| params.get(at.checked_sub(1)?));
        match value {
            Some(Value::Int(number)) => out += &number.to_string(),
            Some(Value::Text(text)) => out += &format!("'{}'", text.replace('\'', "''")),
            other => return Err(Problem::internal(format!("{other:?} is not written in {text}"))),
        }
        out += rest;
    }
    Ok(out)
}

fn has_citus(session: &mut Session) -> Result<bool> {
    let found: Vec<(bool,)> = read_all(&session.query(HAS_CITUS, &[])?)?;
    Ok(found.first().is_some_and(|row| row.0))
}

/// Whether no table is left to spread.
pub(crate) fn is_settled(session: &mut Session) -> Result<bool> {
    if !has_citus(session)? {
        return Ok(true);
    }
    let left: Vec<(String, bool)> = read_all(&session.query(TABLES, &[])?)?;
    Ok(left.is_empty())
}

/// Whether the tables of the version before are spread already.
pub(crate) fn is_spread(session: &mut Session) -> Result<bool> {
    if !has_citus(session)? {
        return Ok(false);
    }
    let found: Vec<(bool,)> = read_all(&session.query(IS_SPREAD, &[])?)?;
    Ok(found.first().is_some_and(|row| row.0))
}

/// A reference between tables.
struct ForeignKey {
    table: String,
    name: String,
    definition: String,
    /// Whether Citus knows such: from a company's rows, to a company's.
    is_kept: bool,
}

/// References stand in the way while one of two tables is spread and the other is not.
fn statements(tables: &[(String, bool)], keys: &[ForeignKey]) -> Vec<String> {
    let mut all = vec![ONE_AFTER_THE_OTHER.to_owned()];
    all.extend(keys.iter().map(|ForeignKey { table, name, .. }| {
        format!("ALTER TABLE {table} DROP CONSTRAINT {name}")
    }));
    // The company's own table comes first: the others lie with it.
    let (company, others): (Vec<_>, Vec<_>) = tables
        .iter()
        .filter(|(_, by_company)| *by_company)
        .partition(|(name, _)| name == "company");
    all.extend(
        company
            .iter()
            .map(|(table, _)| format!("SELECT create_distributed_table('{table}', 'company_id')")),
    );
    all.extend(others.iter().map(|(table, _)| {
        format!(
            "SELECT create_distributed_table('{table}', 'company_id', colocate_with => 'company')"
        )
    }));
    let whole = tables.iter().filter(|(_, by_company)| !by_company);
    all.extend(whole.map(|(table, _)| format!("SELECT create_reference_table('{table}')")));
    let kept = keys.iter().filter(|key| key.is_kept);
    all.extend(kept.map(|ForeignKey { table, name, definition, .. }| {
        format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    }));
    all
}

/// The text of a migration for a database that is spread: new tables [refer](references) to others once they are, too.
pub(crate) fn without_references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" REFERENCES ") {
        out.push_str(before);
        let table = after.find([' ', ',', '\n', ')']).unwrap_or(after.len());
        let after = &after[table..];
        rest = match after.strip_prefix(" (").and_then(|own| own.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// The references of a migration's new tables to their companies, to be added once the tables are spread. They are
/// named as PostgreSQL would name them. Others are not kept on a cluster.
pub(crate) fn references(text: &str) -> Vec<String> {
    let tables = text.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split_once(" ("));
    let columns = tables.flat_map(|(table, rest)| {
        let columns = rest.split_once("\n);").map_or(rest, |(columns, _)| columns);
        columns.lines().map(move |column| (table, column.trim()))
    });
    let kept = columns.filter_map(|(table, column)| {
        let (_, target) = column.strip_prefix(OWN)?.split_once(" REFERENCES ")?;
        let target = target.trim_end_matches(',');
        Some(format!(
            "ALTER TABLE {table} ADD CONSTRAINT {table}_company_id_fkey \
             FOREIGN KEY (company_id) REFERENCES {target}"
        ))
    });
    kept.collect()
}

/// How the column of a table's company begins.
const OWN: &str = "company_id TEXT";

/// Parts of a table are changed one after the other, as those of tables that refer to them must be.
pub(crate) const ONE_AFTER_THE_OTHER: &str =
    "SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

/// What our sessions set for themselves, for those in which the coordinator asks its workers.
const SETTINGS_OF_WORKERS: &str = "SELECT run_command_on_workers(format( \
    'ALTER ROLE %1$I IN DATABASE %2$I SET enable_seqscan = off', current_user, current_database())); \
    SELECT run_command_on_workers(format( \
    'ALTER ROLE %1$I IN DATABASE %2$I SET jit = off', current_user, current_database()))";

const HAS_CITUS: &str = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";

const IS_SPREAD: &str = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition)";

const TABLES: &str = "SELECT CAST(c.relname AS TEXT), \
    EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'company_id' AND a.attnotnull) \
    AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT EXISTS \
    (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'company_id' \
    AND a.attnum = ANY (i.indkey))) \
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS REGNAMESPACE) \
    AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) ORDER BY c.oid";

/// Of tables that are not spread yet. A reference is kept where both sides hold the company's id in it.
const FOREIGN_KEYS: &str = "SELECT CAST(CAST(f.conrelid AS REGCLASS) AS TEXT), CAST(f.conname AS TEXT), \
    pg_get_constraintdef(f.oid), \
    EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = f.conrelid AND a.attname = 'company_id' \
    AND a.attnotnull AND a.attnum = ANY (f.conkey)) AND NOT EXISTS \
    (SELECT 1 FROM pg_index i WHERE i.indrelid = f.conrelid AND i.indisunique AND NOT EXISTS \
    (SELECT 1 FROM pg_attribute a WHERE a.attrelid = f.conrelid AND a.attname = 'company_id' \
    AND a.attnum = ANY (i.indkey))) \
    FROM pg_constraint f WHERE f.contype = 'f' \
    AND f.connamespace = CAST(current_schema() AS REGNAMESPACE) AND NOT EXISTS \
    (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = f.conrelid)";

#[cfg(test)]
mod tests {
    use super::{AcrossCompanies, references, without_references};
    use crate::params;

    #[test]
    fn parts_are_asked_for_their_own() {
        let across = AcrossCompanies::of(
            "SELECT a, b FROM t WHERE a <= ?1 AND claim(?3) AND b <> ?4 ORDER BY a LIMIT ?2",
        );
        assert_eq!(across.lock, Some(3));
        assert_eq!(
            across.together,
            "SELECT a, b FROM t WHERE a <= ?1 AND CAST(?3 AS TEXT) IS NOT NULL AND b <> ?4 ORDER BY a LIMIT ?2"
        );
        let (all, part) =
            across.apart(params![7_i64, 9_i64, "lock", "5 % o'clock?1 ORDER BY b"]).unwrap();
        assert!(part.ends_with(
            "(SELECT a, b FROM %1$s t WHERE a <= 7 AND CAST('lock' AS TEXT) IS NOT NULL \
            AND b <> '5 %% o''clock?1 ORDER BY b' ORDER BY a LIMIT 9) own"
        ));
        assert!(all.ends_with("ORDER BY a LIMIT 9"));
        assert!(AcrossCompanies::of("SELECT 1").apart(params![]).is_err());
        assert!(across.apart(params![7_i64]).is_err(), "a value is missing");
    }

    #[test]
    fn references_are_left_out() {
        assert_eq!(
            without_references(
                "CREATE TABLE a (\n    company_id TEXT NOT NULL REFERENCES company (company_id),\n    \
                 b TEXT REFERENCES other,\n    PRIMARY KEY (company_id)\n);"
            ),
            "CREATE TABLE a (\n    company_id TEXT NOT NULL,\n    b TEXT,\n    PRIMARY KEY (company_id)\n);"
        );
        assert_eq!(without_references("CREATE INDEX a ON b (c);"), "CREATE INDEX a ON b (c);");
    }
    #[test]
    fn references_to_companies_are_added_later() {
        let text = "CREATE TABLE a (\n    company_id TEXT NOT NULL REFERENCES company (company_id),\n    \
                    b TEXT REFERENCES other,\n    PRIMARY KEY (company_id)\n);\n\
                    CREATE INDEX a_b ON a (b);\nCREATE TABLE c (\n    d TEXT\n);\n\
                    CREATE TABLE e (\n    company_id TEXT NOT NULL REFERENCES company,\n    f TEXT\n);";
        assert_eq!(
            references(text),
            [
                "ALTER TABLE a ADD CONSTRAINT a_company_id_fkey \
                 FOREIGN KEY (company_id) REFERENCES company (company_id)",
                "ALTER TABLE e ADD CONSTRAINT e_company_id_fkey FOREIGN KEY (company_id) REFERENCES company",
            ]
        );
    }
}
