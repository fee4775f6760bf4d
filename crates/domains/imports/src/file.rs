//! Parsing of files: separator, heading, and lines (RFC 4180, and what spreadsheets write).

use crate::rules::ImportRule;
use csv::ReaderBuilder;
use spotter_kernel::{Phrase, Problem, Result};

/// Most rows of a file.
pub const ROWS_MAX: usize = 5_000;
/// Most columns of a file.
pub const COLUMNS_MAX: usize = 60;
/// The longest cell, in characters: as long as the longest note.
const CELL_MAX: usize = 10_000;

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportTable {
    /// What its columns are called.
    pub heading: Vec<String>,
    /// Its rows, each with the line that it begins on.
    pub rows: Vec<(i64, Vec<String>)>,
}

/// Reads a file. Rows that are empty are left out.
pub fn read(text: &str) -> Result<ImportTable> {
    let wrong = |rule: Phrase| Problem::invalid("text", rule);
    // Line breaks of any system count as one line break.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = &text.replace("\r\n", "\n").replace('\r', "\n");
    // Excel reads the separator from a first line, which is no row.
    let (submitted, text) = separator(text);
    let between = submitted.unwrap_or_else(|| delimiter(&text));
    if let Some(line) = open_quote(&text, between) {
        return Err(wrong(ImportRule::OpenQuote { line }.into()));
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(between)
        .from_reader(text.as_bytes());
    let mut heading = Vec::new();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| wrong(ImportRule::NotCsv.into()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |cell: &str| {
            let plain = cell.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
            plain.collect::<String>().trim().to_owned()
        };
        let cells: Vec<String> = record.iter().map(cell).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        if cells.iter().any(|cell| cell.chars().count() > CELL_MAX) {
            return Err(wrong(ImportRule::CellTooLong { max: CELL_MAX, line }.into()));
        }
        if heading.is_empty() {
            heading = cells;
        } else if rows.len() == ROWS_MAX {
            return Err(wrong(ImportRule::TooManyRows { max: ROWS_MAX }.into()));
        } else if cells.iter().skip(heading.len()).any(|cell| !cell.is_empty()) {
            return Err(wrong(ImportRule::TooManyCells { line }.into()));
        } else {
            rows.push((i64::try_from(line).unwrap_or(i64::MAX), cells));
        }
    }
    if heading.len() > COLUMNS_MAX {
        return Err(wrong(ImportRule::TooManyColumns { max: COLUMNS_MAX }.into()));
    }
    if rows.is_empty() {
        return Err(wrong(ImportRule::NoRows.into()));
    }
    for (_, cells) in &mut rows {
        cells.resize(heading.len(), String::new());
    }
    Ok(ImportTable { heading, rows })
}

/// The separator: the most frequent one in the heading, outside of quotes; of two equally frequent ones, the one that
/// is rare in text. A first line such as `sep=;` decides it; returns the text with an empty line in its place.
fn separator(text: &str) -> (Option<u8>, std::borrow::Cow<'_, str>) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.trim_matches([' ', '"']).as_bytes() {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', between @ (b';' | b',' | b'|' | b'\t')] => {
            (Some(*between), format!("\n{rest}").into())
        }
        _ => (None, text.into()),
    }
}

fn delimiter(text: &str) -> u8 {
    let (mut quoted, mut counts) = (false, [0usize; 4]);
    for byte in text.trim_start().bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            b'\t' => counts[0] += 1,
            b'|' => counts[1] += 1,
            b';' => counts[2] += 1,
            b',' => counts[3] += 1,
            _ => {}
        }
    }
    let most =
        counts.iter().enumerate().max_by_key(|(at, count)| (**count, std::cmp::Reverse(*at)));
    [b'\t', b'|', b';', b','][most.map_or(3, |(at, _)| at)]
}

/// The line with an unclosed quote, after which everything would be one cell.
fn open_quote(text: &str, between: u8) -> Option<u64> {
    let (mut line, mut opened, mut begins) = (1_u64, None, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, opened) {
            (b'"', None) if begins => opened = Some(line),
            (b'"', Some(_)) if bytes.peek() == Some(&b'"') => {
                bytes.next();
            }
            (b'"', Some(_)) => opened = None,
            _ => {}
        }
        begins = opened.is_none() && (byte == between || byte == b'\n');
        line += u64::from(byte == b'\n');
    }
    opened
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_unclosed_quote_swallows_no_rows() {
        let output = super::read("name,note\nA,\"fine\"\nB,\"says: 5\"\" tall\nC,\n").unwrap_err();
        assert!(output.message.contains("line 3"), "{}", output.message);
        assert!(super::read("name,note\nA,\"a \"\"b\"\"\"\nB,5\" tall\n").is_ok());
        let output = super::read("name,note\nA,b,c\n").unwrap_err();
        assert!(output.message.contains("line 2"), "{}", output.message);
        assert!(super::read("name,note\nA,b,,\n").is_ok());
    }

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_first_line_may_name_the_separator() {
        for submitted in ["sep=;", "SEP=;", "\"sep=;\"", "\u{feff}sep=;"] {
            let table = read(&format!("{submitted}\nA,a;B\n1;2\n")).unwrap();
            assert_eq!(
                (table.heading, table.rows[0].0),
                (vec!["A,a".to_owned(), "B".to_owned()], 3)
            );
        }
        let tabs = read("sep=\t\r\nA\tB\r\n1\t2\r\n").unwrap();
        assert_eq!(tabs.heading, ["A", "B"]);
        // A letter is none.
        assert_eq!(read("sep=a\nbanana\n").unwrap().heading, ["sep=a"]);
    }

    #[test]
    fn files_of_spreadsheets_are_read() {
        let cells =
            |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let output =
            read("\u{feff}Voornaam;\"Achter;naam\"\r\nZoë;\"de \"\"V\"\"\"\r\n;\r\nBo\r\n")
                .unwrap();
        assert_eq!(output.heading, cells(&["Voornaam", "Achter;naam"]));
        assert_eq!(output.rows[0], (2, cells(&["Zoë", "de \"V\""])));
        assert_eq!(output.rows[1], (4, cells(&["Bo", ""])));
        let old = read("a,b\r1,2\r3,4").unwrap();
        assert_eq!(old.rows.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(read("a\tb,c\n1\t2").unwrap().heading, cells(&["a", "b,c"]));
        for wrong in ["", "a,b", "a,b\n,\n", &format!("{}\nx", ",".repeat(60))] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&format!("a\n{}", "x\n".repeat(ROWS_MAX + 1))).is_err());
    }

    proptest! {
        #[test]
        fn whatever_was_written_is_read(
            rows in prop::collection::vec(prop::collection::vec("[a-zäß€ ,;\"'|\t]{0,12}", 3), 1..20),
            between in prop::sample::select(vec![b',', b';', b'\t'])
        ) {
            let mut writer = csv::WriterBuilder::new().delimiter(between).from_writer(Vec::new());
            writer.write_record(["one", "two", "three"]).unwrap();
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let kept: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.iter().map(|cell| cell.replace('\t', " ").trim().to_owned()).collect::<Vec<_>>())
                .filter(|row| row.iter().any(|cell| !cell.is_empty()))
                .collect();
            match read(&text) {
                Ok(output) => prop_assert_eq!(output.rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>(), kept),
                Err(_) => prop_assert!(kept.is_empty()),
            }
        }

        #[test]
        fn arbitrary_input_never_panics(text in ".{0,200}") {
            read(&text).ok();
        }
    }
}
