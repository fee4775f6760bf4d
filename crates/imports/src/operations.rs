//! What managers do with imports: bring a file, say what its columns are, look at what is wrong, start, undo.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Body, Paged, Path, Read, Write, answer, listed, operation, path,
};
use spotter_kernel::{Key, Many, Problem, Result, id::CoachId, text::Text};
use spotter_store::{Bind, Json, List, NoFilters, filters, lists, words};

use crate::{
    fields::ImportKind,
    file,
    import::{
        self, Import, ImportColumn, ImportId, ImportRow, ImportStatus, RowState, cells_of, counted,
        forget_checks, keep_rows,
    },
    row::{DateOrder, guess_order},
    steps::RUN,
};

/// Most imports of a company: each may hold 5,000 rows.
const IMPORTS_MAX: i64 = 50;
/// Some cells of a column that are told with it.
const SAMPLES: usize = 3;

words! {
    /// What clients of a file are who say nothing of it.
    pub enum StatusOfAll { Lead = "lead", Active = "active", Former = "former" }
}

/// Rows of an import, by what became of them.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// All of them.
    total: i64,
    /// Not looked at yet.
    unchecked: i64,
    /// In order, and not done yet.
    ready: i64,
    /// Left out, each with the reason.
    wrong: i64,
    /// Made into records.
    done: i64,
    /// Taken back.
    undone: i64,
    /// To be taken back, and could not.
    kept: i64,
}

/// A field that a column may be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportField {
    /// By which columns name it.
    name: String,
    /// Whether each row needs it.
    required: bool,
}

answer!(
    /// An import as it stands.
    pub ImportAnswer {
    import: Import,
    counts: ImportCounts,
    /// What its columns may be.
    fields: Vec<ImportField>,
});

/// An import as it stands, and the rows that are wrong.
pub fn report(cx: &mut Read, id: ImportId) -> Result<(ImportAnswer, Vec<ImportRow>)> {
    let import = Import::find(cx, id)?;
    let wrong = import::rows(cx, id, RowState::Wrong)?;
    Ok((told(cx, import)?, wrong))
}

fn told(cx: &mut Read, import: Import) -> Result<ImportAnswer> {
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
    let fields = import.kind.fields().iter();
    let fields = fields
        .map(|field| ImportField { name: field.name.to_owned(), required: field.required })
        .collect();
    Ok(ImportAnswer { import, counts, fields })
}

/// A file to be taken over.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewImport {
    /// What its rows are.
    pub kind: ImportKind,
    /// Comma-separated values (RFC 4180) with a heading; semicolons and tabs are understood. At most 5,000 rows.
    pub text: String,
    /// What the file is called.
    pub file_name: Option<Text<200>>,
}

