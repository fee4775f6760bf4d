//! Connections of callers: how many there may be, and how long each may keep the service waiting.
//!
//! An idle connection is closed when the next request head does not arrive completely in time, or when nothing
//! arrives; so is one whose caller does not read its answer. The lines of a head must end as HTTP/1.1 requires, or
//! the head is refused: proxies in front of this program may parse it differently (RFC 9112, section 11.2).

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum_server::{Address, Server, accept::Accept};
use hyper_util::rt::TokioTimer;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep},
};
use tower_service::Service;

/// How long the head of a request may take to come whole.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may be idle between requests, and an answer not be taken.
const IDLE: Duration = Duration::from_secs(60);
/// Refused connections are logged this often at most, in seconds.
const TELLING: i64 = 10;
/// The beginning of HTTP/2 (RFC 9113, section 3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2";

/// The number of connections, given the limit of open files: webhook targets, the database and files need some, too.
pub(crate) fn most(wanted: u64, open_files: u64) -> usize {
    let most = wanted.min(open_files / 2);
    if most < wanted {
        tracing::warn!(
            open_files,
            most,
            "the limit of open files allows fewer connections than connections_max says"
        );
    }
    usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

/// Gives a server its limits of time.
pub(crate) fn timed<A: Address, Acc>(mut server: Server<A, Acc>) -> Server<A, Acc> {
    // Beside the stream's own times, for what it cannot see of a head that never ends.
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(IDLE);
    server.http_builder().http2().timer(TokioTimer::new());
    server
}

/// Lets connections in as long as there is room.
#[derive(Clone)]
pub(crate) struct ConnectionLimiter {
    room: Arc<Semaphore>,
    most: usize,
    /// When a refusal was last reported, in seconds since the start.
    reported: Arc<AtomicI64>,
    begun: Instant,
}

impl ConnectionLimiter {
    /// A limit of `most` connections.
    pub(crate) fn new(most: usize) -> Self {
        let room = Arc::new(Semaphore::new(most));
        Self { room, most, reported: Arc::new(AtomicI64::new(-TELLING)), begun: Instant::now() }
    }

    /// Wraps the acceptor of connections.
    pub(crate) fn before<A>(self, accept: A) -> GuardedAcceptor<A> {
        GuardedAcceptor { doorkeeper: self, accept }
    }

    fn admit(&self) -> io::Result<ConnectionSlot> {
        match self.room.clone().try_acquire_owned() {
            Ok(permit) => Ok(ConnectionSlot::new(permit)),
            Err(_) => {
                metrics::counter!("spotter_http_connections_refused_total").increment(1);
                let (now, output) =
                    (self.begun.elapsed().as_secs() as i64, self.reported.load(Ordering::Relaxed));
                if now - output >= TELLING && self.reported.swap(now, Ordering::Relaxed) == output {
                    let most = self.most;
                    tracing::warn!(
                        most,
                        "as many connections as may be are open; more are refused"
                    );
                }
                Err(io::Error::other("too many connections"))
            }
        }
    }
}

/// A connection's place among those that are open.
struct ConnectionSlot {
    _permit: OwnedSemaphorePermit,
}

impl ConnectionSlot {
    fn new(permit: OwnedSemaphorePermit) -> Self {
        metrics::gauge!("spotter_http_connections").increment(1.0);
        Self { _permit: permit }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        metrics::gauge!("spotter_http_connections").decrement(1.0);
    }
}

/// What accepts connections, behind a doorkeeper.
#[derive(Clone)]
pub(crate) struct GuardedAcceptor<A> {
    doorkeeper: ConnectionLimiter,
    accept: A,
}

impl<I, S, A> Accept<I, S> for GuardedAcceptor<A>
where
    A: Accept<I, S>,
    A::Future: Send + 'static,
    A::Service: Send,
    A::Stream: Send,
    I: Send + 'static,
    S: Send + 'static,
{
    type Stream = Timed<A::Stream>;
    type Service = CountedService<A::Service>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        let seat = self.doorkeeper.admit();
        let accepted = seat.map(|seat| (seat, self.accept.accept(stream, service)));
        Box::pin(async move {
            let (seat, accepting) = accepted?;
            let (stream, service) = accepting.await?;
            let under_way = Arc::new(AtomicU32::new(0));
            let service = CountedService { service, under_way: under_way.clone() };
            Ok((Timed::new(stream, under_way, Some(seat)), service))
        })
    }
}

