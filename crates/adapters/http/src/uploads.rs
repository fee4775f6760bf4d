//! Files on their way in and out. They are passed on as they come: no more of a file is held than
//! one part of it.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{self, RawPathParams},
    http::{HeaderValue, Request, Response, StatusCode, header, request},
    routing::{get, post},
};
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::uploads::{
    self, ARRIVAL_SECONDS, AttachedFile, FileName, MediaType, PictureDetails, Purpose, StoredFile,
    Upload, UploadId,
};
use spotter_contract::{
    Arguments, Caller, Path, Query, Read, Write,
    arguments::{Argument, refuse_surplus},
};
use spotter_files::{
    FileError, FileWriter, looks_like,
    picture::{self, PIXELS_MAX, Picture, PictureRefusal, SIDE_MAX},
};
use spotter_kernel::{Key, Problem, Result, panics::caught_async};
use spotter_messaging::{MessagePath, attachment};
use spotter_store::Tx;

use crate::{
    observe::RequestId,
    rules::HttpRule,
    server::State,
    visitor::{self, Visitor, arguments},
};

/// How long the sender may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a file may take to arrive: less than what has not arrived is left alone for.
const ARRIVAL: Duration = Duration::from_secs(ARRIVAL_SECONDS as u64 / 2);
/// How long the rest of a file that is refused is waited for.
const DRAIN: Duration = Duration::from_secs(10);
/// The same for a picture, which is in memory until it is re-encoded.
const PICTURE_ARRIVAL: Duration = Duration::from_secs(120);
/// Most bytes of a picture.
const PICTURE_MAX: u64 = 25 << 20;
/// How long a picture waits for its turn.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How much of a file is inspected before it is accepted.
const BEGINNING: usize = 4_096;

/// The routes of files.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    let message = "/app/v1/conversations/{conversationId}/messages/{messageId}";
    Router::new()
        .route("/app/v1/uploads", post(receive))
        .route(&format!("{message}/attachment"), get(send))
        .with_state(state.clone())
}

/// Pictures that one person may send at once.
const PICTURES_EACH: usize = 2;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UploadFilters {
    file_name: FileName,
    /// `attachment` when absent.
    purpose: Option<Purpose>,
}

#[derive(Debug, Serialize)]
struct UploadAnswer {
    upload: Upload,
}

fn refused(status: u16, reason: HttpRule) -> Problem {
    Problem::because(Key::RequestFailed, reason).with_status(status)
}

/// The problem for a failure of the file store.
pub(crate) fn file_store_problem(trouble: FileError) -> Problem {
    tracing::error!(%trouble, "storing or reading a file failed");
    match trouble {
        FileError::Full => refused(507, HttpRule::FileStoreFull),
        FileError::Missing => Key::NotFound.into(),
        FileError::Failed(_) => refused(503, HttpRule::FileStoreSilent),
    }
}

