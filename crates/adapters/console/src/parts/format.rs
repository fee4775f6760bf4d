//! Reading what operations answer, and telling it as people write: dates, times and money in the forms of a language and
//! the zone of the company.

use serde_json::Value;
use spotter_kernel::{Date, TimeZone, Timestamp, money::Currency, number::grouped};

use crate::words::{Locale, Strings};

/// Reads a value at a place in JSON, such as `client.address.city` or `sets.0.reps`.
pub(crate) trait JsonFields {
    /// The value; `null` if absent.
    fn at(&self, place: &str) -> &Value;
    /// A text; empty where there is none.
    fn text(&self, place: &str) -> &str;
    /// A whole number; 0 where there is none.
    fn int(&self, place: &str) -> i64;
    /// Whether a boolean is true.
    fn is(&self, place: &str) -> bool;
    /// The items of a list; none where there is no list.
    fn list(&self, place: &str) -> &[Value];
    /// Whether there is anything.
    fn has(&self, place: &str) -> bool {
        !self.at(place).is_null()
    }
}

impl JsonFields for Value {
    fn at(&self, place: &str) -> &Value {
        place.split('.').fold(self, |value, name| match (value, name.parse::<usize>()) {
            (Value::Array(items), Ok(place)) => items.get(place).unwrap_or(&Value::Null),
            _ => &value[name],
        })
    }

    fn text(&self, place: &str) -> &str {
        self.at(place).as_str().unwrap_or_default()
    }

    fn int(&self, place: &str) -> i64 {
        let value = self.at(place);
        value.as_i64().or(value.as_f64().map(|number| number as i64)).unwrap_or_default()
    }

    fn is(&self, place: &str) -> bool {
        self.at(place).as_bool().unwrap_or_default()
    }

    fn list(&self, place: &str) -> &[Value] {
        self.at(place).as_array().map_or(&[], Vec::as_slice)
    }
}

/// The name of a person.
pub(crate) fn full_name(first_name: &str, last_name: &str) -> String {
    format!("{first_name} {last_name}").trim().to_owned()
}

/// How dates, times and money are written: in the words of a language, by the clock of a zone.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) strings: Strings,
    pub(crate) zone: TimeZone,
    pub(crate) now: Timestamp,
}

const MONTHS: [[&str; 12]; 3] = [
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
    [
        "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.",
        "Dez.",
    ],
];

const WEEKDAYS: [[&str; 7]; 3] = [
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    ["ma", "di", "wo", "do", "vr", "za", "zo"],
    ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
];

impl Format {
    fn column(&self) -> usize {
        match self.strings.0 {
            Locale::English => 0,
            Locale::Dutch => 1,
            Locale::German => 2,
        }
    }

    /// The date that it is.
    pub(crate) fn today(&self) -> Date {
        self.zone.date_at(self.now)
    }

    /// A date, such as 24 Nov 2026; empty where there is none.
    pub(crate) fn date(&self, date: impl Into<Option<Date>>) -> String {
        let Some(Date(civil)) = date.into() else { return String::new() };
        let month = MONTHS[self.column()][(civil.month() - 1).unsigned_abs() as usize];
        match self.strings.0 {
            Locale::German => format!("{}. {month} {}", civil.day(), civil.year()),
            _ => format!("{} {month} {}", civil.day(), civil.year()),
        }
    }

