//! Connections to PostgreSQL that break or fall silent at the worst moment: what may have been kept is not done again.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use spotter_harness::{Engine, SystemClock, apart, location, open, postgres, random_text, runtime};
use spotter_kernel::{Clock, Id, Key, id::CompanyId};
use spotter_store::{Config, DatabaseLocation, Db, Sql, migrate, params};

const ADD: Sql =
    Sql("INSERT INTO tally (company_id, subject, shard, amount) VALUES (?1, 'once', ?2, 1)");
const COUNT: Sql = Sql("SELECT COUNT(*) FROM tally WHERE company_id = ?1 AND subject = 'once'");

/// A way to the server whose answers can be lost.
#[derive(Clone, Default)]
struct Link {
    /// Ends the connection that sends a COMMIT with this value, before the answer. A COMMIT of reads has none, and may come at
    /// any time.
    breaks_commit_of: Arc<Mutex<Option<String>>>,
    /// Keeps answers back, on connections that were open then.
    is_silent: Arc<AtomicBool>,
    /// Keeps all answers back.
    is_frozen: Arc<AtomicBool>,
}

impl Link {
    /// Listens; its address.
    fn open(&self, server: String) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, link) = (listener.local_addr().unwrap(), self.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                link.join(client.unwrap(), UnixStream::connect(&server).unwrap());
            }
        });
        address
    }

    fn join(&self, client: TcpStream, server: UnixStream) {
        let is_newer = self.is_silent.load(Ordering::Relaxed);
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let is_muted = Arc::new(AtomicBool::new(false));
        let (breaks, muted) = (self.breaks_commit_of.clone(), is_muted.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 65_536];
            while let Ok(size @ 1..) = from.read(&mut bytes) {
                let sent = String::from_utf8_lossy(&bytes[..size]);
                let is_meant =
                    |value: &mut String| sent.contains("COMMIT\0") && sent.contains(value.as_str());
                let breaks = breaks.lock().unwrap().take_if(is_meant).is_some();
                muted.fetch_or(breaks, Ordering::Relaxed);
                if to.write_all(&bytes[..size]).is_err() {
                    break;
                }
                if breaks {
                    // Long enough for the server to have done it.
                    std::thread::sleep(Duration::from_millis(300));
                    from.shutdown(Shutdown::Both).ok();
                    break;
                }
            }
            to.shutdown(Shutdown::Both).ok();
        });
        let (mut from, mut to, link) = (server, client, self.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 65_536];
            while let Ok(size @ 1..) = from.read(&mut bytes) {
                while link.is_frozen.load(Ordering::Relaxed)
                    || !is_newer && link.is_silent.load(Ordering::Relaxed)
                {
                    std::thread::sleep(Duration::from_millis(20));
                }
                if is_muted.load(Ordering::Relaxed) || to.write_all(&bytes[..size]).is_err() {
                    break;
                }
            }
        });
    }
}

/// A new database that is reached over a link.
fn linked() -> (Db, Link) {
    let DatabaseLocation::Server(url) = location(Engine::Postgres) else { panic!("a server") };
    let place = DatabaseLocation::Server(url.clone());
    apart(|| migrate(&place, SystemClock.now(), |_| ())).unwrap();
    let (host, rest) = url.split_once('@').unwrap().1.split_once('/').unwrap();
    let link = Link::default();
    let address = link.open(format!("{}/.s.PGSQL.5432", host.replace("%2F", "/")));
    let place = DatabaseLocation::Server(format!("postgres://spotter@{address}/{rest}"));
    let db = open(&Config { connections: 2, ..Config::new(place) });
    (db, link)
}

async fn count(db: &Db, company: CompanyId) -> i64 {
    let row: Option<(i64,)> = db.read(move |tx| tx.one(COUNT, params![company])).await.unwrap();
    row.unwrap().0
}

/// Whether this process started the server, whose socket is then known.
fn is_own_server() -> bool {
    Engine::Postgres.is_available() && std::env::var_os("SPOTTER_TEST_DATABASE_URL").is_none()
}