async fn receive(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visitor = match Visitor::admit(state, &request).await {
        Ok(visitor) => visitor,
        Err(answer) => return answer,
    };
    // A task of its own goes on when the sender has gone, and cleans up.
    let received = tokio::spawn(async move {
        let outcome = caught_async(take(&visitor, request)).await;
        let outcome = outcome.unwrap_or_else(|panic| Err(Problem::internal(panic)));
        visitor.respond(outcome.map(|upload| UploadAnswer { upload }), 201, true)
    });
    received.await.unwrap_or_else(|_| {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// The sender of a file.
#[derive(Clone, Copy)]
struct Sender<'s> {
    state: &'s Arc<State>,
    caller: &'s Caller,
    request_id: &'s RequestId,
}

impl Sender<'_> {
    async fn write<T: Send + 'static>(
        &self,
        operation: &'static str,
        step: impl FnMut(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let caller = self.caller.clone();
        visitor::write(self.state, caller, operation, &[], self.request_id, step).await
    }
}

/// What a file is called, what it is, and what it is for.
struct About {
    file_name: FileName,
    media_type: MediaType,
    purpose: Purpose,
}

async fn take(visitor: &Visitor, request: Request<Body>) -> Result<Upload> {
    let (parts, body) = request.into_parts();
    let mut arriving = LimitedBody::new(body, &visitor.state);
    let outcome = match about(&parts, &mut arriving) {
        Ok(about) => {
            let Visitor { state, caller, request_id, .. } = visitor;
            take_in(Sender { state, caller, request_id }, about, &mut arriving).await
        }
        Err(problem) => Err(problem),
    };
    if outcome.is_err() {
        // Senders listen once they have sent: who is cut short never reads why.
        arriving.drain().await;
    }
    outcome
}

fn about(parts: &request::Parts, arriving: &mut LimitedBody) -> Result<About> {
    let Query(UploadFilters { file_name, purpose }) =
        Query::take(&arguments(None, parts.uri.query()))?;
    let purpose = purpose.unwrap_or(Purpose::Attachment);
    if purpose.is_picture() {
        arriving.at_most(PICTURE_MAX);
    }
    let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let media_type = media_type(text(header::CONTENT_TYPE).unwrap_or_default(), purpose)?;
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    match length.is_some_and(|length: u64| length > arriving.most) {
        true => Err(too_large(arriving.most)),
        false => Ok(About { file_name, media_type, purpose }),
    }
}

/// A file that came with a form.
#[derive(Clone, Debug)]
pub struct UploadedFile {
    /// Display name.
    pub name: String,
    /// The media type according to its sender.
    pub media_type: String,
    /// All of it.
    pub bytes: Bytes,
}

/// Keeps a file that came with a form, as `POST /app/v1/uploads` does; its id.
pub async fn keep_file(
    state: &Arc<State>,
    caller: &Caller,
    request_id: &RequestId,
    file: UploadedFile,
    purpose: Purpose,
) -> Result<UploadId> {
    let UploadedFile { name, media_type: submitted, bytes } = file;
    let media_type = media_type(&submitted, purpose)?;
    // Slashes are folders of the sender's computer.
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned();
    let file_name = serde_json::from_value(name.into())
        .map_err(|_| Problem::because(Key::RequestInvalid, HttpRule::BadFileName))?;
    let mut arriving = LimitedBody::new(Body::from(bytes), state);
    if purpose.is_picture() {
        arriving.at_most(PICTURE_MAX);
    }
    let about = About { file_name, media_type, purpose };
    take_in(Sender { state, caller, request_id }, about, &mut arriving)
        .await
        .map(|upload| upload.id())
}

async fn take_in(sender: Sender<'_>, about: About, arriving: &mut LimitedBody) -> Result<Upload> {
    let About { file_name, media_type, purpose } = about;
    let Ok(_permit) = sender.state.uploading.try_acquire() else {
        return Err(Problem::overloaded());
    };
    let mut beginning = Vec::new();
    while beginning.len() < BEGINNING
        && let Some(bytes) = arriving.next().await?
    {
        beginning.extend_from_slice(&bytes);
    }
    if !looks_like(media_type.word(), &beginning) {
        return Err(Problem::invalid(
            "body",
            HttpRule::OtherContentType { found: media_type.word().to_string() },
        ));
    }
    if purpose.is_picture() {
        return draw(sender, file_name, purpose, beginning, arriving).await;
    }
    let id = start_upload(sender, &file_name, media_type, purpose).await?;
    let stored = StoredFile { company: sender.caller.company, upload: id };
    let writing = sender.state.files.create(&stored.key());
    let kept = match finish_upload(writing, beginning, arriving).await {
        Ok(size) => {
            let complete =
                move |cx: &mut Write<'_, '_>| uploads::complete(cx, id, size as i64, None);
            sender.write("complete_upload", complete).await
        }
        Err(problem) => Err(problem),
    };
    if kept.is_err() {
        forget(sender, id).await;
    }
    kept
}

async fn start_upload(
    sender: Sender<'_>,
    file_name: &FileName,
    media_type: MediaType,
    purpose: Purpose,
) -> Result<UploadId> {
    let name = file_name.clone();
    let begin =
        move |cx: &mut Write<'_, '_>| uploads::create(cx, name.clone(), media_type, purpose);
    sender.write("begin_upload", begin).await
}

/// Reads a picture whole and stores its re-encoded form: nothing of the original is stored.
async fn draw(
    sender: Sender<'_>,
    file_name: FileName,
    purpose: Purpose,
    beginning: Vec<u8>,
    arriving: &mut LimitedBody,
) -> Result<Upload> {
    // Nobody can hold all slots for pictures: one may take seconds.
    let _own = sender.state.pictures_of.own(sender.caller.rate_limit_id(), PICTURES_EACH)?;
    let Ok(_held) = sender.state.pictures.try_acquire() else {
        return Err(Problem::overloaded());
    };
    let mut all = beginning;
    let read = async {
        while let Some(bytes) = arriving.next().await? {
            all.extend_from_slice(&bytes);
        }
        Ok(())
    };
    let outcome = tokio::time::timeout(PICTURE_ARRIVAL, read).await;
    outcome.unwrap_or_else(|_| Err(refused(408, HttpRule::FileTimeout)))?;
    let Ok(Ok(_turn)) = tokio::time::timeout(TIMEOUT, sender.state.drawing.acquire()).await else {
        return Err(Problem::overloaded());
    };
    // A library that panics has met a picture that cannot be read.
    let drawn = tokio::task::spawn_blocking(move || picture::clean(&all)).await;
    let picture = drawn.unwrap_or(Err(PictureRefusal::Broken)).map_err(unreadable)?;
    let large = start_upload(sender, &file_name, MediaType::Jpeg, purpose).await?;
    let thumbnail = start_upload(sender, &file_name, MediaType::Jpeg, purpose).await?;
    let kept = keep_picture(sender, large, thumbnail, picture).await;
    if kept.is_err() {
        forget(sender, large).await;
        forget(sender, thumbnail).await;
    }
    kept
}

async fn keep_picture(
    sender: Sender<'_>,
    large: UploadId,
    thumbnail: UploadId,
    picture: Picture,
) -> Result<Upload> {
    let drawn = PictureDetails { thumbnail, width: picture.width, height: picture.height };
    let mut sizes = [0; 2];
    for (at, (id, bytes)) in
        [(large, picture.large), (thumbnail, picture.thumbnail)].into_iter().enumerate()
    {
        let stored = StoredFile { company: sender.caller.company, upload: id };
        let mut writing = sender.state.files.create(&stored.key());
        writing.put(bytes.into()).await.map_err(file_store_problem)?;
        sizes[at] = writing.finish().await.map_err(file_store_problem)? as i64;
    }
    let complete = move |cx: &mut Write<'_, '_>| {
        uploads::complete(cx, thumbnail, sizes[1], None)?;
        uploads::complete(cx, large, sizes[0], Some(drawn))
    };
    sender.write("complete_upload", complete).await
}

/// Why a picture is not taken.
fn unreadable(refusal: PictureRefusal) -> Problem {
    match refusal {
        PictureRefusal::NoPicture => refused(415, HttpRule::NotAPicture),
        PictureRefusal::Moves => Problem::invalid("body", HttpRule::MovingPicture),
        PictureRefusal::TooLarge => {
            let pixels = PIXELS_MAX / 1_000_000;
            let rule = HttpRule::PictureTooLarge { pixels, side_max: SIDE_MAX };
            Problem::invalid("body", rule)
        }
        PictureRefusal::Broken => Problem::invalid("body", HttpRule::BrokenPicture),
    }
}

/// Leaves a file that did not arrive to the sweep, at once.
async fn forget(sender: Sender<'_>, id: UploadId) {
    let discard = move |cx: &mut Write<'_, '_>| uploads::discard(cx, id);
    if let Err(problem) = sender.write("discard_upload", discard).await {
        tracing::warn!(%problem, "an upload will be forgotten when it expires");
    }
    let stored = StoredFile { company: sender.caller.company, upload: id };
    // Nothing else would find the file of a company that was erased meanwhile.
    if let Ok(false) = sender.state.db.read(move |tx| uploads::is_known(tx, stored)).await {
        sender.state.files.delete(&stored.key()).await.ok();
    }
}

async fn finish_upload(
    mut writing: FileWriter,
    beginning: Vec<u8>,
    arriving: &mut LimitedBody,
) -> Result<u64> {
    let all = async {
        writing.put(beginning.into()).await.map_err(file_store_problem)?;
        while let Some(bytes) = arriving.next().await? {
            writing.put(bytes).await.map_err(file_store_problem)?;
        }
        Ok(())
    };
    let outcome = tokio::time::timeout(ARRIVAL, all).await;
    match outcome.unwrap_or_else(|_| Err(refused(408, HttpRule::FileTimeout))) {
        Ok(()) => writing.finish().await.map_err(file_store_problem),
        Err(problem) => {
            if let Err(trouble) = writing.abort().await {
                tracing::warn!(%trouble, "removing an incomplete file failed");
            }
            Err(problem)
        }
    }
}

fn media_type(submitted: &str, purpose: Purpose) -> Result<MediaType> {
    let name = submitted.split(';').next().unwrap_or_default().trim();
    let taken: &[MediaType] = match purpose {
        Purpose::Attachment => MediaType::ALL,
        Purpose::ProgressPhoto | Purpose::SitePicture => {
            &[MediaType::Jpeg, MediaType::Png, MediaType::Webp]
        }
    };
    let media_type = MediaType::parse(&name.to_ascii_lowercase());
    media_type.filter(|kind| taken.contains(kind)).ok_or_else(|| {
        let all: Vec<_> = taken.iter().map(|kind| kind.word()).collect();
        refused(415, HttpRule::OtherMediaType { options: all.join(", ") })
    })
}

fn too_large(most: u64) -> Problem {
    refused(413, HttpRule::FileTooLarge { max: most })
}

/// A body as it comes, within its limits.
struct LimitedBody {
    body: Body,
    left: u64,
    most: u64,
}

impl LimitedBody {
    fn new(body: Body, state: &State) -> Self {
        let most = state.settings.upload_max;
        Self { body, left: most, most }
    }

    /// Limits the number of bytes that are read.
    fn at_most(&mut self, most: u64) {
        self.most = self.most.min(most);
        self.left = self.left.min(most);
    }

    /// Reads and discards the rest, within bounds.
    async fn drain(&mut self) {
        let rest = async { while matches!(self.next().await, Ok(Some(_))) {} };
        tokio::time::timeout(DRAIN, rest).await.ok();
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let frame = tokio::time::timeout(SILENCE, self.body.frame()).await;
            let frame = match frame {
                Err(_) => return Err(refused(408, HttpRule::FileTimeout)),
                Ok(None) => return Ok(None),
                // Fewer bytes than were announced, or a connection that broke.
                Ok(Some(Err(_))) => return Err(refused(400, HttpRule::FileCutOff)),
                Ok(Some(Ok(frame))) => frame,
            };
            if let Ok(bytes) = frame.into_data() {
                let left = self.left.checked_sub(bytes.len() as u64);
                self.left = left.ok_or_else(|| too_large(self.most))?;
                return Ok(Some(bytes));
            }
        }
    }
}

