//! Pages of sites that were made a moment ago. Strangers all see the same page, so one is made for many of them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    http::{HeaderName, HeaderValue, Response, StatusCode, header},
};
use spotter_http::Compressible;

/// How long a page is shown again.
const FRESH: Duration = Duration::from_secs(5);
/// Most pages that are kept; they are all forgotten when there are more.
const PAGES_MAX: usize = 1_000;
/// Longest address of a page that is kept.
const KEY_MAX: usize = 400;

/// A page as it is sent.
#[derive(Debug)]
pub(super) struct CachedPage {
    pub(super) status: StatusCode,
    pub(super) text: Bytes,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether every stranger sees the same.
    pub(super) is_shared: bool,
}

impl CachedPage {
    /// The page as an answer.
    pub(super) fn response(&self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.text.clone()));
        *response.status_mut() = self.status;
        let headers = self.headers.iter().cloned();
        response.headers_mut().extend(headers);
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        // Nothing of one person is in it.
        response.extensions_mut().insert(Compressible);
        response
    }
}

/// Pages by their language and address.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    pages: Mutex<HashMap<String, (Instant, Arc<CachedPage>)>>,
}

impl PageCache {
    /// A page that is still fresh.
    pub(super) fn find(&self, key: &str) -> Option<Arc<CachedPage>> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let (made, page) = pages.get(key)?;
        (made.elapsed() < FRESH).then(|| page.clone())
    }

    /// Keeps a page, unless it is one person's.
    pub(super) fn keep(&self, key: String, page: Arc<CachedPage>) {
        if key.len() > KEY_MAX || !page.is_shared {
            return;
        }
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= PAGES_MAX {
            pages.clear();
        }
        pages.insert(key, (Instant::now(), page));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded() {
        let cache = PageCache::default();
        let page = || {
            let (status, text) = (StatusCode::OK, Bytes::from_static(b"x"));
            Arc::new(CachedPage { status, text, headers: Vec::new(), is_shared: true })
        };
        for number in 0..3 * PAGES_MAX {
            cache.keep(format!("en /{number}"), page());
        }
        assert!(cache.pages.lock().unwrap().len() <= PAGES_MAX);
        assert!(cache.find(&format!("en /{}", 3 * PAGES_MAX - 1)).is_some());
        cache.keep("x".repeat(KEY_MAX + 1), page());
        assert!(cache.find(&"x".repeat(KEY_MAX + 1)).is_none());
    }
}