    /// A day of the week, in short.
    pub(crate) fn weekday(&self, date: Date) -> &'static str {
        WEEKDAYS[self.column()][(date.weekday() - 1).unsigned_abs() as usize % 7]
    }

    /// A date with its day of the week, such as Tue 24 Nov.
    pub(crate) fn day(&self, date: Date) -> String {
        let month = MONTHS[self.column()][(date.0.month() - 1).unsigned_abs() as usize];
        let dot = if self.strings.0 == Locale::German { "." } else { "" };
        format!("{} {}{dot} {month}", self.weekday(date), date.0.day())
    }

    /// A month, such as Nov 2026.
    pub(crate) fn month(&self, date: Date) -> String {
        let month = MONTHS[self.column()][(date.0.month() - 1).unsigned_abs() as usize];
        format!("{month} {}", date.0.year())
    }

    /// The time by the clock, such as 14:05; empty where there is none.
    pub(crate) fn time(&self, at: impl Into<Option<Timestamp>>) -> String {
        let Some(at) = at.into() else { return String::new() };
        let local = at.to_jiff().to_zoned(self.zone.0.clone());
        format!("{:02}:{:02}", local.hour(), local.minute())
    }

    /// A date with the time, such as 24 Nov 2026, 14:05; empty where there is none.
    pub(crate) fn instant(&self, at: impl Into<Option<Timestamp>>) -> String {
        let Some(at) = at.into() else { return String::new() };
        format!("{}, {}", self.date(self.zone.date_at(at)), self.time(at))
    }

    /// An amount of minor units, such as €49.00, € 49,00 or 49,00 €.
    pub(crate) fn money(&self, amount: i64, currency: &str) -> String {
        let Some(known) = Currency::parse(currency) else { return format!("{amount} {currency}") };
        let number = self.grouped(&known.decimal(amount.abs()));
        let sign = if amount < 0 { "−" } else { "" };
        let symbol = match currency {
            "EUR" => "€",
            "GBP" => "£",
            "USD" => "$",
            code => code,
        };
        match self.strings.0 {
            Locale::English if symbol.len() == 3 && symbol.is_ascii() => {
                format!("{sign}{symbol}\u{a0}{number}")
            }
            Locale::English => format!("{sign}{symbol}{number}"),
            Locale::Dutch => format!("{sign}{symbol}\u{a0}{number}"),
            Locale::German => format!("{sign}{number}\u{a0}{symbol}"),
        }
    }

    /// A decimal number as the language groups and points it.
    fn grouped(&self, decimal: &str) -> String {
        let (group, point) = match self.strings.0 {
            Locale::English => (',', '.'),
            _ => ('.', ','),
        };
        grouped(decimal, group, point)
    }

    /// A whole number with its groups, such as 12,345.
    pub(crate) fn count(&self, number: i64) -> String {
        let sign = if number < 0 { "−" } else { "" };
        format!("{sign}{}", self.grouped(&number.unsigned_abs().to_string()))
    }

    /// A number with a maximum of decimals.
    pub(crate) fn number(&self, value: f64, decimals: usize) -> String {
        let text = format!("{:.decimals$}", value.abs());
        let text = match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}", self.grouped(&text))
    }

    /// A number as in a field: with the language's decimal sign, without groups.
    pub(crate) fn field_number(&self, value: f64) -> String {
        self.strings.pointed(&value.to_string())
    }

    /// A share of the whole, such as 93 %.
    pub(crate) fn share(&self, value: Option<f64>) -> String {
        match (value, self.strings.0) {
            (None, _) => "–".to_owned(),
            (Some(value), Locale::English) => format!("{}%", self.number(value * 100.0, 1)),
            (Some(value), _) => format!("{}\u{a0}%", self.number(value * 100.0, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(language: Locale) -> Format {
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        Format { strings: Strings(language), zone, now: Timestamp::from_millis(0) }
    }

    #[test]
    fn money_is_written_as_people_write_it() {
        let money = |language, amount, currency| written(language).money(amount, currency);
        assert_eq!(money(Locale::English, 123_456_789, "EUR"), "€1,234,567.89");
        assert_eq!(money(Locale::Dutch, -4_900, "EUR"), "−€\u{a0}49,00");
        assert_eq!(money(Locale::German, 4_900, "EUR"), "49,00\u{a0}€");
        assert_eq!(money(Locale::English, 500, "JPY"), "JPY\u{a0}500");
        assert_eq!(money(Locale::English, 5_000, "BHD"), "BHD\u{a0}5.000");
    }

    #[test]
    fn times_are_those_of_the_zone() {
        let at = Timestamp::parse("2026-03-29T01:30:00Z").unwrap();
        assert_eq!(written(Locale::English).instant(at), "29 Mar 2026, 03:30");
        assert_eq!(written(Locale::German).instant(at), "29. März 2026, 03:30");
        let date = Date::parse("2026-11-24").unwrap();
        assert_eq!(written(Locale::Dutch).day(date), "di 24 nov");
        assert_eq!(written(Locale::English).share(Some(0.125)), "12.5%");
        assert_eq!(written(Locale::English).number(-0.5, 2), "−0.5");
        assert_eq!(written(Locale::English).number(10.0, 0), "10");
    }

    proptest! {
        #[test]
        fn an_amount_can_be_read_back(amount in -1_000_000_000_000i64..1_000_000_000_000) {
            let text = written(Locale::English).money(amount, "EUR");
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let value: i64 = digits.parse().unwrap();
            prop_assert_eq!(if text.starts_with('−') { -value } else { value }, amount);
        }
    }
}
