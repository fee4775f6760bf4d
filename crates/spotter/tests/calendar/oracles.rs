//! Recurrences compared with other programs: Python's dateutil by the system's zones, and recurring-ical-events,
//! which reads them as a calendar.

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use spotter_calendar::recurrence::Recurrence;
use spotter_harness::python;
use spotter_kernel::{Date, TimeZone, text::WallTime};
use spotter_testing::requirements;

const EXPAND: &str = r#"
import json, sys
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo
import icalendar, recurring_ical_events
from dateutil.rrule import rrulestr

def expand(case):
    zone, first = ZoneInfo(case["timeZone"]), date.fromisoformat(case["first"])
    clock = time.fromisoformat(case["startTime"])
    start = datetime.combine(first, clock)
    through = datetime.combine(date.fromisoformat(case["through"]), time(23, 59))
    gone = {date.fromisoformat(day) for day in case["exclusions"]}
    days = [day for day in rrulestr(case["rule"], dtstart=start).between(start, through, inc=True)]
    kept = [day for day in days if day.date() not in gone]
    # RFC 5545: the offset before a gap, the first of two; so does a zone with fold = 0.
    return [day.replace(tzinfo=zone).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z") for day in kept]

def read(case):
    # Without a zone, for the pattern alone.
    event = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:1", "SUMMARY:x",
        "DTSTART;VALUE=DATE:" + case["first"].replace("-", ""), "RRULE:" + case["rule"]]
    event += ["EXDATE;VALUE=DATE:" + day.replace("-", "") for day in case["exclusions"]]
    event += ["END:VEVENT", "END:VCALENDAR"]
    told = icalendar.Calendar.from_ical("\r\n".join(event) + "\r\n")
    found = recurring_ical_events.of(told).between(date.fromisoformat(case["first"]),
        date.fromisoformat(case["through"]) + timedelta(days=1))
    return sorted(str(event["DTSTART"].dt) for event in found)

print(json.dumps([[expand(case), read(case)] for case in json.load(sys.stdin)]))
"#;

const ZONES: [&str; 8] = [
    "Europe/Amsterdam",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "UTC",
];

/// A recurrence and the date through which it is compared.
fn any_recurrence() -> impl Strategy<Value = (Recurrence, Date)> {
    let end = prop_oneof![
        Just((None, None)),
        (0_i64..400).prop_map(|days| (Some(days), None)),
        (1_i64..=104).prop_map(|count| (None, Some(count))),
    ];
    let weekdays = prop::collection::btree_set(1_i64..=7, 1..=7);
    let exclusions = prop::collection::vec(0_i64..400, 0..6);
    (weekdays, 1_i64..=8, 0_i64..1_000, end, exclusions, 0_usize..8, 0..96).prop_map(
        |(weekdays, interval_weeks, start, (until, count), exclusions, zone, quarter)| {
            let start_date = Date::parse("2025-01-01").unwrap().plus_days(start).unwrap();
            let day = |days| start_date.plus_days(days).unwrap();
            let (hours, minutes) = (quarter / 4, quarter % 4 * 15);
            let recurrence = Recurrence {
                weekdays: weekdays.into_iter().collect(),
                interval_weeks,
                start_time: WallTime::parse(&format!("{hours:02}:{minutes:02}")).unwrap(),
                time_zone: TimeZone::parse(ZONES[zone]).unwrap(),
                start_date,
                until_date: until.map(day),
                count,
                exclusions: exclusions.into_iter().map(day).collect(),
            };
            (recurrence, day(400))
        },
    )
}

/// The same as other programs have it: a rule from its first date on.
fn as_rule(recurrence: &Recurrence, through: Date) -> Option<Value> {
    let first = recurrence.first(through, |_| true)?;
    let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let days: Vec<_> = recurrence.weekdays.iter().map(|day| days[*day as usize - 1]).collect();
    let mut rule = format!(
        "FREQ=WEEKLY;WKST=MO;INTERVAL={};BYDAY={}",
        recurrence.interval_weeks,
        days.join(",")
    );
    if let Some(until) = recurrence.until_date {
        rule += &format!(";UNTIL={}T235959", until.to_string().replace('-', ""));
    }
    if let Some(count) = recurrence.count {
        rule += &format!(";COUNT={count}");
    }
    let exclusions: Vec<_> = recurrence.exclusions.iter().map(ToString::to_string).collect();
    Some(json!({"first": first.to_string(), "rule": rule, "exclusions": exclusions,
        "timeZone": recurrence.time_zone.name(), "through": through.to_string(),
        "startTime": recurrence.start_time}))
}

#[test]
fn recurrences_are_those_of_other_programs() {
    let mut runner = TestRunner::new(Config::default());
    let strategy = any_recurrence();
    let drawn = (0..400).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    let cases: Vec<_> = drawn
        .filter_map(|(own, through)| as_rule(&own, through).map(|rule| (own, through, rule)))
        .collect();
    assert!(cases.len() > 300);
    let input: Value = cases.iter().map(|(.., rule)| rule.clone()).collect();
    let response = python::run(&requirements::CALENDARS, EXPAND, &input.to_string());
    let Some(response) = response else { return };
    let response: Vec<[Vec<String>; 2]> = serde_json::from_str(&response).unwrap();
    assert_eq!(response.len(), cases.len());
    for ((own, through, rule), [instants, dates]) in cases.iter().zip(&response) {
        let found = own.dates(*through);
        let starts: Vec<_> = found.iter().map(|date| own.starts_at(*date).to_string()).collect();
        assert_eq!(&starts, instants, "{rule}");
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(&found, dates, "{rule}");
    }
}
