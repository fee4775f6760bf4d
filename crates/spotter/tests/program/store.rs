//! The store's promises, on both engines.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use spotter_harness::{
    App, Engine, SystemClock, apart, location, open, random_text, runtime, scenario,
};
use spotter_kernel::{Clock, Id, Phrase, Problem, Rule, Timestamp, id::CompanyId};
use spotter_store::{Config, DatabaseLocation, Db, Sql, Tx, migrate, params};

pub(crate) const ADD: Sql =
    Sql("INSERT INTO tally (company_id, subject, shard, amount) VALUES (?1, ?2, ?3, ?4)");
const SUM: Sql = Sql(
    "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM tally WHERE company_id = ?1 AND subject = ?2",
);
const SUM_OF: Sql = Sql("SELECT amount FROM tally WHERE company_id = ?1 AND subject = ?2");
pub(crate) const SET: Sql =
    Sql("UPDATE tally SET amount = ?4 WHERE company_id = ?1 AND subject = ?2 AND shard = ?3");
/// The shard whose row stays as it is: rows of all others are folded into it at any time.
pub(crate) const FOLDED: i64 = 0;

pub(crate) async fn sum(db: &Db, company: CompanyId, subject: &'static str) -> i64 {
    let row: Option<(i64,)> =
        db.read(move |tx| tx.one(SUM, params![company, subject])).await.unwrap();
    row.unwrap().0
}

/// Runs many closures at once, more than there are connections, some of which fail: before they have written, after,
/// and with writes still to be sent.
async fn some_go_wrong(app: App, wrong: fn() -> Problem) {
    let company = app.company;
    for round in 0..3i64 {
        let runs = (0..100i64).map(|number| {
            let db = app.server.db.clone();
            tokio::spawn(async move {
                let (goes_wrong, shard) = (number % 5 == 0, 100 * round + number);
                db.write(move |tx| {
                    let row = params![company, "mixed", shard, 1i64];
                    match round {
                        0 if goes_wrong => return Err(wrong()),
                        1 => tx.defer(ADD, row)?,
                        _ => drop(tx.execute(ADD, row)?),
                    }
                    tx.tally(company, "counted", 1)?;
                    if goes_wrong { Err(wrong()) } else { Ok(number) }
                })
                .await
            })
        });
        for (number, run) in runs.collect::<Vec<_>>().into_iter().enumerate() {
            let outcome = run.await.unwrap();
            assert_eq!(outcome.is_err(), number % 5 == 0, "{round} {number}: {outcome:?}");
        }
        assert_eq!(sum(&app.server.db, company, "mixed").await, 80 * (round + 1));
        assert_eq!(sum(&app.server.db, company, "counted").await, 80 * (round + 1));
    }
}

#[scenario]
async fn a_failing_closure_fails_alone(app: App) {
    some_go_wrong(app, || Problem::invalid("x", Rule::Required)).await;
}

#[scenario]
async fn a_panic_fails_alone(app: App) {
    some_go_wrong(app, || panic!("on purpose")).await;
}

#[scenario]
async fn reads_cannot_write(app: App) {
    let company = app.company;
    let outcome =
        app.server.db.read(move |tx| tx.execute(ADD, params![company, "read", 1i64, 1i64])).await;
    assert!(outcome.is_err());
    assert_eq!(sum(&app.server.db, company, "read").await, 0);
}

#[scenario]
async fn conflicts_run_again(app: App) {
    let company = app.company;
    app.server
        .db
        .write(move |tx| tx.execute(ADD, params![company, "counter", FOLDED, 0i64]))
        .await
        .unwrap();
    let tries = Arc::new(AtomicUsize::new(0));
    let runs = (0..40).map(|_| {
        let (db, tries) = (app.server.db.clone(), tries.clone());
        tokio::spawn(async move {
            db.write(move |tx| {
                tries.fetch_add(1, Ordering::Relaxed);
                let row: Option<(i64,)> = tx.one(SUM, params![company, "counter"])?;
                tx.execute(SET, params![company, "counter", FOLDED, row.unwrap().0 + 1])
            })
            .await
        })
    });
    for run in runs.collect::<Vec<_>>() {
        run.await.unwrap().unwrap();
    }
    assert_eq!(sum(&app.server.db, company, "counter").await, 40, "read, add, write: none is lost");
    let tries = tries.load(Ordering::Relaxed);
    match app.server.engine {
        // A single writer has no conflict, but others of its transaction may fail.
        Engine::Sqlite => assert!(tries >= 40),
        Engine::Postgres => assert!(tries > 40, "conflicts were seen and run again"),
    }
}

