//! Answers as tables: CSV (RFC 4180) for callers that accept `text/csv`, at operations with rows.

use std::{collections::HashMap, fmt};

use axum::http::{HeaderMap, header};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use spotter_kernel::{Problem, Result};

/// The media type of a table.
pub(crate) const CSV: &str = "text/csv";

/// Whether a caller prefers a table to JSON: of two media types, the one with the greater weight, or else the first
/// (RFC 9110, section 12.5.1).
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut best: Option<(f32, bool)> = None;
    for range in accepted.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight =
            parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok());
        let is_csv = kind == CSV;
        if !is_csv && !["application/json", "application/*", "*/*"].contains(&kind.as_str()) {
            continue;
        }
        let weight: f32 = weight.unwrap_or(0.0);
        if weight > 0.0 && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, is_csv));
        }
    }
    best.is_some_and(|(_, is_csv)| is_csv)
}

/// The rows at a place in an answer, below a line of names. A nested field is named with a dot; a list of records
/// gives a row for each.
pub(crate) fn csv(data: &str, rows: &str) -> Result<String> {
    let whole: Cell = serde_json::from_str(data).map_err(Problem::internal)?;
    let found = rows.split('.').try_fold(&whole, |cell, name| cell.field(name));
    let Some(Cell::Items(items)) = found else {
        return Err(Problem::internal(format!("an answer has no rows at {rows}")));
    };
    let mut lines: Vec<Line> = Vec::new();
    items.iter().for_each(|item| lines.extend(item.lines("")));
    csv_text(&lines)
}

/// The pages of a list as one table, a row per record, with the list's name: a record's lists of plain values are one
/// cell, lists of records are left out. The id of a known person has their name beside it.
pub fn csv_of_pages(pages: &[String], names: &HashMap<String, String>) -> Result<(String, String)> {
    let (mut lines, mut name): (Vec<Line>, _) = (Vec::new(), String::new());
    for page in pages {
        let Cell::Fields(fields) = serde_json::from_str(page).map_err(Problem::internal)? else {
            continue;
        };
        for (own, cell) in fields {
            if let Cell::Items(items) = cell {
                name = own;
                items.into_iter().for_each(|item| lines.extend(item.flat().lines("")));
            }
        }
    }
    lines.iter_mut().for_each(|line| with_names(line, names));
    Ok((name, csv_text(&lines)?))
}

/// Adds a name before each id of a person: `client` before `clientId`, where the row has none yet. The first is the
/// record's own.
fn with_names(line: &mut Line, names: &HashMap<String, String>) {
    for at in (1..line.len()).rev() {
        let (field, id) = &line[at];
        let Some(whose) = field.strip_suffix("Id").map(str::to_owned) else { continue };
        let named = names.get(id).filter(|_| !line.iter().any(|(own, _)| *own == whose));
        if let Some(name) = named {
            let cell = (whose, plain(name));
            line.insert(at, cell);
        }
    }
}

fn csv_text(lines: &[Line]) -> Result<String> {
    let names = names(lines);
    let mut text =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    text.write_record(&names).map_err(Problem::internal)?;
    for line in lines {
        let cell = |name: &&str| {
            let found = line.iter().find(|(own, _)| own == name);
            found.map_or("", |(_, text)| text.as_str())
        };
        text.write_record(names.iter().map(cell)).map_err(Problem::internal)?;
    }
    let bytes = text.into_inner().map_err(Problem::internal)?;
    String::from_utf8(bytes).map_err(Problem::internal)
}

/// The names of all cells, each beside those of the record that it is of. A record that is null in one row gives
/// way to its fields in others.
fn names(lines: &[Line]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let is_of = |name: &str, record: &str| {
        name.strip_prefix(record).is_some_and(|rest| rest.starts_with('.'))
    };
    for (name, _) in lines.iter().flatten() {
        if !names.contains(&name.as_str()) {
            let beside = names.iter().position(|record| is_of(name, record));
            names.insert(beside.unwrap_or(names.len()), name);
        }
    }
    let all = names.clone();
    names.retain(|record| !all.iter().any(|name| is_of(name, record)));
    names
}

/// A row: the cells that it has, by their names.
type Line = Vec<(String, String)>;

/// A JSON value whose fields keep their order.
enum Cell {
    Fields(Vec<(String, Cell)>),
    Items(Vec<Cell>),
    Plain(String),
}

