//! Operations of imports: upload a file, map its columns, review errors, start, undo.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, ListQuery, Path, Read, Success, UpdatedFrom, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{Key, Many, Problem, Result, id::CoachId, text::Text};
use spotter_store::{Json, List, lists, words};

use crate::{
    fields::{CellFormat, Field, ImportKind},
    file,
    import::{
        self, Import, ImportColumn, ImportId, ImportRow, ImportStatus, RowState, cells_of, counted,
        forget_checks, keep_rows,
    },
    row::{DateOrder, guess_order, word_of},
    rules::ImportRule,
    steps::RUN,
};

/// Most imports of a company: each may hold 5,000 rows.
const IMPORTS_MAX: i64 = 50;

words! {
    /// What clients of a file are who say nothing of it.
    pub enum StatusOfAll { Lead = "lead", Active = "active", Paused = "paused", Former = "former" }
}

/// The number of rows of an import by outcome.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Number of records in all pages.
    total: i64,
    /// Rows not checked yet.
    unchecked: i64,
    /// Valid rows that are not imported yet.
    ready: i64,
    /// Invalid rows.
    wrong: i64,
    /// Rows that were created.
    done: i64,
    /// Ready or imported rows that lack an invalid optional field.
    incomplete: i64,
    /// Rows that were undone.
    undone: i64,
    /// Rows that could not be undone.
    kept: i64,
}

/// A field to which a column can be mapped.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportField {
    /// The field's name in column mappings.
    name: String,
    /// Whether each row needs it.
    required: bool,
    /// Accepted values, if there is a fixed set.
    words: Vec<&'static str>,
}

/// A value of a column that needs a meaning.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportValue {
    /// The field that the column is.
    field: String,
    /// Value in the file.
    written: String,
    /// Number of rows with this value.
    rows: i64,
    /// The meaning that was chosen or recognised; null if unknown, and `-` if the value is left
    /// out.
    means: Option<String>,
}

answer!(
    /// The import.
    pub ImportAnswer {
    import: Import,
    counts: ImportCounts,
    /// Fields to which columns can be mapped.
    fields: Vec<ImportField>,
    /// After the check: values of fields with a limited set of values (a status, a language, a coach, a location, a
    /// membership); the most frequent first, at most 50 of a column.
    values: Vec<ImportValue>,
});

/// An import with its invalid rows.
pub fn report(cx: &mut Read, id: ImportId) -> Result<(ImportAnswer, Vec<ImportRow>)> {
    let import = Import::find(cx, id)?;
    let wrong = import::rows(cx, id, RowState::Wrong)?;
    Ok((view(cx, import)?, wrong))
}

fn view(cx: &mut Read, import: Import) -> Result<ImportAnswer> {
    let mut counts = ImportCounts::default();
    for (state, count) in counted(cx, import.import_id)? {
        counts.total += count;
        match state {
            RowState::Unchecked => counts.unchecked = count,
            RowState::Ready => counts.ready = count,
            RowState::Wrong => counts.wrong = count,
            RowState::Done => counts.done = count,
            RowState::Undone => counts.undone = count,
            RowState::Kept => counts.kept = count,
        }
    }
    counts.incomplete = import::incomplete(cx, import.import_id)?;
    let fields = import.kind.fields().iter();
    let fields = fields
        .map(|field| ImportField {
            name: field.name.to_owned(),
            required: field.required,
            words: match field.reading {
                CellFormat::Word(words) => words.iter().map(|(word, _)| *word).collect(),
                _ => Vec::new(),
            },
        })
        .collect();
    let values = match import.status {
        ImportStatus::Checked => values(cx, &import)?,
        _ => Vec::new(),
    };
    let import = import.with_samples(cx)?;
    Ok(ImportAnswer { import, counts, fields, values })
}

/// Most listed values of a column.
const VALUES_SHOWN: usize = 50;

fn values(cx: &mut Read, import: &Import) -> Result<Vec<ImportValue>> {
    let columns = import.columns.0.iter().enumerate().filter_map(|(at, column)| {
        let field = import.kind.field(column.field.as_deref()?)?;
        field.has_meanings().then_some((at, (field, column)))
    });
    let columns: BTreeMap<usize, (&Field, &ImportColumn)> = columns.collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<usize> = columns.keys().copied().collect();
    let mut all = Vec::new();
    for (at, submitted) in import::column_values(cx, import.import_id, &places)? {
        let Some((field, column)) = columns.get(&at) else { continue };
        let means = |key: &str| match (column.meanings.get(key), field.reading) {
            (Some(submitted), _) if submitted.is_empty() => Some(LEFT_OUT.to_owned()),
            (Some(submitted), _) => Some(submitted.clone()),
            (None, CellFormat::Word(words)) => word_of(words, key).map(str::to_owned),
            (None, _) => None,
        };
        let mut own: Vec<ImportValue> = submitted
            .into_iter()
            .map(|(key, (written, rows))| ImportValue {
                field: field.name.to_owned(),
                means: means(&key),
                written,
                rows,
            })
            .collect();
        own.sort_by_key(|value| std::cmp::Reverse(value.rows));
        own.truncate(VALUES_SHOWN);
        all.extend(own);
    }
    Ok(all)
}

