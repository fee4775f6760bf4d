//! What a handler has left of a request's body: a refusal may come before it was read, and a
//! connection with unread bytes on it is closed under the next request.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    http::{HeaderValue, Request, Response, header},
};
use http_body_util::BodyExt;

/// Most bytes that are read for nothing but the connection's sake.
const BYTES_MAX: usize = 2 << 20;
/// How long that may take.
const TIME_MAX: Duration = Duration::from_secs(2);

/// Where a body that was not read to its end is found.
pub(crate) struct Leftover(Arc<Mutex<Option<Body>>>);

/// Watches how far a request's body is read; nothing where it has none.
pub(crate) fn watch(request: Request<Body>) -> (Request<Body>, Option<Leftover>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let place = Arc::new(Mutex::new(None));
    let leftover = Leftover(place.clone());
    let (parts, body) = request.into_parts();
    let watched = TrackedBody { body: Some(body), place };
    (Request::from_parts(parts, Body::new(watched)), Some(leftover))
}

/// Reads the rest of a body, within bounds, or announces that the connection ends with this answer.
pub(crate) async fn drain_or_close(
    mut response: Response<Body>,
    leftover: Leftover,
) -> Response<Body> {
    let left = leftover.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(body) = left else { return response };
    let read = tokio::time::timeout(TIME_MAX, read_to_end(body)).await;
    if read != Ok(true) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn read_to_end(mut body: Body) -> bool {
    let mut so_far = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        so_far += frame.data_ref().map_or(0, Bytes::len);
        if so_far > BYTES_MAX {
            return false;
        }
    }
    true
}

/// A body that is put where it is found when it is dropped before its end.
struct TrackedBody {
    body: Option<Body>,
    place: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}
