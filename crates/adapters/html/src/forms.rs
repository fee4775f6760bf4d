//! Submitted forms: parsing them, and detecting forged ones.

use std::{borrow::Cow, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{DefaultBodyLimit, FromRequest, Multipart},
    http::{HeaderMap, HeaderName, Request, Response, StatusCode, header},
};
use percent_encoding::percent_decode;
use spotter_contract::vault;
use spotter_http::{RequestId, State, UploadedFile, read_body, read_body_within};
use spotter_kernel::{Key, Problem, Result, Rule, encoding::decoded, secret::base64url};

use crate::{display, page, words::Strings};

/// The longest form.
const BODY_MAX: usize = 256 << 10;
/// The same with a file of text.
pub const TEXT_MAX: usize = 1 << 20;
/// How long a form with a file may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Most files of a form.
const FILES_MAX: usize = 20;
/// Fields that a form may have.
pub const FIELDS_MAX: usize = 1_000;

/// A submitted form of an own page, with facts of its request.
pub struct SubmittedForm {
    /// Its content.
    pub form: FormData,
    /// Where it came from.
    pub from: IpAddr,
    /// The request's id.
    pub request_id: RequestId,
    /// The request's headers.
    pub headers: HeaderMap,
}

impl SubmittedForm {
    /// Takes a form in; or the answer why not.
    pub async fn take(
        state: &State,
        request: Request<Body>,
    ) -> std::result::Result<Self, Response<Body>> {
        let t = display::language(request.headers());
        state.count_address(&request).map_err(|problem| page::problem(t, &problem))?;
        Self::from_browser(state, request, TEXT_MAX).await
    }

    /// The same from a browser that is or claims to be signed in: it counts for that person. A form with a file may
    /// have this many bytes.
    pub async fn from_browser(
        state: &State,
        request: Request<Body>,
        most: usize,
    ) -> std::result::Result<Self, Response<Body>> {
        let from = state.address(&request);
        let (request_id, headers) = (RequestId::of(&request), request.headers().clone());
        if is_foreign(&headers, &[&state.env.mcp_url, &state.env.address]) {
            return Err(forged(display::language(&headers)));
        }
        let t = display::language(&headers);
        let form =
            FormData::read(request, most).await.map_err(|problem| page::problem(t, &problem))?;
        Ok(Self { form, from, request_id, headers })
    }
}

impl FromRequest<Arc<State>> for SubmittedForm {
    type Rejection = Response<Body>;

    async fn from_request(
        request: Request<Body>,
        state: &Arc<State>,
    ) -> std::result::Result<Self, Self::Rejection> {
        Self::take(state, request).await
    }
}

/// The content of a form.
pub struct FormData {
    pairs: Vec<(String, String)>,
    files: Vec<(String, UploadedFile)>,
}

/// Whether a request brings a form that may hold a file (RFC 7578).
pub fn brings_file(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("multipart/form-data"))
}

impl FormData {
    /// Reads a form, unless it is too long or cut off.
    async fn read(request: Request<Body>, most: usize) -> Result<Self> {
        if brings_file(request.headers()) {
            return Self::read_with_file(request, most).await;
        }
        let body = read_body(request.into_body(), BODY_MAX).await?;
        if percent_decode(&body).decode_utf8().is_err() {
            return Err(Problem::because(Key::RequestInvalid, Rule::UnreadableForm));
        }
        let pairs = form_urlencoded::parse(&body);
        Ok(Self::from_pairs(pairs))
    }