/// The file to import.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewImport {
    /// Kind of records in the file.
    pub kind: ImportKind,
    /// Comma-separated values (RFC 4180) with a heading; semicolons and tabs are understood. At most 5,000 rows.
    pub text: String,
    /// Name of the file, to recognize the import by.
    pub file_name: Option<Text<200>>,
}

/// Takes a file in, guesses what its columns are, and has it checked.
pub fn create(cx: &mut Write, by: CoachId, new: NewImport) -> Result<Import> {
    if import::count(cx)? >= IMPORTS_MAX {
        return Err(Problem::conflict("import", ImportRule::TooManyImports { max: IMPORTS_MAX }));
    }
    let table = file::read(&new.text)?;
    let guessed = new.kind.guess(&table.heading);
    let dates =
        new.kind.fields().iter().filter(|field| field.reading == crate::fields::CellFormat::Date);
    let of_dates: Vec<usize> = dates
        .filter_map(|date| guessed.iter().position(|field| *field == Some(date.name)))
        .collect();
    let date_order = guess_order(of_dates.iter().flat_map(|at| cells_of(&table.rows, *at)));
    let columns = table.heading.iter().zip(guessed).map(|(name, field)| ImportColumn {
        name: name.clone(),
        field: field.map(str::to_owned),
        samples: Vec::new(),
        meanings: BTreeMap::new(),
    });
    let import = Import {
        import_id: ImportId(cx.new_id()),
        kind: new.kind,
        status: ImportStatus::Checking,
        file_name: new.file_name.map(Into::into),
        columns: Json(columns.collect()),
        date_order,
        member_status: None,
        run_id: cx.new_id(),
        created_by: by,
        created_at: cx.now(),
        updated_at: cx.now(),
        expires_at: cx.now().plus_days(import::KEPT_DAYS),
    };
    import.insert(cx)?;
    keep_rows(cx, import.import_id, table.rows)?;
    cx.begin_job(&RUN, import.run_id)?;
    Ok(import)
}

fn create_import(cx: &mut Write, Body(new): Body<NewImport>) -> Result<ImportAnswer> {
    let Actor::Coach { id, .. } = cx.caller().actor else { return Err(Key::Forbidden.into()) };
    let import = create(cx, id, new)?;
    view(cx, import)
}

listed!(Imports { imports: Import });

fn list_imports(cx: &mut Read, ListQuery(wanted, page): ListQuery<UpdatedFrom>) -> Result<Imports> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(pub(crate) ImportPath { import_id: ImportId });

fn get_import(cx: &mut Read, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let import = Import::find(cx, at.import_id)?;
    view(cx, import)
}

/// The mapping of the columns of a file to fields.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ImportColumns {
    /// The field of each column, from the first to the last; null where it is left out. Each field once.
    columns: Many<Option<Text<40>>, 1, 60>,
    /// Order of day and month in dates that end with the year; unchanged when absent.
    date_order: Option<DateOrder>,
    /// Membership status of clients whose row has none; `lead` when absent.
    member_status: Option<StatusOfAll>,
    /// Meanings of column values; unchanged when absent.
    values: Option<Many<ImportMeaning, 0, 200>>,
}

/// The meaning of a value of a column.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ImportMeaning {
    /// The field that the column is.
    field: Text<40>,
    /// The value, in any case.
    written: Text<200>,
    /// The word, or the name of the coach, the location or the membership; null where it is read as it is written, and
    /// `-` where it is left out.
    means: Option<Text<200>>,
}

/// The meaning that leaves a value out.
const LEFT_OUT: &str = "-";

impl ImportMeaning {
    fn put(self, at: usize, import: &mut Import) -> Result<()> {
        let place = |part: &str| format!("values[{at}].{part}");
        let known = import.kind.field(&self.field).filter(|field| field.has_meanings());
        let mut columns = import.columns.0.iter_mut();
        let column = columns.find(|column| column.field.as_deref() == Some(&*self.field));
        let Some(field) = known else {
            return Err(Problem::invalid(&place("field"), ImportRule::NotFieldOfWords));
        };
        // A column that is mapped to another field has other meanings.
        let Some(column) = column else { return Ok(()) };
        let key = import::folded_value(&self.written);
        let Some(means) = self.means else {
            column.meanings.remove(&key);
            return Ok(());
        };
        let is_left_out = *means == *LEFT_OUT;
        if let CellFormat::Word(words) = field.reading
            && !is_left_out
            && word_of(words, &means).is_none()
        {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            return Err(Problem::invalid(
                &place("means"),
                ImportRule::UnknownMeaning { words: all.join(", ").to_string() },
            ));
        }
        let means = if is_left_out { String::new() } else { means.into() };
        column.meanings.insert(key, means);
        Ok(())
    }
}