/// However many write one row again and again, none is refused, and nothing is lost or done twice; what others do in
/// their companies meanwhile is done, too.
#[scenario]
async fn writers_of_one_row_take_turns(app: App) {
    let (crowded, calm) = (app.company, CompanyId(Id::parse(&random_text()).unwrap()));
    let add = async |company: CompanyId, by: i64| {
        let db = app.server.db.clone();
        let add = db.write(move |tx| {
            let total: Option<(i64,)> = tx.one(SUM_OF, params![company, "one"])?;
            match total {
                Some((amount,)) => tx.execute(SET, params![company, "one", FOLDED, amount + by])?,
                None => tx.execute(ADD, params![company, "one", FOLDED, by])?,
            };
            tx.tally(company, "turns", by)
        });
        add.await
    };
    add(crowded, 0).await.unwrap();
    let one = async |writer: i64| {
        for _ in 0..10 {
            add(crowded, 1).await.unwrap();
            if writer % 8 == 0 {
                add(calm, 1).await.unwrap();
            }
        }
    };
    futures_util::future::join_all((0..64).map(one)).await;
    assert_eq!(sum(&app.server.db, crowded, "one").await, 640);
    assert_eq!(sum(&app.server.db, crowded, "turns").await, 640);
    assert_eq!(sum(&app.server.db, calm, "turns").await, 80);
}

#[scenario]
async fn wrong_assumptions_are_retried(app: App) {
    let (company, postgres) = (app.company, app.server.engine == Engine::Postgres);
    app.server
        .db
        .write(move |tx| tx.execute(ADD, params![company, "there", FOLDED, 0i64]))
        .await
        .unwrap();
    // A closure that assumes a row there is, or one there is not, and ends well or badly.
    for (subject, right) in [("there", true), ("nowhere", false)] {
        for ends_well in [true, false] {
            let runs = Arc::new(Mutex::new(Vec::new()));
            let seen = runs.clone();
            let outcome = app
                .server
                .db
                .write(move |tx| {
                    let assumed = tx.may_assume();
                    seen.lock().unwrap().push(assumed);
                    if assumed {
                        tx.assume(SET, params![company, subject, FOLDED, 0i64])?;
                    }
                    tx.defer(
                        ADD,
                        params![company, "kept", 2 * i64::from(right) + i64::from(ends_well), 1i64],
                    )?;
                    if ends_well {
                        Ok(assumed)
                    } else {
                        Err(Problem::invalid(
                            "assumed",
                            Phrase::verbatim(if assumed { "yes" } else { "no" }),
                        ))
                    }
                })
                .await;
            let case = format!("{subject} {ends_well}");
            // Conflicts with others may run it more often: they change nothing about what it assumes.
            let mut runs = runs.lock().unwrap().clone();
            runs.dedup();
            let expected: &[bool] = match (postgres, right) {
                (true, true) => &[true],
                (true, false) => &[true, false],
                (false, _) => &[false],
            };
            assert_eq!(runs, expected, "{case}");
            let told_assumed = match outcome {
                Ok(assumed) => assumed,
                Err(problem) => problem.message.contains("yes"),
            };
            assert_eq!(told_assumed, postgres && right, "{case}");
        }
        // Reads are also checked against their assumptions, even without further queries.
        let read = app.server.db.read(move |tx| {
            if tx.may_assume() {
                tx.assume(SUM_OF, params![company, subject])?;
                return Ok(true);
            }
            Ok(false)
        });
        assert_eq!(read.await.unwrap(), postgres && right, "{subject}");
    }
    assert_eq!(sum(&app.server.db, company, "kept").await, 2, "each good end was kept once");
}

#[scenario]
async fn prefetched_rows_are_the_requested_ones(app: App) {
    let company = app.company;
    let outcome = app.server.db.write(move |tx| {
        let call =
            |tx: &mut Tx<'_>, subject: &str| tx.prefetch::<(i64,)>(SUM, params![company, subject]);
        tx.execute(ADD, params![company, "one", 1i64, 1i64])?;
        let (one, none) = (call(tx, "one")?, call(tx, "none")?);
        let first = tx.awaited(one)?;
        tx.defer(ADD, params![company, "two", 1i64, 2i64])?;
        let two = call(tx, "two")?;
        let never = call(tx, "one")?;
        let last = tx.awaited(two)?;
        drop(never);
        Ok((first, tx.awaited(none)?, last))
    });
    assert_eq!(outcome.await.unwrap(), (vec![(1,)], vec![(0,)], vec![(2,)]));
}

