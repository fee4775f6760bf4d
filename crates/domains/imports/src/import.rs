//! An import: a file of another program, what each of its columns is, and how far it is; and its rows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Effect, ErasureAction, ErasureRule, Offboarding, Read, Repeating, Write,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Timestamp,
    id::{ClientId, CoachId, CompanyId},
    id_type,
};
use spotter_people::clients::Client;
use spotter_store::{Json, Tx, params, parts, record, statements, stored_ids, values, words};

use crate::{
    effects::ImportEffect,
    fields::{CreatedRecord, ImportKind},
    row::{DateOrder, FieldError},
    rules::ImportRule,
};

id_type!(
    /// An import.
    ImportId,
    RequestInvalid
);
stored_ids!(ImportId);

words! {
    /// The status of an import. A checked one can be reviewed, corrected and started; a completed one can be undone.
    pub enum ImportStatus {
        Checking = "checking",
        Checked = "checked",
        Running = "running",
        Done = "done",
        Undoing = "undoing",
        Undone = "undone",
    }
}

words! {
    /// The status of a row: `kept` is one that could not be undone.
    pub enum RowState {
        Unchecked = "unchecked",
        Ready = "ready",
        Wrong = "wrong",
        Done = "done",
        Undone = "undone",
        Kept = "kept",
    }
}

/// Retention of an import after its upload, in days: it contains personal data.
pub(crate) const KEPT_DAYS: i64 = 30;

/// How many cells of a column are shown, and how many characters of each.
const SAMPLES_MAX: usize = 3;
const SAMPLE_CHARS: usize = 60;

/// A column of the imported file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportColumn {
    /// Heading of the column.
    pub name: String,
    /// The field that it is; null where it is left out.
    pub field: Option<String>,
    /// Sample values from the remaining rows; empty in lists.
    #[serde(default)]
    pub samples: Vec<String>,
    /// Meanings of values that are not recognised, by the value in lower case; empty if the value
    /// is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meanings: BTreeMap<String, String>,
}

/// The form of a cell's value by which its meaning is found.
pub(crate) fn folded_value(cell: &str) -> String {
    cell.trim().to_lowercase()
}

record! {
    /// An import of a file.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Import {
        /// Id of the import.
        pub import_id: ImportId,
        /// Kind of records in the file.
        pub kind: ImportKind,
        /// How far it has come.
        pub status: ImportStatus,
        /// Name of the file, to recognize the import by.
        pub file_name: Option<String>,
        /// Columns in order.
        pub columns: Json<Vec<ImportColumn>>,
        /// Order of day and month in dates that end with the year.
        pub date_order: DateOrder,
        /// Membership status of clients whose row has none; null for `lead`.
        pub member_status: Option<String>,
        /// The current or last run: a worker of an earlier run leaves the import alone.
        #[serde(skip)]
        pub(crate) run_id: Id,
        /// The person on whose behalf the import runs.
        pub created_by: CoachId,
        pub(crate) created_at: Timestamp,
        pub(crate) updated_at: Timestamp,
        /// When the import and its rows are deleted; imported records remain.
        pub(crate) expires_at: Timestamp,
    }
}

impl Import {
    /// The import with this id.
    pub fn find(cx: &mut Read, id: ImportId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The import of which this is under way.
    pub(crate) fn find_running(cx: &mut Read, run: Id) -> Result<Option<Self>> {
        cx.one(OF_RUN, params![run])
    }

    /// What each column is.
    pub fn fields(&self) -> Vec<Option<String>> {
        self.columns.0.iter().map(|column| column.field.clone()).collect()
    }

    /// The meaning of values, for each column.
    pub fn meanings(&self) -> Vec<BTreeMap<String, String>> {
        self.columns.0.iter().map(|column| column.meanings.clone()).collect()
    }

    /// The current or last run.
    pub const fn run(&self) -> Id {
        self.run_id
    }

    /// The same with some of what each column holds.
    pub(crate) fn with_samples(mut self, cx: &mut Read) -> Result<Self> {
        let rows: Vec<(Json<Vec<String>>,)> = cx.all(SAMPLES, params![self.import_id])?;
        for (at, column) in self.columns.0.iter_mut().enumerate() {
            let cells = rows.iter().filter_map(|(cells,)| cells.0.get(at));
            let filled = cells.filter(|cell| !cell.is_empty()).take(SAMPLES_MAX);
            column.samples = filled.map(|cell| cell.chars().take(SAMPLE_CHARS).collect()).collect();
        }
        Ok(self)
    }

    pub(crate) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("import", self.import_id, ["import"]);
        cx.defer(INSERT, &self.params())
    }