/// A service that counts the requests under way on its connection.
#[derive(Clone)]
pub(crate) struct CountedService<S> {
    service: S,
    under_way: Arc<AtomicU32>,
}

/// A request under way.
struct RunningRequest(Arc<AtomicU32>);

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<S, R> Service<R> for CountedService<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        let (under_way, answer) =
            (RunningRequest(self.under_way.clone()), self.service.call(request));
        Box::pin(async move {
            let _under_way = under_way;
            answer.await
        })
    }
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The rest of a head, since this instant.
    Head(Instant),
    /// The next request, or the caller, since this instant.
    Idle(Instant),
}

/// A stream that ends when its caller keeps it waiting for too long.
pub(crate) struct Timed<S> {
    stream: S,
    under_way: Arc<AtomicU32>,
    phase: Phase,
    head: Head,
    alarm: Pin<Box<Sleep>>,
    _seat: Option<ConnectionSlot>,
}

impl<S> Timed<S> {
    fn new(stream: S, under_way: Arc<AtomicU32>, seat: Option<ConnectionSlot>) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(tokio::time::sleep_until(now + HEAD));
        let (phase, head) = (Phase::Head(now), Head::default());
        Self { stream, under_way, phase, head, alarm, _seat: seat }
    }

    fn is_serving(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    fn deadline(&self) -> Instant {
        match self.phase {
            Phase::Head(since) => since + HEAD,
            Phase::Idle(since) => since + IDLE,
        }
    }

    /// Whether the caller has kept the connection waiting for too long; else the task is woken when
    /// that may be so.
    fn is_overdue(&mut self, cx: &mut Context<'_>) -> bool {
        while self.alarm.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if self.is_serving() {
                self.phase = Phase::Idle(now);
            }
            let deadline = self.deadline();
            if deadline <= now {
                return true;
            }
            self.alarm.as_mut().reset(deadline);
        }
        false
    }

    /// Notes that bytes came or went.
    fn moved(&mut self, came: bool) {
        let now = Instant::now();
        let next = match self.phase {
            Phase::Head(since) if came && !self.is_serving() => Phase::Head(since),
            _ if came && !self.is_serving() && !self.head.is_http2() => Phase::Head(now),
            _ => Phase::Idle(now),
        };
        if matches!((self.phase, next), (Phase::Idle(_), Phase::Head(_))) {
            self.head = Head::default();
            // The alarm may be set for much later.
            self.alarm.as_mut().reset(now + HEAD);
        }
        self.phase = next;
    }
}

/// How far the head of a request has come.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// Bytes so far, counted as far as it matters.
    seen: usize,
    http2: bool,
    /// The last bytes were these many of CR LF CR LF.
    matched: usize,
    whole: bool,
}

impl Head {
    fn is_http2(self) -> bool {
        self.http2
    }

