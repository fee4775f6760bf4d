//! Fills a demo's company with years of workouts, so that answers about one client can be measured
//! beside everybody else's sets, and a client with many beside one with few.

use std::time::Instant;

use spotter_kernel::{Id, Problem, TimeZone, Timestamp, id::CompanyId};
use spotter_store::{Config, DatabaseLocation, Db, Sql, Tx, params};

use crate::{Outcome, receiver};

/// Exercises of a session, sets of each, and exercises that a client knows.
const EXERCISES: i64 = 5;
const SETS: i64 = 4;
const KNOWN: i64 = 20;
/// Sets of a session.
const SESSION: i64 = EXERCISES * SETS;
/// Sessions of most clients: a year of two or three a week.
const SESSIONS: i64 = 50;
/// Time from a session to the one before it: three a week.
const APART_MILLIS: i64 = 56 * 3_600_000;
/// Clients that are filled by one transaction.
const STEP: i64 = 4;

/// Writes sessions into a SQLite file or a PostgreSQL server: `many` for one client, fewer for another, and the rest
/// spread over other clients.
pub async fn fill(
    location: DatabaseLocation,
    company: CompanyId,
    clients: [Id; 2],
    sets: i64,
) -> Outcome {
    let now = Timestamp::from_millis(receiver::now());
    let began = Instant::now();
    let [many, few] = clients;
    let filler = tokio::task::spawn_blocking(move || Db::open(&Config::new(location))).await?;
    let db = filler.map_err(Problem::for_operators)?;
    for (client, sets) in [(many, 20_000), (few, 1_000)] {
        for from in (0..sets / SESSION).step_by(200) {
            let to = (sets / SESSION).min(from + 200);
            let write = move |tx: &mut Tx<'_>| train(tx, company, client, now, from..to);
            db.write(write).await.map_err(Problem::for_operators)?;
        }
        db.write(move |tx| sum_up(tx, company, client, now, sets / SESSION))
            .await
            .map_err(Problem::for_operators)?;
    }
    let others = sets / SESSION / SESSIONS;
    let writers = (0..4).map(|writer| {
        let db = db.clone();
        tokio::spawn(async move {
            for from in (writer * STEP..others).step_by(4 * STEP as usize) {
                let write = move |tx: &mut Tx<'_>| {
                    for number in from..others.min(from + STEP) {
                        let random = number.to_be_bytes();
                        let random =
                            [random[2], random[3], random[4], random[5], random[6], random[7]];
                        let client = Id::new(Timestamp::from_millis(1_600_000_000_000), random);
                        train(tx, company, client, now, 0..SESSIONS)?;
                        sum_up(tx, company, client, now, SESSIONS)?;
                    }
                    Ok(())
                };
                db.write(write).await?;
            }
            Ok::<_, Problem>(())
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await?.map_err(Problem::for_operators)?;
    }
    db.fold_tallies().await.map_err(Problem::for_operators)?;
    let sets = others * SESSIONS * SESSION + 21_000;
    eprintln!("  {sets} sets filled in {} s", began.elapsed().as_secs());
    Ok(())
}

fn exercise(number: i64) -> Id {
    Id::new(Timestamp::from_millis(0), [1, 0, 0, 0, 0, 1 + (number % KNOWN) as u8])
}

/// Sessions of one client, the latest first.
fn train(
    tx: &mut Tx<'_>,
    company: CompanyId,
    client: Id,
    now: Timestamp,
    sessions: std::ops::Range<i64>,
) -> Result<(), Problem> {
    let zone = TimeZone::parse("Europe/Amsterdam").ok_or_else(|| Problem::internal("no zone"))?;
    let at = |number: i64| now.plus_millis(-3_600_000 - APART_MILLIS * number);
    let random = client.as_chars();
    let tail = [random[18], random[19], random[20], random[21], random[22], random[23]];
    let (set_count, volume) = (SESSION, SESSION * 5 * 100_000_000);
    for number in sessions.clone() {
        let (started, session) = (at(number), Id::new(at(number), tail));
        let (date, ended) = (zone.date_at(started), started.plus_seconds(3_000));
        tx.defer(
            SESSION_ROW,
            params![company, client, session, date, started, ended, set_count, volume],
        )?;
    }
    for number in sessions {
        let (started, session) = (at(number), Id::new(at(number), tail));
        let date = zone.date_at(started);
        for position in 1..=EXERCISES {
            let exercise = exercise(number * EXERCISES + position);
            tx.defer(
                PERFORMANCE_ROW,
                params![
                    company,
                    client,
                    session,
                    position,
                    exercise,
                    date,
                    started,
                    LOGGED,
                    SETS,
                    SETS * 5,
                    SETS * 500_000_000
                ],
            )?;
        }
    }
    Ok(())
}

/// The totals of the sessions.
fn sum_up(
    tx: &mut Tx<'_>,
    company: CompanyId,
    client: Id,
    now: Timestamp,
    sessions: i64,
) -> Result<(), Problem> {
    let times = sessions * EXERCISES / KNOWN;
    for number in 0..KNOWN {
        let last = now.plus_millis(-APART_MILLIS * (1 + number));
        let record = format!("[\"max_weight\",100000,100000,5,\"{client}\",{}]", last.millis());
        let records = format!("[{}]", vec![record; 8].join(","));
        tx.defer(
            PROGRESS_ROW,
            params![
                company,
                client,
                exercise(number),
                times,
                times,
                times * SETS,
                times * SETS * 5,
                times * SETS * 500_000_000,
                last,
                records
            ],
        )?;
    }
    tx.tally(company, &format!("workoutSessions/{client}"), sessions)?;
    tx.tally(company, &format!("workoutSessions/{client}?status=completed"), sessions)
}

/// Four sets of five repetitions.
const LOGGED: &str = "[[\"normal\",5,100000,null,null,8,true],[\"normal\",5,100000,null,null,8,true],\
    [\"normal\",5,100000,null,null,8.5,true],[\"normal\",5,100000,null,null,9,true]]";

const SESSION_ROW: Sql = Sql(
    "INSERT INTO workout_session (company_id, client_id, session_id, name, status, local_date, \
    started_at, completed_at, set_count, volume_mg, created_at, updated_at) \
    VALUES (?1, ?2, ?3, 'Workout', 'completed', ?4, ?5, ?6, ?7, ?8, ?6, ?6)",
);
const PERFORMANCE_ROW: Sql = Sql(
    "INSERT INTO workout_performance (company_id, client_id, session_id, position, exercise_id, \
    counted, local_date, started_at, sets, set_count, reps, volume_mg) \
    VALUES (?1, ?2, ?3, ?4, ?5, TRUE, ?6, ?7, ?8, ?9, ?10, ?11)",
);
const PROGRESS_ROW: Sql = Sql(
    "INSERT INTO workout_progress (company_id, client_id, exercise_id, times_performed, entries, \
    set_count, total_reps, total_volume_mg, last_performed_at, records) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);
