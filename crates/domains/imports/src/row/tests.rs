//! Tests of the rules.

use proptest::prelude::*;

use super::*;

fn rules(kind: ImportKind, columns: &[&str]) -> ReadingRules {
    let columns = columns.iter().map(|name| Some((*name).to_owned())).collect();
    let currency = Currency::parse("EUR").unwrap();
    let (date_order, country) = (DateOrder::DayFirst, Some("NL".to_owned()));
    let member_status = Some("active".to_owned());
    let today = Date::parse("2026-11-25").unwrap();
    let sold_from: SoldFrom = |began, period, today| match period {
        "Month" => began.plus_months(12 * 4).max(today),
        _ => began,
    };
    let meanings = Vec::new();
    ReadingRules {
        kind,
        columns,
        meanings,
        date_order,
        member_status,
        currency,
        country,
        today,
        sold_from,
    }
}

fn cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn a_row_is_the_body_of_an_operation() {
    let columns = [
        "name",
        "email",
        "dateOfBirth",
        "gender",
        "tags",
        "address.line1",
        "address.city",
        "assignedCoachId",
    ];
    let rules = rules(ImportKind::Clients, &columns);
    let mut known = KnownRecords::default();
    known.add(RecordReference::Coach, "Bo  Vos", "1");
    let row = [
        "Zoë de Vries",
        "zoe@example.com",
        "3-4-1990",
        "V",
        "vip; new",
        "Dam 1",
        "Utrecht",
        "bo vos",
    ];
    let mut left = Vec::new();
    let mut read = |known: &KnownRecords, row: &[&str]| {
        left.clear();
        rules.body(&cells(row), known, &mut left).map(|body| (body, left.clone()))
    };
    let (body, _) = read(&known, &row).unwrap();
    assert_eq!(
        body,
        json!({"firstName": "Zoë", "lastName": "de Vries", "email": "zoe@example.com", "dateOfBirth": "1990-04-03",
            "gender": "female", "tags": ["vip", "new"], "address": {"line1": "Dam 1", "city": "Utrecht", "country": "NL"},
            "assignedCoachId": "1", "memberStatus": "active"})
    );
    known.add(RecordReference::Coach, "bo vos", "2");
    // Whoever has a name is taken, and what is not in order besides is told.
    let (body, out) = read(&known, &row).unwrap();
    assert_eq!(out, [FieldError::new("assignedCoachId", ImportRule::Ambiguous)]);
    assert_eq!((&body["assignedCoachId"], &body["firstName"]), (&Value::Null, &json!("Zoë")));
    let (body, out) = read(&known, &["A", "", "31-31-1990", "?", "", "", "", ""]).unwrap();
    let out: Vec<&str> = out.iter().map(|wrong| wrong.field.as_str()).collect();
    assert_eq!((out, &body["dateOfBirth"]), (vec!["dateOfBirth", "gender"], &Value::Null));
    let nobody = read(&known, &["", "x@example.com", "", "", "", "", "", ""]);
    assert_eq!(nobody.unwrap_err(), [FieldError::new("firstName", ImportRule::Needed)]);
}

#[test]
fn an_imported_membership_needs_an_existing_client() {
    let rules = rules(ImportKind::Memberships, &["clientId", "productId", "price", "startsOn"]);
    let mut known = KnownRecords::default();
    known.add(RecordReference::Client, "ann@example.com", "c");
    known.add(RecordReference::Membership, "Gold", "p");
    let read = |row: &[&str]| rules.body(&cells(row), &known, &mut Vec::new());
    let body = read(&["Ann@Example.com", "gold", "49,50", "2026-12-01"]);
    let sold = json!({"clientId": "c", "productId": "p", "price": 4950, "startsOn": "2026-12-01"});
    assert_eq!(body.unwrap(), sold);
    let gone = read(&["bea@example.com", "Gold", "", ""]).unwrap_err();
    assert_eq!(gone[0].field, "clientId");
}

#[test]
fn a_membership_that_began_long_ago_is_sold_from_its_next_period() {
    let rules = rules(ImportKind::Memberships, &["clientId", "productId", "startedOn"]);
    let mut known = KnownRecords::default();
    known.add(RecordReference::Client, "ann@example.com", "c");
    known.add(RecordReference::Membership, "Gold", "p");
    known.add_period("p", "Month");
    for (began, starts, anchor) in
        [("31-1-2023", "2027-01-31", "2023-01-31"), ("1-3-2019", "2026-11-25", "2019-03-01")]
    {
        let calls =
            rules.request(&cells(&["ann@example.com", "gold", began]), &known, &[]).unwrap();
        assert_eq!(
            calls.body,
            json!({"productId": "p", "startsOn": starts, "anchorDate": anchor}),
            "{began}"
        );
        assert_eq!(calls.path, [("clientId".to_owned(), "c".to_owned())]);
    }
    assert!(rules.request(&cells(&["ann@example.com", "gold", "1-2-27"]), &known, &[]).is_err());
}

#[test]
fn unambiguous_dates_determine_the_order() {
    assert_eq!(guess_order(["1990-13-01", "03/04/1990", "04/13/1990"]), DateOrder::MonthFirst);
    assert_eq!(guess_order(["03/04/1990", "13/04/1990"]), DateOrder::DayFirst);
    assert_eq!(guess_order(["03/04/1990", ""]), DateOrder::DayFirst);
    assert_eq!(date("1990-4-3 00:00:00", DateOrder::MonthFirst), Date::parse("1990-04-03"));
    for no in ["3-4-90", "1990", "a-b-cccc", "1-1-1-1", "", "--", "03-04-١٩٩٠"] {
        assert_eq!(date(no, DateOrder::DayFirst), None, "{no}");
    }
}

proptest! {
    #[test]
    fn a_date_is_read_in_its_order(days in 0i64..60_000, padded: bool, between in prop::sample::select(vec!['-', '/', '.'])) {
        let born = Date::parse("1900-01-01").unwrap().plus_days(days).unwrap();
        let text = born.to_string();
        let (year, month, day) = (&text[..4], &text[5..7], &text[8..]);
        let short = |part: &str| if padded { part.to_owned() } else { part.trim_start_matches('0').to_owned() };
        let (month, day) = (short(month), short(day));
        let written = |parts: [&str; 3]| parts.join(&between.to_string());
        prop_assert_eq!(date(&written([&day, &month, year]), DateOrder::DayFirst), Some(born));
        prop_assert_eq!(date(&written([&month, &day, year]), DateOrder::MonthFirst), Some(born));
        prop_assert_eq!(date(&written([year, &month, &day]), DateOrder::MonthFirst), Some(born));
    }
}
