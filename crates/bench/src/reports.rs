//! The cost of reports for a company with very many bookings beside the same company with a hundredth of them over
//! the same years, and the time to compute figures of the past.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use spotter_kernel::{Date, TimeZone, Timestamp};
use spotter_store::{Sql, params};

use crate::{
    Outcome,
    calendar::{self, Studio},
    company,
    crowd::Place,
    filling, receiver,
    service::{Api, Service, print_times, row},
};

/// Number of requests for each report.
const TIMES: usize = 400;
/// One of this many bookings exists from the start.
const PART: u64 = 100;

/// Measures a company with a number of bookings.
pub async fn run(mut service: Service, place: Place, bookings: u64) -> Outcome {
    let api = service.start().await?;
    let studio = calendar::found(&api).await?;
    service.kill()?;
    let mut output = Vec::new();
    for (count, first) in [(bookings / PART, true), (bookings, false)] {
        calendar::fill(&place, &studio, 0..bookings, move |number| (number % PART == 0) == first)
            .await?;
        recounted(&place).await?;
        let began = Instant::now();
        let api = service.start().await?;
        create_place(&place).await?;
        row(
            &format!("figures of {count} bookings made anew"),
            format_args!("{} s", began.elapsed().as_secs()),
        );
        output.push(ask(&api, &studio, count).await?);
        service.kill()?;
    }
    let [few, many] = output.as_slice() else { return Ok(()) };
    for ((name, of_few), (_, of_many)) in few.iter().zip(many) {
        row(
            &format!("{name}, times the p50 of a hundredth"),
            format_args!("{:.2}", of_many / of_few),
        );
    }
    Ok(())
}

const AGAIN: Sql =
    Sql("INSERT INTO report_recount (company_id) VALUES (?1) ON CONFLICT DO NOTHING");
const WAITING: Sql = Sql("SELECT COUNT(*) FROM report_recount");

/// Recomputes the figures at start.
async fn recounted(place: &Place) -> Outcome {
    let own = company(&place.data)?;
    let db = filling::open(place.location.clone()).await?;
    db.write(move |tx| tx.execute(AGAIN, params![own]).map(drop)).await?;
    db.close().await
}

/// Waits until they are made.
async fn create_place(place: &Place) -> Outcome {
    let db = filling::open(place.location.clone()).await?;
    loop {
        let found = db.read(|tx| tx.one::<(i64,)>(WAITING, params![])).await?;
        if found == Some((0,)) {
            return db.close().await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The cost of each report: its name, and its p50 in milliseconds.
async fn ask(api: &Api, studio: &Studio, count: u64) -> Outcome<Vec<(&'static str, f64)>> {
    // A member and an invoice, so that those reports have content.
    let new = json!({"firstName": "Ann", "memberStatus": "active"});
    api.ask(Method::POST, "/clients", Some(new)).await?;
    let today = TimeZone::UTC.date_at(Timestamp::from_millis(receiver::now()));
    let back =
        |days: i64| today.plus_days(-days).map_or_else(String::new, |day: Date| day.to_string());
    let coach = studio.coach();
    let requests = [
        ("a year by day", format!("attendance?from={}&to={today}", back(365))),
        ("two years by week", format!("attendance?from={}&to={today}&groupBy=week", back(730))),
        (
            "almost three years by month",
            format!("attendance?from={}&to={today}&groupBy=month", back(1_035)),
        ),
        (
            "a coach's year by day",
            format!("attendance?from={}&to={today}&coachId={coach}", back(365)),
        ),
        ("revenue of a year by day", format!("revenue?from={}&to={today}", back(365))),
        (
            "retention of a year by month",
            format!("retention?from={}&to={today}&groupBy=month", back(365)),
        ),
    ];
    let mut output = Vec::new();
    for (name, path) in requests {
        let times = api.fetch_often(&format!("/reports/{path}"), TIMES).await?;
        output.push((name, print_times(&format!("{name}, of {count} bookings"), times)));
    }
    Ok(output)
}
