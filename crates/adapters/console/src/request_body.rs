//! Turns a form into the body of an operation. A field is named by its place in the body; its [kind](FieldKind)
//! defines the notation, where the operation's schema does not.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use spotter_kernel::{
    Date, Key, Locale, Phrase, Problem, Result, Rule, TimeZone, money::Currency, text::WallTime,
};
use spotter_people::identity::browsers::SignedInPerson;

use crate::{
    body,
    field_kind::FieldKind,
    forms::{FIELDS_MAX, FormData},
    parts::measures,
    questions,
    rules::ConsoleRule,
};

/// Most times that one row is meant.
const TIMES_MAX: usize = 30;
/// Prefix of the ranges of a week.
const HOURS: &str = "-hours.";
/// Prefix of the unit of a measured value.
pub(crate) const UNIT: &str = "-unit.";

/// Whether a name of the form's own, with its dash, is a field that a person writes into.
pub(crate) fn is_typed(name: &str) -> bool {
    name.starts_with(HOURS) || name.starts_with(UNIT)
}

/// The body of a form.
pub(crate) fn body_of(schema: &Value, form: &FormData, person: &SignedInPerson) -> Result<Value> {
    if form.pairs().count() > FIELDS_MAX {
        return Err(Problem::because(Key::RequestInvalid, Rule::TooManyFields));
    }
    let (body, refusal) = read(schema, form, person);
    refusal.map_or(Ok(body), Err)
}

/// The body of a refused form, with what was typed in the wrong fields as it stands there.
pub(crate) fn body_so_far(schema: &Value, form: &FormData, person: &SignedInPerson) -> Value {
    // Fields are looked up one by one: a form with too many is not read again either.
    if form.pairs().count() > FIELDS_MAX {
        return Value::Null;
    }
    read(schema, form, person).0
}

/// The body of a form, and why the first wrong field is refused.
fn read(schema: &Value, form: &FormData, person: &SignedInPerson) -> (Value, Option<Problem>) {
    let mut typed = BodyBuilder::default();
    let mut refusal = None;
    let mut refuse = |problem: Problem| {
        refusal.get_or_insert(problem);
    };
    // The parts of a question are read with the list that it is of.
    let plain = |(name, _): &(&str, &str)| !name.starts_with('-') && !name.starts_with("question.");
    for (name, value) in form.pairs().filter(plain) {
        match FieldKind::split(name) {
            (name, Ok(None)) => typed.text(name, value),
            // Special notations are only accepted for fields of the operation.
            (name, Ok(Some(kind))) if body::has(schema, name) => {
                if let Err(problem) = typed.read(schema, form, person, name, kind, value) {
                    refuse(problem);
                    typed.text(name, value);
                }
            }
            (name, _) => refuse(Problem::invalid(name, ConsoleRule::UnknownFormField)),
        }
    }
    let texts = typed.texts.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut body = body::of_fields(schema, texts);
    for (name, value) in typed.values {
        body::set(&mut body, name, value);
    }
    for (name, rows) in typed.rows {
        let Some(list) = body::list(&mut body, name) else { continue };
        match rows {
            Rows::FilledIn => list.retain(is_filled_in),
            Rows::Times(times) => {
                let row = list.first().cloned().unwrap_or_else(|| Value::Object(Map::new()));
                *list = vec![row; times];
            }
        }
    }
    (body, refusal)
}