async fn send(
    extract::State(state): extract::State<Arc<State>>,
    params: RawPathParams,
    request: Request<Body>,
) -> Response<Body> {
    let visitor = match Visitor::admit(state, &request).await {
        Ok(visitor) => visitor,
        Err(answer) => return answer,
    };
    let requested = arguments(Some(params), request.uri().query());
    match message_file(&visitor.state, &visitor.caller, &requested).await {
        Ok(response) => response,
        Err(problem) => visitor.respond(Err::<(), _>(problem), 0, false),
    }
}

/// The file of a message, for participants of its conversation.
pub async fn message_file(
    state: &State,
    caller: &Caller,
    request: &Arguments,
) -> Result<Response<Body>> {
    let Path(at) = Path::<MessagePath>::take(request)?;
    refuse_surplus(request, false, false, false)?;
    let (own, now) = (caller.clone(), state.env.clock.now());
    let look = move |tx: &mut Tx<'_>| attachment(&mut Read::new(tx, &own, now), &at);
    let AttachedFile { upload_id, file_name, media_type, .. } = state.db.read(look).await?;
    let stored = StoredFile { company: caller.company, upload: upload_id };
    let (size, chunks) = state.files.read(&stored.key()).await.map_err(file_store_problem)?;
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, size.into());
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type.word()));
    let disposition = HeaderValue::from_str(&disposition(&file_name)).map_err(Problem::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    // It is a user's file: no page of this product, no active content, no shared cache.
    for (name, value) in [
        (header::CACHE_CONTROL, "private, max-age=86400"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// RFC 6266: the name in RFC 8187's encoding, which has no other way to be read, where it is not of plain
/// letters.
pub(crate) fn disposition(file_name: &str) -> String {
    let is_plain =
        |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_');
    if file_name.bytes().all(is_plain) {
        return format!("attachment; filename=\"{file_name}\"");
    }
    let mut out = String::from("attachment; filename*=UTF-8''");
    for byte in file_name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;