#[test]
fn a_commit_without_an_answer_is_not_repeated() {
    if !is_own_server() {
        return;
    }
    let (db, link) = linked();
    runtime().block_on(async {
        for reads_first in [true, false] {
            let company = CompanyId(Id::parse(&random_text()).unwrap());
            let runs = Arc::new(AtomicI64::new(0));
            let counted = runs.clone();
            *link.breaks_commit_of.lock().unwrap() = Some(company.to_string());
            let outcome = db.write(move |tx| {
                let shard = counted.fetch_add(1, Ordering::Relaxed);
                if reads_first {
                    tx.one::<(i64,)>(COUNT, params![company])?;
                }
                tx.defer(ADD, params![company, shard])
            });
            let refused = outcome.await.unwrap_err();
            assert_eq!(refused.key, Key::IdempotencyPersistenceFailed, "{refused}");
            assert_eq!((count(&db, company).await, runs.load(Ordering::Relaxed)), (1, 1));
        }
    });
}

/// Takes as long as a server may be silent.
#[test]
fn a_transaction_that_fell_silent_is_not_kept_with_the_next() {
    const WRITES: i64 = 12;
    if !is_own_server() {
        return;
    }
    let (db, link) = linked();
    let company = CompanyId(Id::parse(&random_text()).unwrap());
    runtime().block_on(async {
        let shards = Arc::new(AtomicI64::new(0));
        link.is_silent.store(true, Ordering::Relaxed);
        let writes = (0..WRITES).map(|_| {
            let (db, shards) = (db.clone(), shards.clone());
            tokio::spawn(async move {
                db.write(move |tx| {
                    let shard = shards.fetch_add(1, Ordering::Relaxed);
                    tx.execute(ADD, params![company, shard]).map(drop)
                })
                .await
            })
        });
        let writes: Vec<_> = writes.collect();
        tokio::time::sleep(Duration::from_millis(20_300)).await;
        link.is_silent.store(false, Ordering::Relaxed);
        let mut acknowledged = 0;
        for write in writes {
            acknowledged += i64::from(write.await.unwrap().is_ok());
        }
        assert_eq!(count(&db, company).await, acknowledged);
        // Those that were sent are done anew; what waited behind them for so long is refused.
        assert!(acknowledged >= 2, "{acknowledged}");
    });
}

/// Takes as long as a server may be silent, and to answer who connects.
#[test]
fn a_silent_server_is_waited_for_once() {
    const CALLERS: i64 = 40;
    if !is_own_server() {
        return;
    }
    let (db, link) = linked();
    let company = CompanyId(Id::parse(&random_text()).unwrap());
    runtime().block_on(async {
        link.is_frozen.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let calls = (0..CALLERS).map(|shard| {
            let db = db.clone();
            tokio::spawn(async move {
                match shard % 2 {
                    0 => db.write(move |tx| tx.execute(ADD, params![company, shard])).await.err(),
                    _ => db.read(move |tx| tx.one::<(i64,)>(COUNT, params![company])).await.err(),
                }
            })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(call.await.unwrap().map(|problem| problem.key), Some(Key::RequestFailed));
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
        link.is_frozen.store(false, Ordering::Relaxed);
        assert_eq!(count(&db, company).await, 0);
    });
}

/// Others may have all connections that a server takes; soon they may have fewer.
#[test]
fn a_server_without_room_is_waited_for() {
    if !is_own_server() {
        return;
    }
    let DatabaseLocation::Server(url) = location(Engine::Postgres) else { panic!("a server") };
    let role = format!("guest_{}", random_text());
    postgres::execute(&url, &format!("CREATE ROLE {role} LOGIN CONNECTION LIMIT 2"));
    let place = DatabaseLocation::Server(url.replacen("spotter@", &format!("{role}@"), 1));
    let refused = apart(|| Db::open(&Config::new(place))).err().unwrap();
    assert!(refused.status == 503 && refused.to_string().contains("too many"), "{refused}");
}
