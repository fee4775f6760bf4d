//! iCalendar (RFC 5545), as far as calendar programs need it to show events: one VEVENT per occurrence, in UTC, so
//! that no program's zone data matters. Needs no database.

use std::fmt::Write;

use spotter_kernel::Timestamp;
use spotter_store::words;

use crate::hours::Span;

/// The longest line in octets (section 3.1).
const LINE: usize = 75;

/// Something that takes place.
#[derive(Clone, Debug)]
pub struct CalendarEntry {
    /// Its globally unique and permanent id.
    pub uid: String,
    /// When its content last changed.
    pub changed_at: Timestamp,
    /// When its record was made.
    pub created_at: Timestamp,
    /// Grows with each change of its record.
    pub revision: i64,
    /// Start and end.
    pub span: Span,
    /// Display name.
    pub summary: String,
    /// The coach, or other details.
    pub description: Option<String>,
    /// Where.
    pub location: Option<String>,
    /// Whether it is not settled yet.
    pub tentative: bool,
    /// Whether one can do something else meanwhile.
    pub transparent: bool,
}

words! {
    /// What a program does with a calendar that it is sent (RFC 5546).
    pub enum CalendarMethod { Request = "REQUEST", Cancel = "CANCEL" }
}

/// Who sends an entry to whom: their addresses, and the sender's name.
#[derive(Clone, Copy, Debug)]
pub struct Correspondents<'c> {
    /// The sender's name.
    pub name: &'c str,
    /// The sender's address.
    pub sender: &'c str,
    /// The recipient's address.
    pub recipient: &'c str,
}

/// An entry for one person's own calendar, which takes it in, updates or removes it.
pub fn invitation(
    method: CalendarMethod,
    entry: &CalendarEntry,
    people: Correspondents<'_>,
) -> String {
    let mut out = String::new();
    begin(&mut out, method.word());
    line(&mut out, "BEGIN", "VEVENT");
    properties(&mut out, entry);
    let organizer = format!("ORGANIZER;CN=\"{}\"", parameter(people.name));
    line(&mut out, &organizer, &format!("mailto:{}", people.sender));
    line(
        &mut out,
        "ATTENDEE;PARTSTAT=ACCEPTED;RSVP=FALSE",
        &format!("mailto:{}", people.recipient),
    );
    line(
        &mut out,
        "STATUS",
        if method == CalendarMethod::Cancel { "CANCELLED" } else { "CONFIRMED" },
    );
    line(&mut out, "END", "VEVENT");
    line(&mut out, "END", "VCALENDAR");
    out
}

fn begin(out: &mut String, method: &str) {
    line(out, "BEGIN", "VCALENDAR");
    line(out, "VERSION", "2.0");
    line(out, "PRODID", "-//Spotter//Calendar//EN");
    line(out, "CALSCALE", "GREGORIAN");
    line(out, "METHOD", method);
}

/// A calendar of this name.
pub fn calendar(name: &str, entries: &[CalendarEntry]) -> String {
    let mut out = String::new();
    begin(&mut out, "PUBLISH");
    line(&mut out, "NAME", &text(name));
    line(&mut out, "X-WR-CALNAME", &text(name));
    line(&mut out, "REFRESH-INTERVAL;VALUE=DURATION", "PT1H");
    line(&mut out, "X-PUBLISHED-TTL", "PT1H");
    for entry in entries {
        event(&mut out, entry);
    }
    line(&mut out, "END", "VCALENDAR");
    out
}

fn event(out: &mut String, entry: &CalendarEntry) {
    line(out, "BEGIN", "VEVENT");
    properties(out, entry);
    line(out, "STATUS", if entry.tentative { "TENTATIVE" } else { "CONFIRMED" });
    line(out, "TRANSP", if entry.transparent { "TRANSPARENT" } else { "OPAQUE" });
    line(out, "END", "VEVENT");
}

/// What an entry says in every calendar.
fn properties(out: &mut String, entry: &CalendarEntry) {
    line(out, "UID", &text(&entry.uid));
    line(out, "DTSTAMP", &utc(entry.changed_at));
    line(out, "CREATED", &utc(entry.created_at));
    line(out, "LAST-MODIFIED", &utc(entry.changed_at));
    line(out, "SEQUENCE", &sequence(entry).to_string());
    line(out, "DTSTART", &utc(entry.span.start));
    line(out, "DTEND", &utc(entry.span.end));
    line(out, "SUMMARY", &text(&entry.summary));
    if let Some(description) = &entry.description {
        line(out, "DESCRIPTION", &text(description));
    }
    if let Some(location) = &entry.location {
        line(out, "LOCATION", &text(location));
    }
}

