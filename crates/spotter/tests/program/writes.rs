//! What becomes of writes that fail, that are only tried, and that cannot begin.

use std::time::{Duration, Instant};

use spotter_harness::{
    App, Engine, SystemClock, apart, location, open, random_text, runtime, scenario,
};
use spotter_kernel::{Clock, Id, Problem, id::CompanyId};
use spotter_store::{Config, Sql, migrate, params};

use super::store::{ADD, FOLDED, SET, sum};

/// A closure may send a statement without waiting for its answer: what the server refuses of it is no success.
#[scenario]
async fn what_the_server_refused_is_no_success(app: App) {
    let (company, db) = (app.company, app.server.db.clone());
    db.write(move |tx| tx.execute(ADD, params![company, "there", FOLDED, 0i64])).await.unwrap();
    for assumes in [true, false] {
        let written = db.write(move |tx| {
            if assumes && tx.may_assume() {
                tx.assume(SET, params![company, "there", FOLDED, 0i64])?;
            }
            tx.defer(ADD, params![company, "refused", 1i64, 1i64])?;
            tx.defer(ADD, params![company, "refused", 2i64, None::<i64>])?;
            Ok("written")
        });
        let problem = written.await.unwrap_err();
        assert_eq!(problem.status, 500, "{assumes}: {problem}");
        assert_eq!(sum(&db, company, "refused").await, 0, "{assumes}");
    }
}

#[scenario]
async fn nothing_is_kept_of_what_is_tried(app: App) {
    let (company, db) = (app.company, app.server.db.clone());
    for ends_well in [true, false] {
        let tried = db.try_out(move |tx| {
            tx.execute(ADD, params![company, "tried", 1i64, 1i64])?;
            tx.defer(ADD, params![company, "tried", 2i64, 1i64])?;
            tx.tally(company, "tried", 1)?;
            match ends_well {
                true => Ok("done"),
                false => Err(Problem::internal("on purpose")),
            }
        });
        // Others may share its transaction.
        let mine = db
            .write(move |tx| tx.execute(ADD, params![company, "mine", i64::from(ends_well), 1i64]));
        let (tried, mine) = futures_util::future::join(tried, mine).await;
        assert_eq!((tried.is_ok(), mine.is_ok()), (ends_well, true), "{tried:?}");
        assert_eq!(sum(&db, company, "tried").await, 0);
    }
    assert_eq!(sum(&db, company, "mine").await, 2);
}

/// While another program writes to the file, writes are refused soon, and all of those that wait together.
#[test]
fn a_locked_file_refuses_writes() {
    let place = location(Engine::Sqlite);
    apart(|| migrate(&place, SystemClock.now(), |_| ())).unwrap();
    let (db, other) = (open(&Config::new(place.clone())), open(&Config::new(place)));
    let company = CompanyId(Id::parse(&random_text()).unwrap());
    runtime().block_on(async {
        db.write(|tx| tx.one::<(i64,)>(Sql("PRAGMA busy_timeout = 200"), &[])).await.unwrap();
        let held = tokio::spawn(async move {
            let hold = other.write(|tx| {
                tx.tally(CompanyId(Id::parse(&random_text()).unwrap()), "held", 1)?;
                std::thread::sleep(Duration::from_secs(2));
                Ok(())
            });
            hold.await
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Instant::now();
        let write =
            |shard: i64| db.write(move |tx| tx.execute(ADD, params![company, "late", shard, 1i64]));
        for refused in futures_util::future::join_all((0..10).map(write)).await {
            let problem = refused.unwrap_err();
            assert_eq!((problem.status, problem.retry_after), (503, Some(1)), "{problem}");
        }
        assert!(began.elapsed() < Duration::from_millis(1_500), "one after the other");
        held.await.unwrap().unwrap();
        assert_eq!(sum(&db, company, "late").await, 0);
        write(11).await.unwrap();
    });
}