impl Cell {
    fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Fields(fields) => {
                fields.iter().find(|(own, _)| own == name).map(|(_, cell)| cell)
            }
            _ => None,
        }
    }

    /// The same as one row.
    fn flat(self) -> Self {
        let Self::Fields(fields) = self else { return self };
        let flat = |(name, cell)| match cell {
            Self::Items(items) => {
                let texts: Option<Vec<String>> = items
                    .into_iter()
                    .map(|item| match item {
                        Self::Plain(text) => Some(text),
                        _ => None,
                    })
                    .collect();
                texts.map(|texts| (name, Self::Plain(texts.join(", "))))
            }
            cell => Some((name, cell.flat())),
        };
        Self::Fields(fields.into_iter().filter_map(flat).collect())
    }

    /// The rows that it makes, its names beginning with those above it.
    fn lines(&self, above: &str) -> Vec<Line> {
        match self {
            Self::Plain(text) => vec![vec![(above.to_owned(), text.clone())]],
            Self::Items(items) => items.iter().flat_map(|item| item.lines(above)).collect(),
            Self::Fields(fields) => {
                let mut lines: Vec<Line> = vec![Vec::new()];
                for (name, cell) in fields {
                    let is_list = matches!(cell, Self::Items(_));
                    let named = match (above, is_list) {
                        // The rows of a list are named by what they hold.
                        (_, true) => above.to_owned(),
                        ("", _) => name.clone(),
                        _ => format!("{above}.{name}"),
                    };
                    let more = cell.lines(&named);
                    if more.is_empty() {
                        continue;
                    }
                    let each = lines.iter().flat_map(|line| {
                        more.iter().map(move |more| [line.as_slice(), more].concat())
                    });
                    lines = each.collect();
                }
                lines
            }
        }
    }
}

/// Marks text that a spreadsheet program would take for a formula as text.
fn plain(text: &str) -> String {
    // Full-width ones are read as the others.
    let formula = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    match text.starts_with(formula) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Cells)
    }
}

struct Cells;

impl<'de> Visitor<'de> for Cells {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
        Ok(Cell::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
        Ok(Cell::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
        Ok(Cell::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Plain(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Cell, E> {
        Ok(Cell::Plain(plain(value)))
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Plain(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cell, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Cell::Items(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Cell, A::Error> {
        let mut all = Vec::new();
        while let Some(field) = fields.next_entry()? {
            all.push(field);
        }
        Ok(Cell::Fields(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_flat_and_keep_their_order() {
        let data = r#"{"report": {"rows": [
            {"from": "2026-11-01", "rate": {"value": 0.5, "of": null}, "each": [
                {"currency": "EUR", "paid": -5}, {"currency": "USD", "paid": 7}]},
            {"from": "=1+1", "rate": null, "each": [{"currency": "a,\"b\"", "paid": 0}]}]}}"#;
        assert_eq!(
            csv(data, "report.rows").unwrap(),
            "from,rate.value,rate.of,currency,paid\r\n2026-11-01,0.5,,EUR,-5\r\n\
             2026-11-01,0.5,,USD,7\r\n'=1+1,,,\"a,\"\"b\"\"\",0\r\n"
        );
        assert!(csv(data, "report.none").is_err());
        let nulls = r#"{"rows": [{"rate": null, "at": 1}, {"rate": {"value": 2}, "at": 3}]}"#;
        assert_eq!(csv(nulls, "rows").unwrap(), "rate.value,at\r\n,1\r\n2,3\r\n");
    }

    #[test]
    fn names_stand_before_ids() {
        let page = r#"{"bookings": [{"bookingId": "1", "clientId": "a", "coachId": "b"},
            {"bookingId": "2", "clientId": "=", "coachId": null}]}"#;
        let names = [("a", "=Ann"), ("b", "Ben")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned())).into();
        let output = csv_of_pages(&[page.to_owned()], &names).unwrap();
        assert_eq!(
            output.1,
            "bookingId,client,clientId,coach,coachId\r\n1,'=Ann,a,Ben,b\r\n2,,'=,,\r\n"
        );
    }

    #[test]
    fn callers_choose_media_types() {
        let wanted = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            is_wanted(&headers)
        };
        for csv in [
            "text/csv",
            "TEXT/CSV; charset=utf-8",
            "text/csv, application/json",
            "*/*;q=0.1, text/csv",
        ] {
            assert!(wanted(csv), "{csv}");
        }
        for json in [
            "*/*",
            "application/json, text/csv",
            "text/csv;q=0.5, application/json",
            "text/csv;q=0",
            "text/html",
        ] {
            assert!(!wanted(json), "{json}");
        }
        assert!(!is_wanted(&HeaderMap::new()));
    }
}