/// SEQUENCE: a number that grows with each change of what is shown (section 3.8.7.4), including a location's name,
/// which changes no record of the event. 32 bits hold the seconds of 68 years.
fn sequence(entry: &CalendarEntry) -> i64 {
    const YEAR_2020: i64 = 1_577_836_800;
    (entry.changed_at.millis() / 1_000 - YEAR_2020).max(0) + entry.revision
}

/// An instant in UTC (section 3.3.5, form 2).
fn utc(at: Timestamp) -> String {
    let written = at.to_string();
    let digits = written.split('.').next().unwrap_or_default();
    let mut out: String = digits.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    out.push('Z');
    out
}

/// A text as a value (section 3.3.11).
fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A text as a quoted parameter (section 3.2), which has no escapes.
fn parameter(plain: &str) -> String {
    plain
        .chars()
        .map(|c| {
            if c == '"' {
                '\''
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// A content line, folded between characters.
fn line(out: &mut String, name: &str, value: &str) {
    let mut width = 0;
    for c in name.chars().chain([':']).chain(value.chars()) {
        if width + c.len_utf8() > LINE {
            out.push_str("\r\n ");
            width = 1;
        }
        width += c.len_utf8();
        out.push(c);
    }
    let _ = out.write_str("\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A parser of content lines: unfolds and unescapes them.
    fn read(calendar: &str) -> Vec<(String, String)> {
        let unfolded = calendar.replace("\r\n ", "");
        let lines = unfolded.split("\r\n").filter(|line| !line.is_empty());
        let plain = |value: &str| {
            let (mut out, mut rest) = (String::new(), value.chars());
            while let Some(c) = rest.next() {
                match c {
                    '\\' => out.push(match rest.next() {
                        Some('n') => '\n',
                        Some(other) => other,
                        None => '\\',
                    }),
                    c => out.push(c),
                }
            }
            out
        };
        lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), plain(value)))
            .collect()
    }

    fn entry(summary: &str) -> CalendarEntry {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        CalendarEntry {
            uid: "1@2".into(),
            changed_at: at("2026-10-01T08:00:00Z"),
            created_at: at("2026-09-01T08:00:00Z"),
            revision: 2,
            span: Span::new(at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00.000Z")),
            summary: summary.to_owned(),
            description: None,
            location: Some("Studio; Kade 1, Utrecht".into()),
            tentative: false,
            transparent: false,
        }
    }

    #[test]
    fn an_event_is_written_whole() {
        let output = calendar("Gym", &[entry("Spin")]);
        assert!(output.ends_with("END:VCALENDAR\r\n"));
        let read = read(&output);
        let value =
            |name: &str| read.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        assert_eq!(value("DTSTART"), Some("20261025T003000Z"));
        assert_eq!(value("DTEND"), Some("20261025T013000Z"));
        assert_eq!(value("LOCATION"), Some("Studio; Kade 1, Utrecht"));
        // Seconds from the beginning of 2020 to 2026-10-01T08:00:00Z.
        assert_eq!((value("SEQUENCE"), value("STATUS")), (Some("213004802"), Some("CONFIRMED")));
        assert_eq!((value("DESCRIPTION"), value("X-WR-CALNAME")), (None, Some("Gym")));
    }

    proptest! {
        /// Whatever text is used, lines are short, and parsing returns what was written.
        #[test]
        fn any_name_round_trips(summary in any::<String>()) {
            let output = calendar("Gym", &[entry(&summary)]);
            prop_assert!(output.split("\r\n").all(|line| line.len() <= LINE));
            prop_assert!(!output.replace("\r\n", "").contains(['\r', '\n']));
            let summaries: Vec<_> =
                read(&output).into_iter().filter(|(name, _)| name == "SUMMARY").collect();
            prop_assert_eq!(summaries.len(), 1);
            let view: String = summary
                .replace("\r\n", "\n")
                .chars()
                .map(|c| if c.is_control() && c != '\n' { ' ' } else { c })
                .collect();
            prop_assert_eq!(&summaries[0].1, &view);
        }
    }
}
