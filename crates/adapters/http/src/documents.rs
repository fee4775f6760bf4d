//! Documents at secret addresses (the table's [`Document`] rows), for programs that cannot sign in, and files at
//! signed addresses (its [`Download`] rows).

use std::{net::IpAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract,
    http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header},
    routing::get,
};
use spotter_contract::{
    Actor, Caller, Download, DownloadSource, File, LinkedDocument, Read, ReaderDocument,
};
use spotter_kernel::{Key, Locale, Phrase, Problem, Result};
use spotter_people::identity::holders;

use crate::{
    address, etag,
    rules::HttpRule,
    server::State,
    uploads::{disposition, file_store_problem},
};

/// The routes of documents.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    let documents = state.table.documents().iter();
    documents.fold(Router::new(), |router, document| {
        let (state, document) = (state.clone(), *document);
        let answer = move |extract::Path(name): extract::Path<String>, request: Request<Body>| {
            let from = address::of(&request, &state.settings.trusted_proxies);
            let (state, headers) = (state.clone(), request.headers().clone());
            async move {
                let output = read(&state, document, &name, from, &headers).await;
                let locale = accepted_language(&headers).unwrap_or_default();
                output.unwrap_or_else(|problem| {
                    match document.media_type.starts_with("text/html") {
                        true => missing_document_page(&problem, locale),
                        false => refusal(&problem, locale),
                    }
                })
            }
        };
        router.route(&format!("{}{{name}}", document.place.0), get(answer))
    })
}

/// What pages may do: be read, and lead elsewhere by a form, as to the page of a payment provider.
const PAGES: &str = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
    form-action 'self' https:";

/// One document; requests count for its reader, or for the caller's address where there is no such document.
async fn read(
    state: &State,
    document: &'static LinkedDocument,
    name: &str,
    from: IpAddr,
    headers: &HeaderMap,
) -> Result<Response<Body>> {
    let Some(ReaderDocument { reader, content }) = find(state, document, name).await? else {
        state.count_stranger(from)?;
        return Err(Key::NotFound.into());
    };
    state.count_caller(reader).check()?;
    let tag = etag::of(&content);
    let is_known = tag.as_ref().is_some_and(|tag| etag::is_known(headers, tag));
    let mut response = match is_known {
        true => Response::new(Body::empty()),
        false => Response::new(Body::from(content)),
    };
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let keep = format!("private, max-age={}", document.keep_seconds);
    let headers = response.headers_mut();
    headers.extend(tag.map(|tag| (header::ETAG, tag)));
    headers.extend(HeaderValue::from_str(&keep).ok().map(|keep| (header::CACHE_CONTROL, keep)));
    for (name, value) in [
        (header::CONTENT_TYPE, document.media_type),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("x-robots-tag"), "noindex"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if document.media_type.starts_with("text/html") {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGES));
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    Ok(response)
}

/// The routes of files at signed addresses.
pub(crate) fn downloads(state: &Arc<State>) -> Router {
    let downloads = state.table.downloads().iter();
    downloads.fold(Router::new(), |router, download| {
        let (state, download) = (state.clone(), *download);
        let answer = move |extract::Path(name): extract::Path<String>, request: Request<Body>| {
            let from = address::of(&request, &state.settings.trusted_proxies);
            let locale = accepted_language(request.headers()).unwrap_or_default();
            let state = state.clone();
            async move {
                let output = fetch(&state, download, &name, from).await;
                output.unwrap_or_else(|problem| refusal(&problem, locale))
            }
        };
        router.route(&format!("{}{{name}}", download.place.0), get(answer))
    })
}

/// A file at a signed address; requests count for the person it was signed for.
async fn fetch(
    state: &State,
    download: &'static Download,
    name: &str,
    from: IpAddr,
) -> Result<Response<Body>> {
    let (env, now) = (state.env.clone(), state.env.clock.now());
    let Some(ticket) = download.ticket(name, &env.vault, now)? else {
        state.count_stranger(from)?;
        return Err(Key::NotFound.into());
    };
    state.count_caller(ticket.by).check()?;
    let operation = state.table.find(download.operation).cloned();
    let operation = operation.ok_or_else(|| Problem::internal("a download of no operation"))?;
    let found = state.db.read(move |tx| {
        let caller = holders::holder(tx, &ticket, now)?;
        operation.admit(&caller)?;
        (download.read)(&mut Read::new(tx, &caller, now).with_env(&env), ticket.subject)
    });
    // A person who may not see it any more gets the same answer as for no file.
    let found = found.await.map_err(|problem| match problem.status {
        ..500 => Problem::from(Key::NotFound),
        _ => problem,
    })?;
    let (name, media_type, mut response) = match found {
        DownloadSource::Made(File { name, media_type, content }) => {
            (name, media_type, Response::new(Body::from(content)))
        }
        DownloadSource::Kept { name, media_type, key } => {
            (name, media_type, serve_file(state, &key).await?)
        }
    };
    let headers = response.headers_mut();
    let disposition = disposition(&name);
    let disposition = HeaderValue::from_str(&disposition).map_err(Problem::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // It is a user's file, not a page of this product.
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::HeaderName::from_static("x-robots-tag"), "noindex"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Serves a stored file.
async fn serve_file(state: &State, key: &str) -> Result<Response<Body>> {
    let (size, chunks) = state.files.read(key).await.map_err(file_store_problem)?;
    let mut response = Response::new(Body::from_stream(chunks));
    response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
    Ok(response)
}

/// The language that a browser asks for, if it is one of ours.
pub fn accepted_language(headers: &HeaderMap) -> Option<Locale> {
    let names = headers.get(header::ACCEPT_LANGUAGE).and_then(|names| names.to_str().ok());
    names.and_then(Locale::accepted)
}

/// The page at the address of a document that is not there.
fn missing_document_page(problem: &Problem, locale: Locale) -> Response<Body> {
    let mut response = refusal(problem, locale);
    if problem.status != StatusCode::NOT_FOUND {
        return response;
    }
    let (language, title) = (locale.code(), HttpRule::NoDocument);
    let (title, advice) = (Phrase::from(title), Phrase::from(HttpRule::AskForNewLink));
    let (title, advice) = (title.text(locale), advice.text(locale));
    *response.body_mut() = Body::from(format!(
        "<!DOCTYPE html><html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{title}</title>\
         <link rel=\"stylesheet\" href=\"/page.css\"></head><body><main><h1>{title}</h1>\
         <p>{advice}</p></main></body></html>"
    ));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGES));
    response
}

async fn find(
    state: &State,
    document: &'static LinkedDocument,
    name: &str,
) -> Result<Option<ReaderDocument>> {
    let Some(credential) = document.credential(name) else { return Ok(None) };
    let (env, now) = (state.env.clone(), state.env.clock.now());
    let found = state.db.read(move |tx| {
        let caller = Caller::new(credential.company, Actor::System);
        (document.read)(&mut Read::new(tx, &caller, now).with_env(&env), &credential)
    });
    found.await
}

/// A refusal as a line of text: who reads is no client of the API.
fn refusal(problem: &Problem, locale: Locale) -> Response<Body> {
    let reason = match problem.key {
        Key::RateLimitExceeded => HttpRule::TooManyRequests.into(),
        _ => problem.phrase(),
    };
    let mut response = Response::new(Body::from(format!("{}\n", reason.on_page(locale))));
    *response.status_mut() =
        StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, text);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