fn set_import_columns(
    cx: &mut Write,
    Path(at): Path<ImportPath>,
    Body(submitted): Body<ImportColumns>,
) -> Result<ImportAnswer> {
    let mut import = Import::find(cx, at.import_id)?;
    let open = [ImportStatus::Checking, ImportStatus::Checked];
    import.must_be(&open, ImportRule::NotChecked)?;
    let wrong = |rule: ImportRule| Problem::invalid("columns", rule);
    if submitted.columns.len() != import.columns.0.len() {
        let count = import.columns.0.len();
        return Err(wrong(ImportRule::OtherColumnCount { count }));
    }
    let named: Vec<&str> = submitted.columns.iter().flatten().map(|name| &**name).collect();
    for (at, name) in named.iter().enumerate() {
        if import.kind.field(name).is_none() {
            let all: Vec<_> = import.kind.fields().iter().map(|field| field.name).collect();
            let rule =
                ImportRule::UnknownColumn { name: (*name).to_owned(), fields: all.join(", ") };
            return Err(wrong(rule));
        }
        if named[..at].contains(name) {
            return Err(wrong(ImportRule::ColumnTwice { name: (*name).to_owned() }));
        }
    }
    for (column, field) in import.columns.0.iter_mut().zip(submitted.columns.iter()) {
        let field = field.as_ref().map(|field| String::from(&**field));
        if column.field != field {
            column.meanings.clear();
        }
        column.field = field;
    }
    let mut meant = BTreeSet::new();
    for (at, meaning) in submitted.values.into_iter().flatten().enumerate() {
        let own = (meaning.field.to_string(), import::folded_value(&meaning.written));
        if !meant.insert(own) {
            let rule = ImportRule::ColumnNamedTwice;
            return Err(Problem::invalid(&format!("values[{at}].written"), rule));
        }
        meaning.put(at, &mut import)?;
    }
    import.date_order = submitted.date_order.unwrap_or(import.date_order);
    import.member_status = submitted.member_status.map(|status| status.word().to_owned());
    resume(cx, &mut import, ImportStatus::Checking)?;
    forget_checks(cx, import.import_id)?;
    view(cx, import)
}

/// Has the worker go on with an import.
fn resume(cx: &mut Write, import: &mut Import, status: ImportStatus) -> Result<()> {
    (import.status, import.run_id) = (status, cx.new_id());
    import.save(cx)?;
    cx.begin_job(&RUN, import.run_id)
}

/// Has every row done that is in order.
pub fn start(cx: &mut Write, id: ImportId) -> Result<Import> {
    let mut import = Import::find(cx, id)?;
    import.must_be(&[ImportStatus::Checked], ImportRule::NotChecked)?;
    if counted(cx, id)?.iter().all(|(state, _)| *state != RowState::Ready) {
        return Err(Problem::conflict("status", ImportRule::NoRowInOrder));
    }
    resume(cx, &mut import, ImportStatus::Running)?;
    Ok(import)
}

fn start_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let import = start(cx, at.import_id)?;
    view(cx, import)
}

fn undo_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let mut import = Import::find(cx, at.import_id)?;
    import.must_be(&[ImportStatus::Done], ImportRule::NotDone)?;
    resume(cx, &mut import, ImportStatus::Undoing)?;
    view(cx, import)
}

answer!(ImportDeleted {
    /// Always true: the rows are deleted.
    deleted: bool
});

fn delete_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportDeleted> {
    let import = Import::find(cx, at.import_id)?;
    let still = [ImportStatus::Checked, ImportStatus::Done, ImportStatus::Undone];
    import.must_be(&still, ImportRule::ImportRuns)?;
    import::forget(cx, at.import_id)?;
    Ok(ImportDeleted { deleted: true })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app POST "/imports", Manager, create_import)
            .success(Success::Added)
            .summary("Create an import")
            .describe(
                "Uploads a file of clients or memberships. Columns are guessed from their \
                 headings, and each row is checked by running its operation and rolling it back. \
                 Until the import is started nothing but the file is stored, for 30 days.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(app GET "/imports", Manager, list_imports)
            .summary("List imports")
            .describe("Returns imports, newest first."),
        operation!(app GET "/imports/{importId}", Manager, get_import)
            .summary("Get an import")
            .describe("Returns an import with its columns and counts of rows by state."),
        operation!(app PUT "/imports/{importId}/columns", Manager, set_import_columns)
            .summary("Set the columns of an import")
            .describe("Sets what each column holds. Every row is checked again.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/imports/{importId}/start", Manager, start_import)
            .summary("Start an import")
            .describe(
                "Creates the records of every valid row, as the person who uploaded the file. \
                 Rows that have become invalid are skipped.",
            )
            .fails(&[Key::ApiError]),
        operation!(app POST "/imports/{importId}/undo", Manager, undo_import)
            .summary("Undo an import")
            .describe(
                "Archives the created clients and revokes what was sold, each by its operation. \
                 Records that can no longer be undone are kept, with the reason.",
            )
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(app DELETE "/imports/{importId}", Manager, delete_import)
            .success(Success::Deleted)
            .summary("Delete an import")
            .describe("Deletes the file. Created records stay.")
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// A company's imports, newest first.
    LIST: List<Import, UpdatedFrom> = List::new("import WHERE company_id = ?1", "import_id DESC");
}
