//! The cost of a client with years of measurements beside one with few: the latest of every type, and a year's
//! summary.

use reqwest::Method;
use serde_json::{Value, json};
use spotter_kernel::{Id, Problem, TimeZone, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use crate::{
    Outcome, company,
    crowd::Place,
    filling, receiver,
    service::{Api, Service, print_times, row},
};

/// Measured types, in thousandths of the stored unit.
const TYPES: [&str; 4] = ["weight", "waist", "resting_heart_rate", "body_fat"];
/// Number of days, for any number of measurements.
const DAYS: i64 = 3 * 365;
/// Rows that are written by one transaction.
const STEP: i64 = 2_000;
/// Number of requests, and of rounds.
const TIMES: usize = 400;
const ROUNDS: usize = 4;

/// One client with a number of measurements, and one with a hundredth of them.
pub async fn run(mut service: Service, place: Place, count: i64) -> Outcome {
    let api = service.start().await?;
    let (few, many) = (newcomer(&api, "Few").await?, newcomer(&api, "Many").await?);
    service.kill()?;
    let of = company(&place.data)?;
    let db = filling::open(place.location.clone()).await?;
    for (client, count) in [(few, count / 100), (many, count)] {
        for from in (0..count).step_by(STEP as usize) {
            let to = count.min(from + STEP);
            db.write(move |tx| {
                (from..to).try_for_each(|number| measure(tx, of, client, number, count))
            })
            .await?;
        }
    }
    db.write(move |tx| {
        [few, many].into_iter().try_for_each(|client| {
            tx.defer(DAYS_OF, params![of, client])?;
            tx.defer(MONTHS_OF, params![of, client])
        })
    })
    .await?;
    db.close().await?;
    let api = service.start().await?;
    let zone = TimeZone::UTC;
    let now = Timestamp::from_millis(receiver::now());
    let (from, to) = (zone.date_at(now.plus_days(-364)), zone.date_at(now));
    for (name, path) in [
        ("the latest of every type", "measurements/latest".to_owned()),
        ("a year at a glance", format!("progress-summary?from={from}&to={to}")),
        ("page 1", "measurements?limit=20".to_owned()),
    ] {
        // In turns, because the machine itself is faster at one moment than at the next.
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (client, times) in [few, many].into_iter().zip(&mut times) {
                let path = format!("/clients/{client}/{path}");
                times.extend(api.fetch_often(&path, TIMES / ROUNDS).await?);
            }
        }
        let [few, many] =
            [count / 100, count].map(|count| format!("{name}, of {count} measurements"));
        let [of_few, of_many] = times;
        let (of_few, of_many) = (print_times(&few, of_few), print_times(&many, of_many));
        row(
            &format!("{name}, times the p50 of a hundredth"),
            format_args!("{:.2}", of_many / of_few),
        );
    }
    service.kill()
}

async fn newcomer(api: &Api, name: &str) -> Outcome<Id> {
    let made = api.ask(Method::POST, "/clients", Some(json!({"firstName": name}))).await?;
    let id = made.pointer("/client/clientId").and_then(Value::as_str).and_then(Id::parse);
    Ok(id.ok_or("no client")?)
}

/// One of the measurements, evenly spread over the days.
fn measure(
    tx: &mut Tx<'_>,
    company: CompanyId,
    client: Id,
    number: i64,
    count: i64,
) -> Result<(), Problem> {
    let now = Timestamp::from_millis(receiver::now());
    let at = now.plus_millis(-DAYS * 86_400_000 / count * (number + 1));
    let mut own = [0; 6];
    own.copy_from_slice(&number.to_be_bytes()[2..]);
    let id = Id::new(at, own);
    let of_type = TYPES[(number % 4) as usize];
    let (date, value) = (TimeZone::UTC.date_at(at), 80_000_000 + number % 977 * 1_000);
    let tally = format!("measurements/{client}");
    tx.tally(company, &tally, 1)?;
    tx.defer(ROW, params![company, client, id, of_type, value, at, date])
}

const DAYS_OF: Sql = Sql(
    "INSERT INTO measurement_sum (company_id, client_id, grain, span, type, count, minimum, \
    maximum, total) SELECT company_id, client_id, 'day', measured_on, type, COUNT(*), MIN(value), MAX(value), \
    CAST(SUM(value) AS BIGINT) FROM measurement WHERE company_id = ?1 AND client_id = ?2 \
    GROUP BY company_id, client_id, measured_on, type",
);
const MONTHS_OF: Sql = Sql(
    "INSERT INTO measurement_sum (company_id, client_id, grain, span, type, count, minimum, \
    maximum, total) SELECT company_id, client_id, 'month', substr(span, 1, 7) || '-01', type, \
    CAST(SUM(count) AS BIGINT), MIN(minimum), MAX(maximum), CAST(SUM(total) AS BIGINT) FROM measurement_sum \
    WHERE company_id = ?1 AND client_id = ?2 AND grain = 'day' \
    GROUP BY company_id, client_id, substr(span, 1, 7), type",
);
const ROW: Sql = Sql(
    "INSERT INTO measurement (company_id, client_id, measurement_id, type, value, measured_at, measured_on, \
    source, recorded_by_type, status, created_at, updated_at) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'device', 'api_client', 'recorded', ?6, ?6)",
);