    /// Refuses what cannot be done to it where it is.
    pub(crate) fn must_be(&self, statuses: &[ImportStatus], rule: ImportRule) -> Result<()> {
        match statuses.contains(&self.status) {
            true => Ok(()),
            false => Err(Problem::conflict("status", rule)),
        }
    }

    pub(crate) fn save(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.set_audit_target("import", self.import_id, ["status"]);
        cx.defer(SAVE, &self.state())
    }
}

record! {
    /// A row of an import.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ImportRow {
        /// The line of the file that it begins on.
        pub line: i64,
        /// Cell values by column; empty after the client was erased.
        pub cells: Json<Vec<String>>,
        /// Current state.
        pub state: RowState,
        /// The field that is wrong, or null; of a row that is in order or done, the one that is left out.
        pub field: Option<String>,
        /// Rule that the row violates, or null.
        pub rule: Option<String>,
        /// Each field that is not in order; of rows that were checked before this was kept, nothing.
        #[serde(skip)]
        pub mistakes: Option<Json<Vec<FieldError>>>,
        /// The record that it became, or null.
        pub record_id: Option<Id>,
        #[serde(skip)]
        pub(crate) client_id: Option<ClientId>,
        /// The bill that was issued with it, or null.
        pub invoice_id: Option<Id>,
    }
}

impl ImportRow {
    /// What it has made of a kind.
    pub const fn created(&self, what: CreatedRecord) -> Option<Id> {
        match what {
            CreatedRecord::Record => self.record_id,
            CreatedRecord::Invoice => self.invoice_id,
        }
    }
}

/// Number of records.
pub(crate) fn count(cx: &mut Read) -> Result<i64> {
    let found: Option<(i64,)> = cx.one(COUNT_ALL, params![])?;
    Ok(found.map_or(0, |(count,)| count))
}

/// The numbers of rows by status.
pub(crate) fn counted(cx: &mut Read, id: ImportId) -> Result<Vec<(RowState, i64)>> {
    cx.all(COUNT, params![id])
}

/// How many rows are in order or done of which a field is left out.
pub(crate) fn incomplete(cx: &mut Read, id: ImportId) -> Result<i64> {
    let found: Option<(i64,)> = cx.one(INCOMPLETE, params![id])?;
    Ok(found.map_or(0, |(count,)| count))
}

/// Keeps the rows of a file.
pub(crate) fn keep_rows(cx: &mut Write, id: ImportId, rows: Vec<(i64, Vec<String>)>) -> Result<()> {
    for (line, cells) in rows {
        cx.defer(KEEP_ROW, params![id, line, Json(cells), RowState::Unchecked])?;
    }
    Ok(())
}

/// Has every row checked again.
pub(crate) fn forget_checks(cx: &mut Write, id: ImportId) -> Result<()> {
    cx.execute(UNCHECK, params![id, RowState::Unchecked]).map(drop)
}

/// The rows to continue with, from the first or from the last, and the import.
pub(crate) fn rows(cx: &mut Read, id: ImportId, state: RowState) -> Result<Vec<ImportRow>> {
    cx.all(ROWS, params![id, state])
}

/// Values of a column: by lower-case text, the original text of the first, and the number of rows.
pub(crate) type ColumnValues = BTreeMap<String, (String, i64)>;