/// Takes a file in, guesses what its columns are, and has it checked.
pub fn create(cx: &mut Write, by: CoachId, new: NewImport) -> Result<Import> {
    if import::count(cx)? >= IMPORTS_MAX {
        let rule = "must be one of at most 50 in 30 days: forget some that are over";
        return Err(Problem::conflict("import", rule));
    }
    let table = file::read(&new.text)?;
    let guessed = new.kind.guess(&table.heading);
    let dates =
        new.kind.fields().iter().filter(|field| field.reading == crate::fields::Reading::Date);
    let of_dates: Vec<usize> = dates
        .filter_map(|date| guessed.iter().position(|field| *field == Some(date.name)))
        .collect();
    let date_order = guess_order(of_dates.iter().flat_map(|at| cells_of(&table.rows, *at)));
    let columns = table.heading.iter().zip(guessed).enumerate().map(|(at, (name, field))| {
        let samples = cells_of(&table.rows, at).take(SAMPLES);
        let samples = samples.map(|cell| cell.chars().take(60).collect()).collect();
        ImportColumn { name: name.clone(), field: field.map(str::to_owned), samples }
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
    told(cx, import)
}

listed!(Imports { imports: Import });

fn list_imports(cx: &mut Read, Paged(_, page): Paged<NoFilters>) -> Result<Imports> {
    Ok(cx.page(&LIST, &NoFilters {}, page)?.into())
}

path!(ImportPath { import_id: ImportId });

fn get_import(cx: &mut Read, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let import = Import::find(cx, at.import_id)?;
    told(cx, import)
}

filters! {
    struct RowFilters {
        /// Rows that this became of.
        state: RowState => "state = ?";
    }
}

listed!(ImportRows { import_rows: ImportRow });

fn list_import_rows(
    cx: &mut Read,
    Path(at): Path<ImportPath>,
    Paged(wanted, page): Paged<RowFilters>,
) -> Result<ImportRows> {
    Import::find(cx, at.import_id)?;
    Ok(cx.page_under(&ROWS, &[at.import_id.bind()], &wanted, page)?.into())
}

/// What the columns of a file are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ImportColumns {
    /// The field of each column, from the first to the last; null where it is left out. Each field once.
    columns: Many<Option<Text<40>>, 1, 60>,
    /// How dates are written whose year comes last; as it is when absent.
    date_order: Option<DateOrder>,
    /// What clients are whose row says nothing of it; `lead` when absent.
    member_status: Option<StatusOfAll>,
}

fn set_import_columns(
    cx: &mut Write,
    Path(at): Path<ImportPath>,
    Body(said): Body<ImportColumns>,
) -> Result<ImportAnswer> {
    let mut import = Import::find(cx, at.import_id)?;
    let open = [ImportStatus::Checking, ImportStatus::Checked];
    import.must_be(&open, "must be checked, and not started")?;
    let wrong = |rule: String| Problem::invalid("columns", &rule);
    if said.columns.len() != import.columns.0.len() {
        let count = import.columns.0.len();
        return Err(wrong(format!("must be {count}, one for each column of the file")));
    }
    let named: Vec<&str> = said.columns.iter().flatten().map(|name| &**name).collect();
    for (at, name) in named.iter().enumerate() {
        if import.kind.field(name).is_none() {
            let all: Vec<_> = import.kind.fields().iter().map(|field| field.name).collect();
            return Err(wrong(format!("{name} is none of {}", all.join(", "))));
        }
        if named[..at].contains(name) {
            return Err(wrong(format!("{name} is said of two columns")));
        }
    }
    for (column, field) in import.columns.0.iter_mut().zip(said.columns.iter()) {
        column.field = field.as_ref().map(|field| String::from(&**field));
    }
    import.date_order = said.date_order.unwrap_or(import.date_order);
    import.member_status = said.member_status.map(|status| status.word().to_owned());
    go_on(cx, &mut import, ImportStatus::Checking)?;
    forget_checks(cx, import.import_id)?;
    told(cx, import)
}

/// Has the worker go on with an import.
fn go_on(cx: &mut Write, import: &mut Import, status: ImportStatus) -> Result<()> {
    (import.status, import.run_id) = (status, cx.new_id());
    import.save(cx)?;
    cx.begin_job(&RUN, import.run_id)
}

/// Has every row done that is in order.
pub fn start(cx: &mut Write, id: ImportId) -> Result<Import> {
    let mut import = Import::find(cx, id)?;
    import.must_be(&[ImportStatus::Checked], "must be checked, and not started")?;
    if counted(cx, id)?.iter().all(|(state, _)| *state != RowState::Ready) {
        return Err(Problem::conflict("status", "no row is in order"));
    }
    go_on(cx, &mut import, ImportStatus::Running)?;
    Ok(import)
}

fn start_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let import = start(cx, at.import_id)?;
    told(cx, import)
}

fn undo_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportAnswer> {
    let mut import = Import::find(cx, at.import_id)?;
    import.must_be(&[ImportStatus::Done], "must be done")?;
    go_on(cx, &mut import, ImportStatus::Undoing)?;
    told(cx, import)
}

answer!(ImportDeleted {
    /// Always true: what its rows said is forgotten.
    deleted: bool
});

fn delete_import(cx: &mut Write, Path(at): Path<ImportPath>) -> Result<ImportDeleted> {
    let import = Import::find(cx, at.import_id)?;
    let still = [ImportStatus::Checked, ImportStatus::Done, ImportStatus::Undone];
    import.must_be(&still, "must not be under way")?;
    import::forget(cx, at.import_id)?;
    Ok(ImportDeleted { deleted: true })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app POST "/imports", Manager, create_import)
            .summary("Take in a file of clients or memberships")
            .describe(
                "What each column is, is guessed by its name; each row is checked by having the operation done that it \
                 amounts to, and taken back again. Nothing is kept of it but the file, for 30 days, until it is started.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(app GET "/imports", Manager, list_imports).summary("List imports"),
        operation!(app GET "/imports/{importId}", Manager, get_import).summary("Get an import"),
        operation!(app GET "/imports/{importId}/rows", Manager, list_import_rows)
            .summary("List the rows of an import"),
        operation!(app PUT "/imports/{importId}/columns", Manager, set_import_columns)
            .summary("Say what the columns of an import are")
            .describe("Every row is checked anew.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/imports/{importId}/start", Manager, start_import)
            .summary("Start an import")
            .describe("Each row that is in order is done once, as whoever brought the file; what has become wrong by then is left out.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/imports/{importId}/undo", Manager, undo_import)
            .summary("Undo an import")
            .describe("Clients are archived and what was sold is revoked, each by its operation; what cannot be taken back any more is kept, with the reason.")
            .fails(&[Key::ApiError])
            .asks(),
        operation!(app DELETE "/imports/{importId}", Manager, delete_import)
            .summary("Forget an import")
            .describe("What it made stays.")
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// A company's imports, newest first.
    LIST: List<Import> = List::new("import WHERE company_id = ?1", "import_id DESC");
    /// The rows of an import, from the first line.
    ROWS: List<ImportRow, RowFilters> =
        List::new("import_row WHERE company_id = ?1 AND import_id = ?2", "line");
}