/// What of a body is known so far.
#[derive(Default)]
struct BodyBuilder<'f> {
    /// Typed by the schema.
    texts: Vec<(String, String)>,
    /// These are put as they are.
    values: Vec<(&'f str, Value)>,
    /// Of these lists, which rows there are.
    rows: Vec<(&'f str, Rows)>,
}

/// Which rows of a list there are.
enum Rows {
    /// Those in which something is filled in.
    FilledIn,
    /// The first, repeated.
    Times(usize),
}

/// Whether a row has a value; an unticked box has none.
fn is_filled_in(row: &Value) -> bool {
    let says = |value: &Value| !value.is_null() && *value != Value::Bool(false);
    row.as_object().is_none_or(|row| row.values().any(says))
}

impl<'f> BodyBuilder<'f> {
    fn text(&mut self, name: &str, value: impl Into<String>) {
        self.texts.push((name.to_owned(), value.into()));
    }

    fn read(
        &mut self,
        schema: &Value,
        form: &FormData,
        person: &SignedInPerson,
        name: &'f str,
        kind: FieldKind,
        value: &str,
    ) -> Result<()> {
        let wrong = |rule: Phrase| Problem::invalid(name, rule);
        match kind {
            FieldKind::Money => {
                let amount = minor_units(value, &person.company.currency, person.caller.locale);
                self.text(name, amount.ok_or_else(|| wrong(Rule::NotAmount.into()))?);
            }
            FieldKind::LocalTime => {
                let instant = instant(value, &person.company.time_zone);
                self.text(name, instant.ok_or_else(|| wrong(ConsoleRule::NotDateTime.into()))?);
            }
            FieldKind::Measured => {
                let (measured, unit) = value.split_once(measures::BETWEEN).unwrap_or((value, ""));
                self.text(name, measured);
                if !unit.is_empty() {
                    self.text("unit", unit);
                }
            }
            FieldKind::List => {
                self.text(name, "");
                let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
                items.for_each(|item| self.text(name, item));
            }
            FieldKind::Flag if form.all(name).next().is_none() => self.text(name, "false"),
            // An empty field is omitted, or cleared where the operation allows it.
            FieldKind::Number | FieldKind::Boolean
                if value.is_empty() && body::is_cleared_by_null(schema, name) =>
            {
                self.text(name, "");
            }
            FieldKind::Number | FieldKind::Boolean if value.is_empty() => {}
            FieldKind::Number => {
                let number = value.replace(',', ".").parse().ok().filter(|n: &f64| n.is_finite());
                let number = number.ok_or_else(|| wrong(Rule::NotNumber.into()))?;
                self.values.push((name, number.into()));
                // A measured value is sent with its unit from the field beside it.
                let whole = name.strip_suffix(".value").unwrap_or(name);
                let unit = form.one(&format!("{UNIT}{whole}"));
                if !unit.is_empty() {
                    self.text(&format!("{whole}.unit"), unit);
                }
            }
            FieldKind::Boolean => {
                let truth = value.parse::<bool>().map_err(|_| wrong(Rule::NotBoolean.into()))?;
                self.values.push((name, truth.into()));
            }
            FieldKind::Choices => match self.values.iter_mut().find(|(own, _)| *own == name) {
                Some((_, Value::Array(all))) if !value.is_empty() => all.push(value.into()),
                Some(_) => {}
                None => self.values.push((name, Value::Array(Vec::new()))),
            },
            FieldKind::Hours => self.values.push((name, hours(form))),
            FieldKind::Rows => self.rows.push((name, Rows::FilledIn)),
            FieldKind::Repeated
                if self.rows.iter().any(|(_, rows)| matches!(rows, Rows::Times(_))) =>
            {
                return Err(wrong(ConsoleRule::ForOneList.into()));
            }
            FieldKind::Repeated => {
                let times =
                    value.trim().parse().ok().filter(|times| (1..=TIMES_MAX).contains(times));
                let times = times.ok_or_else(|| wrong(ConsoleRule::PageSize.into()))?;
                self.rows.push((name, Rows::Times(times)));
            }
            FieldKind::Json => {
                let answer =
                    serde_json::from_str(value).map_err(|_| wrong(ConsoleRule::NotJson.into()))?;
                self.values.push((name, answer));
            }
            FieldKind::Question => {
                let list = serde_json::from_str(value).unwrap_or_default();
                self.values.push((name, questions::with(list, form)?));
            }
            // Files arrive separately; ticked boxes send their own value.
            FieldKind::Answer
            | FieldKind::File
            | FieldKind::Photo
            | FieldKind::Picture
            | FieldKind::Flag => {}
        }
        Ok(())
    }
}

/// The ranges of a week: one for each row of which an end is filled in.
fn hours(form: &FormData) -> Value {
    let mut ranges: BTreeMap<(i64, &str), Map<String, Value>> = BTreeMap::new();
    for (name, value) in form.pairs() {
        let mut parts = name.strip_prefix(HOURS).unwrap_or_default().splitn(3, '.');
        if let (Some(Ok(weekday)), Some(row), Some(end)) =
            (parts.next().map(str::parse::<i64>), parts.next(), parts.next())
        {
            let answer = match end {
                // One of them is chosen, or none.
                "locationIds" if value.is_empty() => continue,
                "locationIds" => Value::Array(vec![value.into()]),
                _ => value.into(),
            };
            ranges.entry((weekday, row)).or_default().insert(end.to_owned(), answer);
        }
    }
    let ranges = ranges.into_iter().filter(|(_, ends)| {
        ends.values().any(|end| end.as_str().is_some_and(|end| !end.is_empty()))
    });
    let answer = ranges.map(|((weekday, _), mut range)| {
        range.insert("weekday".to_owned(), weekday.into());
        Value::Object(range)
    });
    answer.collect()
}

/// An amount as people write it, in minor units as JSON fields hold them; nothing stays nothing.
pub(crate) fn minor_units(text: &str, currency: &Currency, locale: Locale) -> Option<String> {
    if text.trim().is_empty() {
        return Some(String::new());
    }
    // No thousands follow the language's decimal sign: 12,345 is not twelve thousand in Dutch.
    let sign = if locale == Locale::English { '.' } else { ',' };
    let behind = text.trim().rsplit_once(sign).map_or(0, |(_, behind)| behind.len());
    let decimals = currency.decimal(0).rsplit_once('.').map_or(0, |(_, decimals)| decimals.len());
    if behind > decimals {
        return None;
    }
    currency.read(text).map(|amount| amount.to_string())
}

/// The instant of a date and a time by the clock of a zone, as browsers write them: `2026-11-24T18:30`.
fn instant(text: &str, zone: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let (date, time) = text.split_once('T')?;
    let date = Date::parse(date)?;
    // Some browsers write the seconds too.
    let time =
        WallTime::parse(time.strip_suffix(":00").filter(|rest| rest.len() == 5).unwrap_or(time))?;
    let zone = TimeZone::parse(zone)?;
    let at = date.at(&time, &zone);
    // At the ends of time there is no such instant.
    (zone.date_at(at) == date).then(|| at.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_companys_clock() {
        let at = |text| instant(text, "Europe/Amsterdam");
        assert_eq!(at("2026-11-24T18:30").as_deref(), Some("2026-11-24T17:30:00.000Z"));
        // An hour that the change of the clocks skips is read with the offset before it.
        assert_eq!(at("2026-03-29T02:30").as_deref(), Some("2026-03-29T01:30:00.000Z"));
        assert_eq!(at("2026-11-24"), None);
        assert_eq!(at("9999-12-31T23:59"), None);
        assert_eq!(at("2026-11-24T18:30:00"), at("2026-11-24T18:30"));
        for wrong in ["2026-11-24T1é:0", "2026-11-24T10:00Z", "2026-11-24T10:00:59+09:00"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_amount_has_the_decimal_sign_of_its_language() {
        let euro = Currency::parse("EUR").unwrap();
        let amount = |text, locale| minor_units(text, &euro, locale);
        assert_eq!(amount("12,345", Locale::Dutch), None);
        assert_eq!(amount("12.345", Locale::Dutch).as_deref(), Some("1234500"));
        assert_eq!(amount("12.345", Locale::English), None);
        assert_eq!(amount("12,345", Locale::English).as_deref(), Some("1234500"));
        assert_eq!(amount("1.234,50", Locale::German).as_deref(), Some("123450"));
        assert_eq!(amount("49.5", Locale::German).as_deref(), Some("4950"));
    }

    #[test]
    fn ranges_may_be_at_a_place() {
        let form = FormData::from_query(
            "-hours.1.0.startTime=08:00&-hours.1.0.endTime=12:00&-hours.1.0.locationIds=a\
             &-hours.2.0.startTime=&-hours.2.0.endTime=&-hours.2.0.locationIds=b\
             &-hours.3.0.startTime=08:00&-hours.3.0.endTime=12:00&-hours.3.0.locationIds=",
        );
        let range =
            |weekday: i64| json!({"weekday": weekday, "startTime": "08:00", "endTime": "12:00"});
        let mut bound = range(1);
        bound["locationIds"] = json!(["a"]);
        assert_eq!(hours(&form), json!([bound, range(3)]));
    }

    #[test]
    fn lists_have_the_rows_that_are_filled_in_or_one_so_many_times() {
        let is = |row: Value| is_filled_in(&row);
        assert!(
            is(json!({"reps": 0})) && is(json!({"type": "normal", "reps": null})) && is(json!("x"))
        );
        assert!(!is(json!({"reps": null})) && !is(json!({})));
    }

    #[test]
    fn ranges_of_a_week_are_rows_of_which_an_end_is_filled_in() {
        let form = FormData::from_query(
            "-hours.2.0.opens=&-hours.2.0.closes=18:00&-hours.1.1.opens=13:00&-hours.1.1.closes=17:00\
             &-hours.1.0.opens=08:00&-hours.1.0.closes=12:00&-hours.3.0.opens=&-hours.3.0.closes=&-hours.x.0.opens=1&-hours.4",
        );
        let range = |weekday: i64, opens: &str, closes: &str| json!({"weekday": weekday, "opens": opens, "closes": closes});
        let expected =
            [range(1, "08:00", "12:00"), range(1, "13:00", "17:00"), range(2, "", "18:00")];
        assert_eq!(hours(&form), json!(expected));
    }
}