#[scenario]
async fn signals_follow_the_commit(app: App) {
    let (company, db) = (app.company, app.server.db.clone());
    let signals = db.signals();
    let write = async |good: bool| {
        let id = Id::new(Timestamp::from_millis(1), [u8::from(good); 6]);
        let outcome = db.write(move |tx| {
            tx.signal(company, id);
            if good { Ok(()) } else { Err(Problem::invalid("x", Rule::Required)) }
        });
        assert_eq!(outcome.await.is_ok(), good);
        id
    };
    // The suite's engine takes signals too, so they are searched for, not counted.
    for _ in 0..200 {
        let failed = write(false).await;
        assert!(!signals.take().contains(&(company, failed)), "of a failed transaction");
        let done = write(true).await;
        if signals.take().contains(&(company, done)) {
            return;
        }
    }
    panic!("a commit was never told");
}

#[scenario]
async fn a_read_is_one_snapshot(app: App) {
    let (company, db) = (app.company, app.server.db.clone());
    let other = db.clone();
    let (first, second) = db
        .read(move |tx| {
            let first: Option<(i64,)> = tx.one(SUM, params![company, "snap"])?;
            let other = other.clone();
            std::thread::spawn(move || {
                runtime()
                    .block_on(
                        other
                            .write(move |tx| tx.execute(ADD, params![company, "snap", 1i64, 9i64])),
                    )
                    .unwrap();
            })
            .join()
            .unwrap();
            let second: Option<(i64,)> = tx.one(SUM, params![company, "snap"])?;
            Ok((first.unwrap().0, second.unwrap().0))
        })
        .await
        .unwrap();
    assert_eq!((first, second), (0, 0));
    assert_eq!(sum(&app.server.db, company, "snap").await, 9);
}

/// A question that was asked ahead is answered as of now: what was written since is in its answer.
#[scenario]
async fn questions_asked_ahead_are_answered(app: App) {
    let company = app.company;
    let outcome = app.server.db.write(move |tx| {
        let ask = |tx: &mut Tx<'_>| tx.ask_ahead(SUM, params![company, "asked"]);
        let sum = |tx: &mut Tx<'_>| tx.one::<(i64,)>(SUM, params![company, "asked"]);
        ask(tx)?;
        let before = sum(tx)?;
        ask(tx)?;
        tx.defer(ADD, params![company, "asked", FOLDED, 3i64])?;
        let after = sum(tx)?;
        ask(tx)?;
        tx.execute(SET, params![company, "asked", FOLDED, 5i64])?;
        let (last, again) = (sum(tx)?, sum(tx)?);
        ask(tx)?;
        Ok([before, after, last, again].map(Option::unwrap))
    });
    assert_eq!(outcome.await.unwrap(), [(0,), (3,), (5,), (5,)]);
}

#[scenario]
async fn full_queues_refuse(app: App) {
    let mut config = Config::new(app.server.location.clone());
    (config.queue, config.connections, config.readers) = (2, 2, 1);
    let db = open(&config);
    let runs: Vec<_> = (0..30)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                db.read(|_| {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    Ok(())
                })
                .await
            })
        })
        .collect();
    let mut refused = 0;
    for run in runs {
        if let Err(problem) = run.await.unwrap() {
            assert_eq!((problem.status, problem.retry_after), (503, Some(1)), "{problem}");
            refused += 1;
        }
    }
    assert!(refused > 0, "some were refused at once");
    assert!(db.close(std::time::Duration::from_secs(5)));
}

#[scenario]
async fn slow_reads_delay_nobody_else(app: App) {
    // Far more steps, or far longer, than a quick read may take.
    let long = match app.server.location {
        DatabaseLocation::File(_) => {
            Sql("WITH RECURSIVE few (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM few \
            WHERE n < 3000000) SELECT COUNT(*) FROM few")
        }
        DatabaseLocation::Server(_) => Sql("SELECT COUNT(*) FROM (SELECT pg_sleep(0.4)) few"),
    };
    let runs = Arc::new(AtomicUsize::new(0));
    let slow: Vec<_> = (0..3)
        .map(|_| {
            let (db, runs) = (app.server.db.clone(), runs.clone());
            tokio::spawn(async move {
                db.read(move |tx| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    tx.one::<(i64,)>(long, &[])
                })
                .await
            })
        })
        .collect();
    // Others are answered meanwhile: three that take long end one after the other.
    let mut answered = 0;
    while !slow.iter().all(tokio::task::JoinHandle::is_finished) {
        app.server.db.ping().await.unwrap();
        answered += 1;
    }
    assert!(answered > 10, "{answered}");
    for one in slow {
        assert!(one.await.unwrap().unwrap().unwrap().0 > 0, "it has its answer");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 6, "each was begun among the others, and run apart");
}

