//! What must hold for every instant, zone, id, page, amount and text.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

use proptest::prelude::*;
use regex::Regex;
use schemars::{JsonSchema, SchemaGenerator};
use spotter_kernel::{
    Date, Gate, Id, Money, Page, PageRequest, Scope, ScopeSet, TimeZone, Timestamp,
    money::Percentage,
    text::{Country, Email, Language, Phone, Text, WallTime, WebUrl},
};

/// The pattern and the greatest length that a type's schema tells.
fn pattern_of<T: JsonSchema>() -> (Regex, usize) {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let length = schema.get("maxLength").and_then(|most| most.as_u64()).unwrap_or(1_000);
    (Regex::new(schema.get("pattern").unwrap().as_str().unwrap()).unwrap(), length as usize)
}

/// A text is accepted exactly where its schema says so.
fn agrees<T: JsonSchema>(text: &str, accepted: bool) -> Result<(), TestCaseError> {
    let (pattern, most) = pattern_of::<T>();
    prop_assert_eq!(accepted, pattern.is_match(text) && text.chars().count() <= most, "{:?}", text);
    Ok(())
}

proptest! {
    #[test]
    fn percentages_round_trip(hundredths in 0i64..=10_000, millis in 0i64..=100_000) {
        let share = Percentage::from_hundredths(hundredths).unwrap();
        let text = serde_json::to_string(&share).unwrap();
        prop_assert_eq!(serde_json::from_str::<Percentage>(&text).unwrap(), share);
        prop_assert_eq!(text.parse::<f64>().unwrap(), hundredths as f64 / 100.0);
        // A third decimal is refused, never rounded.
        let read = serde_json::from_str::<Percentage>(&format!("{}.{:03}", millis / 1_000, millis % 1_000));
        prop_assert_eq!(read.ok().map(Percentage::hundredths), (millis % 10 == 0).then_some(millis / 10));
    }

    #[test]
    fn instants_survive_being_written(millis in 0i64..=253_402_300_799_999) {
        let at = Timestamp::from_millis(millis);
        prop_assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
        prop_assert_eq!(at.to_string().len(), 24);
    }

    #[test]
    fn ids_sort_by_time(a in 0i64..1 << 47, b in 0i64..1 << 47, x: [u8; 6], y: [u8; 6]) {
        let (first, second) = (Id::new(Timestamp::from_millis(a), x), Id::new(Timestamp::from_millis(b), y));
        prop_assert_eq!(first.cmp(&second), first.to_string().cmp(&second.to_string()));
        if a < b {
            prop_assert!(first < second);
        }
        prop_assert_eq!(Id::parse(&first.to_string().to_uppercase()), Some(first));
    }

    #[test]
    fn a_day_begins_on_its_date_in_every_zone(
        day in 0i64..40_000,
        zone in prop::sample::select(&["Europe/Amsterdam", "America/New_York", "Asia/Beirut",
            "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo", "UTC"][..]),
    ) {
        let zone = TimeZone::parse(zone).unwrap();
        let date = Date(jiff::civil::date(1970, 1, 2).checked_add(jiff::Span::new().days(day)).unwrap());
        let start = date.start_in(&zone);
        let there = start.to_jiff().to_zoned(zone.0.clone());
        // Samoa skipped 30 December 2011 altogether: that day begins with the next.
        prop_assert!(there.date() == date.0 || there.date() == date.tomorrow().0);
        prop_assert!(start.plus_millis(-1).to_jiff().to_zoned(zone.0.clone()).date() < date.0);
        prop_assert!(start <= date.tomorrow().start_in(&zone));
    }

    #[test]
    fn pages_cover_a_list_once(total in 0usize..500, limit in 1i64..=100) {
        let all: Vec<usize> = (0..total).collect();
        let mut seen = Vec::new();
        for page in 1.. {
            let one = Page::of(all.clone(), PageRequest { page, limit, cursor: None }).unwrap();
            let info = one.page_info();
            prop_assert_eq!(info.total, total as i64);
            prop_assert_eq!(info.has_prev_page, page > 1);
            seen.extend(one.items);
            if !info.has_next_page {
                prop_assert!(page >= info.total_pages);
                break;
            }
        }
        prop_assert_eq!(seen, all);
    }

    #[test]
    fn amounts_are_whole_minor_units(amount: i64, part in 1u32..100) {
        let read = |text: String| serde_json::from_str::<Money>(&text);
        let money = read(format!(r#"{{"amount": {amount}, "currency": "EUR"}}"#));
        prop_assert_eq!(money.is_ok(), (0..=1_000_000_000_000).contains(&amount));
        if let Ok(money) = money {
            prop_assert_eq!(money.amount, amount);
        }
        let broken = read(format!(r#"{{"amount": 1.{part:02}, "currency": "EUR"}}"#));
        prop_assert!(broken.is_err());
    }

    #[test]
    fn scope_sets_contain_their_scopes(chosen in prop::sample::subsequence(Scope::ALL, 0..=Scope::ALL.len())) {
        let set = ScopeSet::of(chosen.iter().rev().copied());
        for scope in Scope::ALL {
            prop_assert_eq!(set.contains(*scope), chosen.contains(scope));
        }
        prop_assert_eq!(ScopeSet::parse(set.as_str()), Ok(set.clone()));
        prop_assert_eq!(set.iter().any(|scope| scope.gate() != Gate::None),
            chosen.iter().any(|scope| scope.gate() != Gate::None));
    }

    #[test]
    fn texts_match_their_schema(text in "\\PC{0,12}|[ \\t\\x00-\\x20\\u{a0}a]{0,4}") {
        agrees::<Text<10>>(&text, Text::<10>::parse(&text).is_ok())?;
    }

    #[test]
    fn email_addresses_match_their_schema(text in "[a-zA-Z.+_'&-]{0,4}@?[a-z.-]{0,5}\\.?(xn-{0,3})?[a-z]{0,3}") {
        agrees::<Email>(&text, Email::parse(&text).is_some())?;
    }

    #[test]
    fn numbers_match_their_schema(text in "\\+?[0-9 ().-]{0,18}") {
        agrees::<Phone>(&text, Phone::parse(&text).is_some())?;
    }

    #[test]
    fn codes_and_times_match_their_schemas(text in "[A-Z]{0,3}|[a-z]{0,3}|[0-9:]{4,5}") {
        agrees::<Country>(&text, Country::parse(&text).is_some())?;
        agrees::<Language>(&text, Language::parse(&text).is_some())?;
        agrees::<WallTime>(&text, WallTime::parse(&text).is_some())?;
    }

    #[test]
    fn links_match_their_schema(text in "(https?://)?[a-z.:0-9-]{0,8}(/[a-z?=&%#~ ]{0,5})?") {
        agrees::<WebUrl>(&text, WebUrl::parse(&text).is_some())?;
    }
}
