//! What operations cost the database: a snapshot in which a change of cost is a line in a review. No clock is read. The
//! program has no other test, so that nothing else draws from the counters that make the records.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use serde_json::json;
use spotter_contract::{
    Env, Method, Operation,
    timers::{self, DueTimer},
};
use spotter_harness::{
    App, Engine, SystemClock,
    billing::sold,
    runtime, start,
    world::{World, prepare, tool_arguments, with_body},
};
use spotter_http::HttpSettings;
use spotter_kernel::{Clock, Timestamp};
use spotter_store::{Cost, CostMeter, Sql, Tx, params};

/// Operations that carry the load of a day: reads, lists, and writes of each area.
const OPERATIONS: &[&str] = &[
    "get_client",
    "list_clients",
    "create_client",
    "update_client",
    "set_client_tags",
    "get_client_timeline",
    "list_slots",
    "list_calendar_events",
    "get_calendar_event",
    "create_calendar_event",
    "list_bookings",
    "get_booking",
    "create_booking",
    "reschedule_booking",
    "cancel_booking",
    "set_booking_attendance",
    "create_recurring_booking",
    "list_products",
    "assign_product",
    "assign_membership",
    "get_invoice",
    "list_invoices",
    "record_payment",
    "get_credits",
    "adjust_credits",
    "record_measurement",
    "list_measurements",
    "put_habit_entry",
    "create_goal",
    "get_progress_summary",
    "assign_workout_plan",
    "get_client_workout_calendar",
    "begin_workout_session",
    "complete_workout_session",
    "assign_form",
    "submit_form",
    "list_conversations",
    "send_message",
    "list_documents",
    "scan_access",
    "record_late_scans",
    "list_audit_logs",
    "get_attendance_report",
    "get_revenue_report",
];

#[test]
fn costs_are_as_they_were_reviewed() {
    for engine in Engine::available() {
        // The same hour of the same weekday, whenever the suite runs.
        SystemClock::set("2026-11-04T09:00:00Z");
        measure_all(engine);
    }
}

fn measure_all(engine: Engine) {
    // A server of its own: no other writes share a measured transaction.
    let limits = HttpSettings { rate_limit: 1_000_000, ..HttpSettings::default() };
    let server = Arc::new(start(engine, limits));
    runtime().block_on(async {
        let mut world = World::new(App::new(server).await).await;
        let table = spotter::areas::areas();
        let mut found = String::new();
        for id in OPERATIONS {
            let own = |operation: &&Operation| operation.id == *id;
            let operation = table.operations.iter().find(own);
            let operation = operation.unwrap_or_else(|| panic!("no operation {id}"));
            writeln!(found, "{id}: {}", line(engine, &measured(&mut world, operation).await))
                .unwrap();
        }
        writeln!(found, "(renewal): {}", line(engine, &renewal(&world.app).await)).unwrap();
        compare(engine, &found);
    });
}

/// The cost of a call of an operation, the second of two: the first may fill caches.
async fn measured(world: &mut World, operation: &Operation) -> Cost {
    let mut cost = Cost::default();
    for _ in 0..2 {
        prepare(operation, world).await;
        let mut request = world.request(operation, &world.path(operation));
        if operation.method == Method::Get {
            let arguments = tool_arguments(operation, world);
            let own = |(name, _): &(&String, _)| !operation.path.contains(&format!("{{{name}}}"));
            let query: BTreeMap<_, _> = arguments.as_object().unwrap().iter().filter(own).collect();
            request = request.query(&query);
        }
        let request = with_body(operation, world, request).build().unwrap();
        let meter = CostMeter::default();
        let (status, body) = meter.measure(world.app.server.answer(request)).await;
        assert!(status < 300, "{operation:?}: {status} {body}");
        cost = meter.cost();
    }
    cost
}

/// The cost of the renewal of a membership: its timer, run when it is due.
async fn renewal(app: &App) -> Cost {
    const DUE: Sql =
        Sql("SELECT due_at FROM timer WHERE company_id = ?1 AND kind = ?2 AND subject = ?3");
    let mut cost = Cost::default();
    for _ in 0..2 {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let sold = sold(app, &client, json!({}), json!({})).await;
        let (company, kind, subject) = (app.company, "turn_sale", sold.product);
        let timer =
            spotter::areas::areas().timers.into_iter().find(|timer| timer.id == kind).unwrap();
        let own = subject.clone();
        let find = move |tx: &mut Tx<'_>| tx.one::<(Timestamp,)>(DUE, params![company, kind, own]);
        let (due_at,) = app.server.db.read(find).await.unwrap().unwrap();
        let env = Env { clock: Arc::new(At(due_at)), ..app.server.env.clone() };
        let due = DueTimer { company_id: company, kind: kind.into(), subject, due_at, attempts: 0 };
        let meter = CostMeter::default();
        let run = app.server.db.write(move |tx| timers::run(tx, &env, timer, &due));
        assert!(meter.measure(run).await.unwrap());
        cost = meter.cost();
    }
    cost
}

/// A clock that stands still.
struct At(Timestamp);

impl Clock for At {
    fn now(&self) -> Timestamp {
        self.0
    }
}

fn line(engine: Engine, cost: &Cost) -> String {
    let tables = |rows: &BTreeMap<String, u64>| {
        let each = rows.iter().map(|(table, rows)| format!("{table} {rows}"));
        each.collect::<Vec<_>>().join(", ")
    };
    match engine {
        Engine::Postgres => {
            format!("statements {}, round trips {}", cost.statements, cost.round_trips)
        }
        Engine::Sqlite => {
            let mut line = format!("statements {}", cost.statements);
            if cost.pages > 0 {
                write!(line, ", pages {}", cost.pages).unwrap();
            }
            for (name, rows) in
                [("read", &cost.read), ("again", &cost.repeated), ("written", &cost.written)]
            {
                if !rows.is_empty() {
                    write!(line, "; {name}: {}", tables(rows)).unwrap();
                }
            }
            line
        }
    }
}

fn compare(engine: Engine, found: &str) {
    let name = match engine {
        Engine::Sqlite => "sqlite.txt",
        Engine::Postgres => "postgres.txt",
    };
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/costs").join(name);
    if std::env::var_os("SPOTTER_TEST_WRITE_COSTS").is_some() {
        std::fs::write(&kept, found).unwrap();
    }
    let before = std::fs::read_to_string(&kept).unwrap_or_default();
    let is_in = |line: &str, all: &str| all.lines().any(|own| costs_the_same(own, line));
    let more = found.lines().filter(|line| !is_in(line, &before)).map(|line| format!("+ {line}"));
    let less = before.lines().filter(|line| !is_in(line, found)).map(|line| format!("- {line}"));
    let changed: Vec<String> = more.chain(less).collect();
    assert!(
        changed.is_empty(),
        "costs have changed; if they should, run with SPOTTER_TEST_WRITE_COSTS=1 and review {name}:\n{}",
        changed.join("\n")
    );
}

/// Whether two lines are equal but for some pages: where ids fall in an index is chance, and a
/// page that splits writes two more. Thirteen runs of one operation wrote 19 to 35 pages; what
/// writes twice as many stands out, and what writes more rows is seen by its rows.
fn costs_the_same(one: &str, other: &str) -> bool {
    let split = |line: &str| {
        let Some((start, rest)) = line.split_once(", pages ") else { return (line.to_owned(), 0) };
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        (format!("{start}{}", &rest[end..]), rest[..end].parse::<i64>().unwrap())
    };
    let ((one, pages), (other, others)) = (split(one), split(other));
    one == other && pages.max(others) <= pages.min(others) * 3 / 2 + 4
}
