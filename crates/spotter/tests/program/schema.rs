//! Schemas of other versions: newer ones, and what is added to older ones.

use spotter_harness::{
    App, Engine, SystemClock, apart, location, open, postgres, random_text, scenario,
};
use spotter_kernel::{Clock, Id, Timestamp, id::CompanyId};
use spotter_store::{Config, DatabaseLocation, Sql, latest_schema, migrate, migrate_to, params};

/// A database without tables, on a cluster, too.
fn empty_location(engine: Engine) -> DatabaseLocation {
    match engine {
        Engine::Sqlite => location(engine),
        Engine::Postgres => DatabaseLocation::Server(postgres::empty_database()),
    }
}

/// A binary works with a newer schema that says so, and with no other.
#[scenario]
async fn newer_schemas_are_taken_if_they_only_add(app: App) {
    let place = empty_location(app.server.engine);
    assert_eq!(apart(|| migrate(&place, SystemClock.now(), |_| ())).unwrap(), 0);
    assert_eq!(
        apart(|| migrate(&place, SystemClock.now(), |step| panic!("{step} again"))).unwrap(),
        latest_schema()
    );
    let db = open(&Config::new(place.clone()));
    let newer =
        Sql("INSERT INTO schema_version (version, name, applied_at) VALUES (?1, 'future', 0)");
    db.write(move |tx| tx.execute(newer, params![latest_schema() + 1])).await.unwrap();
    let compatible = Sql("UPDATE schema_version SET compatible_from = ?2 WHERE version = ?1");
    let newer = latest_schema() + 1;
    db.write(move |tx| tx.execute(compatible, params![newer, newer - 1])).await.unwrap();
    let found = apart(|| migrate(&place, SystemClock.now(), |step| panic!("{step} again")));
    assert_eq!(found.unwrap(), newer);
    db.write(move |tx| tx.execute(compatible, params![newer, newer])).await.unwrap();
    let response =
        apart(|| migrate(&place, Timestamp::from_millis(0), |_| ())).unwrap_err().cause.unwrap();
    assert!(response.contains("start a version at least as new"), "{response}");
}

/// What a later version adds refers to its company as everything does, on a cluster, too, where references wait until both
/// tables are spread.
#[scenario]
async fn later_tables_refer_to_their_company(app: App) {
    const WINDOW: Sql = Sql("INSERT INTO api_client_window \
        (company_id, api_client_id, ends_at, taken, granted) VALUES (?1, ?1, 0, 0, 0)");
    let place = empty_location(app.server.engine);
    apart(|| migrate_to(&place, 51, SystemClock.now(), |_| ())).unwrap();
    assert_eq!(apart(|| migrate(&place, SystemClock.now(), |_| ())).unwrap(), 51);
    let (db, nobody) = (open(&Config::new(place)), CompanyId(Id::parse(&random_text()).unwrap()));
    let refused = db.write(move |tx| tx.execute(WINDOW, params![nobody])).await.unwrap_err();
    let cause = refused.cause.unwrap_or_default();
    assert!(cause.to_lowercase().contains("foreign key"), "{cause}");
}
