//! The classes by which a timetable places its entries: no inline style is allowed, so each place is a class.

use std::fmt::Write as _;

/// Minutes of a row.
pub const ROW: i64 = 15;
/// Fewest rows of an entry, so that its name can be read.
pub const ROWS_MIN: i64 = 2;
/// Rows of a day.
pub const ROWS: i64 = 24 * 60 / ROW;
/// Parallel lanes of a timetable, of which the last is shared by any further ones; and its columns.
pub const LANES: usize = 8;

/// The rules of the classes by which entries are placed.
pub fn rules() -> String {
    let mut css = String::new();
    for row in 0..ROWS {
        let _ = write!(css, ".at-{row}{{grid-row-start:{}}}", row + 1);
    }
    for rows in ROWS_MIN..=ROWS {
        let _ = write!(css, ".for-{rows}{{grid-row-end:span {rows}}}");
    }
    for lane in 0..LANES {
        let _ = write!(css, ".lane-{lane}{{grid-column-start:{}}}", lane + 1);
    }
    for lanes in 1..=LANES {
        let equal = format!("repeat({lanes},minmax(0,1fr))");
        let _ = write!(css, ".lanes-{lanes}{{grid-template-columns:{equal}}}");
        // Columns for days or coaches, beside the hours.
        let _ = write!(css, ".columns-{lanes}{{grid-template-columns:40px {equal}}}");
    }
    css
}