    /// Reads on; the place of a line feed that ends no line.
    fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.seen == 0 {
            self.http2 = bytes.starts_with(HTTP2);
        }
        self.seen = self.seen.saturating_add(bytes.len());
        if self.http2 || self.whole {
            return None;
        }
        for (at, byte) in bytes.iter().enumerate() {
            self.matched = match (self.matched, byte) {
                (0 | 2, b'\r') => self.matched + 1,
                (1, b'\n') => 2,
                (3, b'\n') => {
                    self.whole = true;
                    return None;
                }
                (_, b'\n') => return Some(at),
                (_, b'\r') => 1,
                _ => 0,
            };
        }
        None
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                this.moved(true);
                if matches!(this.phase, Phase::Head(_)) {
                    let bytes = &mut buffer.filled_mut()[before..];
                    if let Some(at) = this.head.read(bytes) {
                        // No head contains this byte, so the parser answers 400.
                        bytes[at] = 0;
                    }
                }
                Poll::Ready(Ok(()))
            }
            Poll::Pending if this.is_overdue(cx) => {
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "nothing came in time")))
            }
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write(cx, bytes) {
            Poll::Pending => this.stuck(cx),
            ready => {
                this.moved(false);
                ready
            }
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write_vectored(cx, bytes) {
            Poll::Pending => this.stuck(cx),
            ready => {
                this.moved(false);
                ready
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl<S> Timed<S> {
    /// A write that does not go on.
    fn stuck(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.is_overdue(cx) {
            let late = io::Error::new(io::ErrorKind::TimedOut, "the answer was not taken in time");
            return Poll::Ready(Err(late));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    fn pair() -> (DuplexStream, Timed<DuplexStream>, Arc<AtomicU32>) {
        let (caller, stream) = duplex(64);
        let under_way = Arc::new(AtomicU32::new(0));
        (caller, Timed::new(stream, under_way.clone(), None), under_way)
    }

    async fn ends_after(stream: &mut Timed<DuplexStream>) -> Duration {
        let begun = Instant::now();
        let mut buffer = [0; 64];
        while stream.read(&mut buffer).await.is_ok() {}
        begun.elapsed()
    }

    fn around(duration: Duration, seconds: u64) -> bool {
        (seconds..=seconds + 1).contains(&duration.as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_ten_seconds_however_it_drips() {
        let (mut caller, mut stream, _) = pair();
        let drips = tokio::spawn(async move {
            for byte in b"GET / HTTP/1.1\r\nhost: x\r\n" {
                caller.write_all(&[*byte]).await.ok();
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            caller
        });
        assert!(around(ends_after(&mut stream).await, 10));
        drips.abort();
        let (_silent, mut stream, _) = pair();
        assert!(around(ends_after(&mut stream).await, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_has_its_time_and_an_idle_connection_a_minute() {
        let (mut caller, mut stream, under_way) = pair();
        let mut buffer = [0; 64];
        caller.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        assert_eq!(stream.read(&mut buffer).await.unwrap(), 18);
        under_way.store(1, Ordering::Relaxed);
        let waits = tokio::time::timeout(Duration::from_secs(300), stream.read(&mut buffer)).await;
        assert!(waits.is_err(), "a request under way is not hurried");
        under_way.store(0, Ordering::Relaxed);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        assert!(around(ends_after(&mut stream).await, 60));
        let (mut caller, mut stream, _) = pair();
        caller.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        assert_eq!(stream.read(&mut buffer).await.unwrap(), 18);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        caller.write_all(b"GE").await.unwrap();
        assert!(around(ends_after(&mut stream).await, 10), "the next head has its own time");
    }

    #[tokio::test(start_paused = true)]
    async fn an_unread_answer_closes_the_connection() {
        let (_caller, mut stream, _) = pair();
        let begun = Instant::now();
        assert!(stream.write_all(&[b'x'; 4_096]).await.is_err());
        assert!(around(begun.elapsed(), 60));
    }

    #[test]
    fn line_feeds_alone_end_no_line() {
        let found = |text: &str| Head::default().read(text.as_bytes());
        assert_eq!(found("GET / HTTP/1.1\r\nhost: x\r\n\r\nbody\nbody"), None);
        assert_eq!(found("GET / HTTP/1.1\nhost: x\r\n\r\n"), Some(14));
        assert_eq!(found("GET / HTTP/1.1\r\nhost: x\n\r\n"), Some(23));
        assert_eq!(found("GET / HTTP/1.1\r\nhost: x\r\n\n"), Some(25));
        assert_eq!(found("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n"), None);
        let mut head = Head::default();
        assert_eq!(
            (head.read(b"GET / HTTP/1.1\r"), head.read(b"\n"), head.read(b"\n")),
            (None, None, Some(0))
        );
    }
}
