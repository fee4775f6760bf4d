//! Rows of an import as managers see them: values, status, and errors.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Flag, ListQuery, Path, Read, listed, operation};
use spotter_kernel::{Locale, Result};
use spotter_store::{Bind, List, filters, lists};

use crate::{
    import::{Import, ImportRow, RowState},
    operations::ImportPath,
    row::FieldError,
};

filters! {
    struct RowFilters {
        /// Rows that this became of.
        state: RowState => "state = ?";
        /// Rows that lack an invalid optional field.
        incomplete: Flag => "(state IN ('ready', 'done') AND rule IS NOT NULL) = ?";
    }
}

/// A row of an import, with its invalid fields.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportRow")]
#[serde(rename_all = "camelCase")]
struct RowView {
    #[serde(flatten)]
    row: ImportRow,
    /// Each field that is not in order, the first as in `field` and `rule`.
    mistakes: Vec<Mistake>,
}

/// An invalid field of a row.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportMistake")]
struct Mistake {
    /// The field; empty where the row as a whole could not be done.
    field: String,
    /// Rule that it violates.
    rule: String,
}

impl RowView {
    fn of(row: ImportRow, locale: Locale) -> Self {
        let mistake = |error: &FieldError| Mistake {
            field: error.field.clone(),
            rule: error.rule.text(locale).to_owned(),
        };
        let mistakes = row.mistakes.iter().flat_map(|found| &found.0).map(mistake).collect();
        Self { row, mistakes }
    }
}

listed!(ImportRows { import_rows: RowView });

fn list_import_rows(
    cx: &mut Read,
    Path(at): Path<ImportPath>,
    ListQuery(wanted, page): ListQuery<RowFilters>,
) -> Result<ImportRows> {
    Import::find(cx, at.import_id)?;
    let locale = cx.caller().locale;
    let found = cx.page_under(&ROWS, &[at.import_id.bind()], &wanted, page)?;
    Ok(found.map(|row| RowView::of(row, locale)).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app GET "/imports/{importId}/rows", Manager, list_import_rows)
            .summary("List the rows of an import")
            .describe(
                "Returns rows with their state and, for refused ones, the field and the rule.",
            ),
    ])
}

lists! {
    /// The rows of an import, from the first line.
    ROWS: List<ImportRow, RowFilters> =
        List::new("import_row WHERE company_id = ?1 AND import_id = ?2", "line");
}