/// What the cells of some columns say, by the column.
pub(crate) fn column_values(
    cx: &mut Read,
    id: ImportId,
    columns: &[usize],
) -> Result<BTreeMap<usize, ColumnValues>> {
    let rows: Vec<(Json<Vec<String>>,)> = cx.all(CELLS, params![id])?;
    let mut values: BTreeMap<usize, ColumnValues> = BTreeMap::new();
    for (Json(cells),) in &rows {
        for at in columns {
            let Some(cell) = cells.get(*at).filter(|cell| !cell.trim().is_empty()) else {
                continue;
            };
            let own = values.entry(*at).or_default().entry(folded_value(cell));
            own.or_insert_with(|| (cell.trim().to_owned(), 0)).1 += 1;
        }
    }
    Ok(values)
}

/// Some cells of a column.
pub(crate) fn cells_of(rows: &[(i64, Vec<String>)], at: usize) -> impl Iterator<Item = &str> {
    rows.iter()
        .filter_map(move |(_, cells)| cells.get(at))
        .map(String::as_str)
        .filter(|cell| !cell.is_empty())
}

/// Leaves rows that are in one state to another, for one reason.
pub(crate) fn leave(
    cx: &mut Write,
    id: ImportId,
    left: RowState,
    becomes: RowState,
    why: ImportRule,
) -> Result<()> {
    let why = FieldError::new("", why);
    let rule = why.rule.to_string();
    cx.execute(LEAVE, params![id, left, becomes, rule, Json(vec![why])]).map(drop)
}

/// Changes a row's status from an expected one; returns whether it had that.
pub(crate) fn set_row_state(
    cx: &mut Write,
    id: ImportId,
    row: &ImportRow,
    before: RowState,
) -> Result<bool> {
    let ImportRow { line, state, field, rule, mistakes, record_id, invoice_id, .. } = row;
    let client = row.client_id;
    let count = cx.execute(
        FINISH_ROW,
        params![
            id,
            *line,
            before,
            *state,
            field.clone(),
            rule.clone(),
            *record_id,
            client,
            *invoice_id,
            mistakes.clone()
        ],
    )?;
    Ok(count == 1)
}

/// Forgets an import and its rows; what it made stays.
pub(crate) fn forget(cx: &mut Write, id: ImportId) -> Result<()> {
    cx.execute(FORGET_ROWS, params![id])?;
    cx.set_audit_target("import", id, ["import"]);
    cx.defer(FORGET, params![id])
}

/// Deletes some expired imports; returns their number.
fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    let old: Vec<(CompanyId, ImportId)> = tx.all(OLD, params![now])?;
    for (company, id) in &old {
        tx.defer(FORGET_ROWS, params![company, id])?;
        tx.defer(FORGET, params![company, id])?;
    }
    Ok(old.len() as u64)
}

const REPEATING: &[Repeating] =
    &[Repeating::prune("forget_imports", "Delete imports that are a month old", prune)];

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[
    ErasureRule::emptied(
        "import_row",
        "That a row of an import was about the client: its values are deleted.",
        ErasureAction::Run(empty_of),
    ),
    ErasureRule::emptied(
        "import",
        "Names of a file and its columns.",
        ErasureAction::Run(drop_samples),
    ),
];

/// Versions before this one kept some cells of each column with the import itself.
fn drop_samples(cx: &mut Write, _: Id) -> Result<bool> {
    for mut import in cx.all::<Import>(ALL, params![])? {
        if import.columns.0.iter().any(|column| !column.samples.is_empty()) {
            import.columns.0.iter_mut().for_each(|column| column.samples.clear());
            import.save(cx)?;
        }
    }
    Ok(false)
}