#[scenario]
async fn backups_restore_on_either_engine(app: App) {
    let id = app.new_client(serde_json::json!({"firstName": "Kept", "tags": ["t"]})).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup.db");
    let (now, mut quiet) = (SystemClock.now(), |_: &str, _: u64| ());
    apart(|| spotter_store::backup(&app.server.location, &file, now, &mut quiet)).unwrap();
    assert!(
        apart(|| spotter_store::backup(&app.server.location, &file, now, &mut quiet)).is_err(),
        "no file is overwritten"
    );
    for engine in Engine::available() {
        let target = location(engine);
        apart(|| spotter_store::restore(&file, &target, now, &mut |_| Ok(()), &mut quiet)).unwrap();
        assert!(
            apart(|| spotter_store::restore(&file, &target, now, &mut |_| Ok(()), &mut quiet))
                .is_err(),
            "only an empty database is filled"
        );
        let db = open(&Config::new(target));
        let (company, id) = (app.company, id.clone());
        let found: Option<(String, i64)> = db
            .read(move |tx| tx.one(Sql("SELECT first_name, created_at FROM client WHERE company_id = ?1 AND client_id = ?2"), params![company, id]))
            .await
            .unwrap();
        assert_eq!(found.unwrap().0, "Kept", "{engine:?}");
        assert_eq!(db.read(move |tx| tx.tallied(company, "clients")).await.unwrap(), 1);
    }
}

#[scenario]
async fn tallies_fold(app: App) {
    let company = CompanyId(Id::parse(&random_text()).unwrap());
    for _ in 0..30 {
        app.server.db.write(move |tx| tx.tally(company, "things", 2)).await.unwrap();
    }
    app.server.db.write(move |tx| tx.tally(company, "things", -1)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(app.server.db.read(move |tx| tx.tallied(company, "things")).await.unwrap(), 59);
        app.server.db.fold_tallies().await.unwrap();
    }
    let rows: Option<(i64,)> = app
        .server
        .db
        .read(move |tx| {
            tx.one(Sql("SELECT COUNT(*) FROM tally WHERE company_id = ?1"), params![company])
        })
        .await
        .unwrap();
    assert_eq!(rows.unwrap().0, 1, "one row is left");
}

/// Only this engine has conflicts: the other has one writer.
#[test]
fn endless_conflicts_answer_busy() {
    if !Engine::Postgres.is_available() {
        return;
    }
    const CONFLICT: Sql =
        Sql("DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '40001'; END $$");
    spotter_harness::run(Engine::Postgres, async |app: App| {
        let refused = app.server.db.write(|tx| tx.execute(CONFLICT, &[])).await.unwrap_err();
        assert_eq!((refused.status, refused.key), (503, spotter_kernel::Key::RequestFailed));
        let cause = refused.cause.as_deref().unwrap_or_default();
        assert!(refused.retry_after.is_some() && cause.starts_with("others changed"), "{refused}");
    });
}

/// SQLite loses the whole transaction when the disk is full: every innocent closure of the batch
/// is still answered rightly.
#[test]
fn a_lost_batch_runs_again_one_by_one() {
    let place = location(Engine::Sqlite);
    apart(|| migrate(&place, SystemClock.now(), |_| ())).unwrap();
    let db = open(&Config::new(place.clone()));
    let DatabaseLocation::File(_) = place else { panic!("a file") };
    let company = CompanyId(Id::parse(&random_text()).unwrap());
    runtime().block_on(async {
        db.write(move |tx| {
            let now: Option<(i64,)> = tx.one(Sql("PRAGMA page_count"), &[])?;
            let most = now.unwrap().0 + 40;
            tx.check("SELECT 1")?;
            let text = format!("PRAGMA max_page_count = {most}");
            let limit: Option<(i64,)> = tx.one(Sql(Box::leak(text.into_boxed_str())), &[])?;
            assert_eq!(limit.unwrap().0, most);
            Ok(())
        })
        .await
        .unwrap();
        let blocker = db.clone();
        let hold = tokio::spawn(async move {
            blocker
                .write(|_| {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                    Ok(())
                })
                .await
        });
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let runs: Vec<_> = (0..20i64)
            .map(|number| {
                let db = db.clone();
                let subject = if number == 10 { "x".repeat(1 << 20) } else { "small".to_owned() };
                tokio::spawn(async move {
                    db.write(move |tx| tx.execute(ADD, params![company, subject, number, 1i64]))
                        .await
                })
            })
            .collect();
        hold.await.unwrap().unwrap();
        for (number, run) in runs.into_iter().enumerate() {
            let outcome = run.await.unwrap();
            assert_eq!(outcome.is_err(), number == 10, "{number}: {outcome:?}");
        }
        assert_eq!(sum(&db, company, "small").await, 19);
    });
}