    /// Parses a form that may contain files. A field with a mark in its name, such as `uploadId:file`, contains a
    /// file to store; others are read as text, and the file's name is a field of its own.
    async fn read_with_file(request: Request<Body>, most: usize) -> Result<Self> {
        let unreadable = || Problem::because(Key::RequestInvalid, Rule::UnreadableForm);
        let (parts, body) = request.into_parts();
        let body = read_body_within(body, most, TIMEOUT).await?;
        let mut request = Request::from_parts(parts, Body::from(body));
        // It has been read within its bound.
        DefaultBodyLimit::disable().apply(&mut request);
        let mut multipart =
            Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
        let (mut pairs, mut files) = (Vec::new(), Vec::new());
        // Text fields are as short as in a form without files; a text file may be longer.
        let (mut typed, mut brought) = (BODY_MAX, TEXT_MAX);
        while let Some(field) = multipart.next_field().await.map_err(|_| unreadable())? {
            let name = field.name().unwrap_or_default().to_owned();
            let called = field.file_name().map(str::to_owned);
            let media_type = field.content_type().unwrap_or_default().to_owned();
            let bytes = field.bytes().await.map_err(|_| unreadable())?;
            if pairs.len() >= FIELDS_MAX || files.len() >= FILES_MAX {
                return Err(Problem::because(Key::RequestInvalid, Rule::TooManyFields));
            }
            match called {
                // A browser sends an unchosen file as one without a name.
                Some(called) if name.contains(':') => {
                    if !called.is_empty() {
                        files.push((name, UploadedFile { name: called, media_type, bytes }));
                    }
                }
                called => {
                    let left = if called.is_some() { &mut brought } else { &mut typed };
                    let rest = left.checked_sub(bytes.len());
                    *left = rest
                        .ok_or_else(|| Problem::because(Key::RequestInvalid, Rule::FormTooLong))?;
                    pairs.push((name, decoded(&bytes)));
                    let called = called.filter(|called| !called.is_empty());
                    pairs.extend(
                        called
                            .map(|name| ("fileName".to_owned(), name.chars().take(200).collect())),
                    );
                }
            }
        }
        Ok(Self { pairs, files })
    }

    fn from_pairs<'f>(pairs: impl Iterator<Item = (Cow<'f, str>, Cow<'f, str>)>) -> Self {
        let pairs = pairs.map(|(name, value)| (name.into_owned(), value.into_owned()));
        Self { pairs: pairs.collect(), files: Vec::new() }
    }

    /// Its files, by field.
    pub fn files(&self) -> impl Iterator<Item = (&str, &UploadedFile)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// The form with other fields, and otherwise the same.
    pub fn with_fields(&self, fields: Vec<(String, String)>) -> Self {
        let own = self.pairs.iter().filter(|(name, _)| name.starts_with('-')).cloned();
        Self { pairs: own.chain(fields).collect(), files: Vec::new() }
    }

    /// A form of some fields.
    pub fn from_fields(fields: &[(String, String)]) -> Self {
        Self { pairs: fields.to_vec(), files: Vec::new() }
    }

    /// A query string as a form.
    pub fn from_query(query: &str) -> Self {
        Self::from_pairs(form_urlencoded::parse(query.as_bytes()))
    }

    /// Its fields, in the order in which they were sent.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The path parameters of the form's operation.
    pub fn path(&self) -> Vec<(String, String)> {
        let own = |(name, value): (&str, &str)| {
            Some((name.strip_prefix("-at.")?.to_owned(), value.to_owned()))
        };
        self.pairs().filter_map(own).collect()
    }

    /// The first value of a field; empty where there is none.
    pub fn one(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Whether a field was sent without a value, by its name with or without the mark of its kind (`price:money`).
    pub fn is_empty_at(&self, field: &str) -> bool {
        let is_field = |name: &str| name.split(':').next() == Some(field);
        let mut own = self.pairs().filter(|(name, _)| is_field(name)).peekable();
        own.peek().is_some() && own.all(|(_, value)| value.trim().is_empty())
    }

    /// Every value of a field.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.pairs.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// What ties a form to the browser that it was shown in.
pub fn csrf(session: &str) -> String {
    base64url(&vault::digest_of(format!("csrf {session}").as_bytes()))
}

/// A form of another site declares that in every current browser; older ones send their origin.
fn is_foreign(headers: &HeaderMap, own: &[&str]) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    match text(HeaderName::from_static("sec-fetch-site")) {
        Some(site) => !matches!(site, "same-origin" | "none"),
        // A proxy may serve the page under another scheme; the host is what a browser is at.
        None => {
            let host = |url: &str| {
                let (_, rest) = url.split_once("://")?;
                rest.split('/').next().map(str::to_owned)
            };
            let from = text(header::ORIGIN).map(|origin| host(origin).unwrap_or_default());
            let here = text(header::HOST).map(str::to_owned);
            from.is_some_and(|from| {
                Some(&from) != here.as_ref()
                    && own.iter().all(|own| host(own).as_ref() != Some(&from))
            })
        }
    }
}

/// The answer to a form that no page of ours has sent.
pub fn forged(t: Strings) -> Response<Body> {
    page::stopped(t, StatusCode::FORBIDDEN, t.forged_form())
}