/// Rows that name the client without having created a record also contain their address: invalid rows, and those of
/// existing clients.
fn empty_naming(cx: &mut Write, client: Id) -> Result<u64> {
    let client = Client::find(cx, ClientId(client))?;
    let Some(email) = client.email() else { return Ok(0) };
    // A percent sign or an underscore of the address is literal.
    let marked = |c: char| matches!(c, '%' | '_' | '!').then_some('!');
    let escaped: String =
        email.to_lowercase().chars().flat_map(|c| marked(c).into_iter().chain([c])).collect();
    cx.execute(EMPTY_NAMING, params![format!("%{escaped}%")])
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ClientErased,
    || ImportEffect::ImportRowsEmptied.into(),
    empty_naming,
)];

fn empty_of(cx: &mut Write, client: Id) -> Result<bool> {
    cx.execute(EMPTY_OF, params![client]).map(|_| false)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING).erases(TRACES).ends(ENDS)
}

parts! {
    Import by import_id without kind, file_name, created_by, created_at, expires_at;
    STATE state: status, columns, date_order, member_status, run_id, updated_at;
}

statements! {
    FIND = "SELECT ", Import::COLUMNS, " FROM import WHERE company_id = ?1 AND import_id = ?2";
    OF_RUN = "SELECT ", Import::COLUMNS, " FROM import WHERE company_id = ?1 AND run_id = ?2";
    INSERT = "INSERT INTO import ", values!(Import);
    SAVE = "UPDATE import SET ", Import::STATE, " WHERE company_id = ?1 AND import_id = ?2";
    FORGET = "DELETE FROM import WHERE company_id = ?1 AND import_id = ?2";
    KEEP_ROW = "INSERT INTO import_row (company_id, import_id, line, cells, state) VALUES (?1, ?2, ?3, ?4, ?5)";
    UNCHECK = "UPDATE import_row SET state = ?3, field = NULL, rule = NULL, mistakes = NULL \
        WHERE company_id = ?1 AND import_id = ?2";
    COUNT_ALL = "SELECT count(*) FROM import WHERE company_id = ?1";
    INCOMPLETE = "SELECT count(*) FROM import_row WHERE company_id = ?1 AND import_id = ?2 \
        AND state IN ('ready', 'done') AND rule IS NOT NULL";
    COUNT = "SELECT state, count(*) FROM import_row WHERE company_id = ?1 AND import_id = ?2 GROUP BY state";
    ROWS = "SELECT ", ImportRow::COLUMNS, " FROM import_row WHERE company_id = ?1 AND import_id = ?2 AND state = ?3 \
        ORDER BY line LIMIT 5000";
    LEAVE = "UPDATE import_row SET state = ?4, field = NULL, rule = ?5, mistakes = ?6 \
        WHERE company_id = ?1 AND import_id = ?2 AND state = ?3";
    FINISH_ROW = "UPDATE import_row SET state = ?5, field = ?6, rule = ?7, record_id = ?8, client_id = ?9, invoice_id = ?10, \
        mistakes = ?11 \
        WHERE company_id = ?1 AND import_id = ?2 AND line = ?3 AND state = ?4";
    FORGET_ROWS = "DELETE FROM import_row WHERE company_id = ?1 AND import_id = ?2";
    OLD = "SELECT company_id, import_id FROM import WHERE expires_at <= ?1 LIMIT 5";
    ALL = "SELECT ", Import::COLUMNS, " FROM import WHERE company_id = ?1 ORDER BY import_id LIMIT 1000";
    CELLS = "SELECT cells FROM import_row WHERE company_id = ?1 AND import_id = ?2 ORDER BY line LIMIT 5000";
    SAMPLES = "SELECT cells FROM import_row WHERE company_id = ?1 AND import_id = ?2 ORDER BY line LIMIT 20";
    EMPTY_NAMING = "UPDATE import_row SET cells = '[]' WHERE company_id = ?1 AND LOWER(cells) LIKE ?2 ESCAPE '!'";
    EMPTY_OF = "UPDATE import_row SET cells = '[]', client_id = NULL WHERE company_id = ?1 AND client_id = ?2";
}
