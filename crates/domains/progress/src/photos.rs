//! Progress photos of clients, by date. A picture is uploaded first and re-encoded on arrival; here it is stored for
//! a client, listed, and downloaded at signed addresses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::uploads::{self, StoredFile, UploadId};
use spotter_contract::{
    Area, Body, Download, DownloadSource, ListQuery, Path, Payload, Read, Success, Write, answer,
    listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Event, Id, Key, Page, Patch, Problem, Result, Rule, Timestamp, id::ClientId,
    id_type, text::Text,
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, List, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use crate::{permissions::today, rules::ProgressRule};

id_type!(
    /// A progress photo.
    ProgressPhotoId,
    RequestInvalid
);
stored_ids!(ProgressPhotoId);

/// Most photos of a client.
const PHOTOS_MAX: i64 = 1_000;

words! {
    /// The side that the photo shows.
    pub enum Pose {
        Front = "front",
        Left = "left",
        Right = "right",
        Back = "back",
        Other = "other",
    }
}

record! {
    /// A photo: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Photo {
        client_id: ClientId,
        progress_photo_id: ProgressPhotoId,
        taken_on: Date,
        pose: Pose,
        note: Option<String>,
        width: i64,
        height: i64,
        size_bytes: i64,
        upload_id: UploadId,
        thumbnail_id: UploadId,
        uploaded_by_type: String,
        uploaded_by: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// A progress photo.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProgressPhoto")]
struct PhotoView {
    progress_photo_id: ProgressPhotoId,
    client_id: ClientId,
    /// The date on which it was taken.
    taken_on: Date,
    /// The side that the photo shows.
    pose: Pose,
    note: Option<String>,
    /// Size in pixels, at most 2048.
    width: i64,
    /// Size in pixels, at most 2048.
    height: i64,
    /// Size of the picture in bytes.
    size_bytes: i64,
    /// Download address of the JPEG, valid while the caller may read the photo. Anyone who has it
    /// can download the photo.
    url: String,
    /// The same, small: at most 320 pixels on a side.
    thumbnail_url: String,
    /// Instant until which both addresses are valid.
    url_expires_at: Timestamp,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    uploaded_by_type: String,
    /// The person who uploaded it.
    uploaded_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The payload of every progress photo event, without addresses.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PhotoEvent {
    client_id: ClientId,
    progress_photo_id: ProgressPhotoId,
    /// The date on which it was taken.
    taken_on: Date,
}

impl Payload for PhotoEvent {
    const EVENTS: &'static [Event] = &[Event::ProgressPhotoCreated];
}

/// How long addresses are good, in seconds.
const SECONDS: i64 = 300;
/// The operation that hands addresses out.
const OPERATION: &str = "get_progress_photo";
const JPEG: &str = "image/jpeg";

static PICTURE: Download = Download {
    place: ("/files/progress-photos/", ".jpg"),
    operation: OPERATION,
    seconds: SECONDS,
    read: picture,
};

/// The picture of a photo that the caller may see.
pub fn picture(cx: &mut Read, id: Id) -> Result<DownloadSource> {
    Photo::find_file(cx, id, |photo| photo.upload_id)
}

static THUMBNAIL: Download = Download {
    place: ("/files/progress-photo-thumbnails/", ".jpg"),
    operation: OPERATION,
    seconds: SECONDS,
    read: |cx, id| Photo::find_file(cx, id, |photo| photo.thumbnail_id),
};

impl Photo {
    fn find(cx: &mut Read, client: ClientId, id: ProgressPhotoId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The place of a photo's file that the caller may see.
    fn find_file(cx: &mut Read, id: Id, which: fn(&Self) -> UploadId) -> Result<DownloadSource> {
        let found: Self = cx.one(BY_ID, params![id])?.ok_or(Key::NotFound)?;
        let photo = cx.own(found, |photo| photo.client_id)?;
        let photo = cx.if_consented(photo, |photo| Some(photo.client_id))?;
        let stored = StoredFile { company: cx.company(), upload: which(&photo) };
        let name = format!("{}-{}.jpg", photo.taken_on, photo.pose.word());
        Ok(DownloadSource::Kept { name, media_type: JPEG, key: stored.key() })
    }

    fn view(&self, cx: &Read) -> Result<PhotoView> {
        let (url, url_expires_at) = PICTURE.address(cx, self.progress_photo_id)?;
        let (thumbnail_url, _) = THUMBNAIL.address(cx, self.progress_photo_id)?;
        Ok(PhotoView {
            progress_photo_id: self.progress_photo_id,
            client_id: self.client_id,
            taken_on: self.taken_on,
            pose: self.pose,
            note: self.note.clone(),
            width: self.width,
            height: self.height,
            size_bytes: self.size_bytes,
            url,
            thumbnail_url,
            url_expires_at,
            uploaded_by_type: self.uploaded_by_type.clone(),
            uploaded_by: self.uploaded_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

listed!(Photos { progress_photos: PhotoView });

filters! {
    struct Filters {
        /// Photos from this side.
        pose: Pose => "pose = ?";
        /// Photos taken on or after this date.
        from: Date => "taken_on >= ?";
        /// Photos taken before this date.
        to: Date => "taken_on < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_progress_photos(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Photos> {
    Client::find(cx, at.client_id)?;
    let found: Page<Photo> = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    let items = found.items.iter().map(|photo| photo.view(cx)).collect::<Result<_>>()?;
    Ok(found.with(items).into())
}

path!(PhotoPath { client_id: ClientId, progress_photo_id: ProgressPhotoId });

answer!(PhotoAnswer { progress_photo: PhotoView });

fn get_progress_photo(cx: &mut Read, Path(at): Path<PhotoPath>) -> Result<PhotoAnswer> {
    let photo = Photo::find(cx, at.client_id, at.progress_photo_id)?;
    Ok(PhotoAnswer { progress_photo: photo.view(cx)? })
}

/// The progress photo to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPhoto {
    /// A picture that the caller has sent with `purpose=progress_photo`.
    upload_id: UploadId,
    /// Today when absent, where the client is.
    taken_on: Option<Date>,
    /// `other` when absent.
    pose: Option<Pose>,
    /// Note, as free text.
    note: Option<Text<1000>>,
}

fn checked_date(cx: &mut Read, client: ClientId, submitted: Option<Date>) -> Result<Date> {
    let today = today(cx, client)?;
    match submitted {
        Some(date) if date > today => {
            Err(Problem::invalid("takenOn", ProgressRule::InFutureOfClient))
        }
        Some(date) if date.0.year() < 1900 => Err(Problem::invalid("takenOn", Rule::Before1900)),
        submitted => Ok(submitted.unwrap_or(today)),
    }
}

fn add_progress_photo(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewPhoto>,
) -> Result<PhotoAnswer> {
    let taken_on = checked_date(cx, at.client_id, new.taken_on)?;
    let there: Option<(i64,)> = cx.one(COUNT, params![at.client_id])?;
    if there.is_some_and(|(count,)| count >= PHOTOS_MAX) {
        return Err(Problem::conflict("clientId", ProgressRule::TooManyPhotos { max: PHOTOS_MAX }));
    }
    let rule = ProgressRule::NotProgressPhoto;
    let picture = uploads::attach_picture(cx, new.upload_id, uploads::Purpose::ProgressPhoto)
        .map_err(|none| none.missing("uploadId", rule))?;
    let (uploaded_by_type, uploaded_by) = cx.maker();
    let photo = Photo {
        client_id: at.client_id,
        progress_photo_id: ProgressPhotoId(cx.new_id()),
        taken_on,
        pose: new.pose.unwrap_or(Pose::Other),
        note: new.note.map(Into::into),
        width: picture.width,
        height: picture.height,
        size_bytes: picture.size,
        upload_id: picture.upload_id,
        thumbnail_id: picture.thumbnail_id,
        uploaded_by_type,
        uploaded_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("progress_photo", photo.progress_photo_id, ["progressPhoto"]);
    cx.defer(INSERT, &photo.params())?;
    let (client_id, progress_photo_id) = (photo.client_id, photo.progress_photo_id);
    let payload = PhotoEvent { client_id, progress_photo_id, taken_on };
    cx.emit(Event::ProgressPhotoCreated, &payload)?;
    Ok(PhotoAnswer { progress_photo: photo.view(cx)? })
}

/// The fields of a progress photo to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct PhotoChanges {
    /// The date on which it was taken.
    taken_on: Change<Date>,
    /// The side that the photo shows.
    pose: Change<Pose>,
    note: Patch<Text<1000>>,
}

fn update_progress_photo(
    cx: &mut Write,
    Path(at): Path<PhotoPath>,
    Body(change): Body<PhotoChanges>,
) -> Result<PhotoAnswer> {
    let before = Photo::find(cx, at.client_id, at.progress_photo_id)?;
    let mut photo = before.clone();
    if let Some(date) = change.taken_on.value() {
        photo.taken_on = checked_date(cx, at.client_id, Some(date))?;
    }
    change.pose.apply(&mut photo.pose);
    change.note.map(Into::into).apply(&mut photo.note);
    let changed = photo.changed(&before);
    if let Some(now) = cx.audit_fields("progress_photo", photo.progress_photo_id, changed) {
        photo.updated_at = now;
        cx.defer(SAVE, &photo.params())?;
    }
    Ok(PhotoAnswer { progress_photo: photo.view(cx)? })
}

/// The photo that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedPhoto {
    progress_photo_id: ProgressPhotoId,
    client_id: ClientId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { progress_photo: DeletedPhoto });

fn delete_progress_photo(cx: &mut Write, Path(at): Path<PhotoPath>) -> Result<DeletedAnswer> {
    let photo = Photo::find(cx, at.client_id, at.progress_photo_id)?;
    cx.set_audit_target("progress_photo", photo.progress_photo_id, ["progressPhoto"]);
    cx.defer(DELETE, params![photo.client_id, photo.progress_photo_id])?;
    // Its addresses lead nowhere from now on; its bytes are swept away.
    uploads::discard(cx, photo.upload_id)?;
    uploads::discard(cx, photo.thumbnail_id)?;
    let PhotoPath { client_id, progress_photo_id } = at;
    Ok(DeletedAnswer {
        progress_photo: DeletedPhoto { progress_photo_id, client_id, deleted: true },
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .tells::<PhotoEvent>()
        .downloads(&[&PICTURE, &THUMBNAIL])
        .operations([
            operation!(GET "/clients/{clientId}/progress-photos", ProgressPhotosRead, list_progress_photos)
                .summary("List a client's progress photos")
                .describe(
                "Returns photos by date, latest first. Each has a URL that serves the picture for \
                 five minutes without a token, as long as the caller may see it.",
            )
                .for_client(&[]),
            operation!(GET "/clients/{clientId}/progress-photos/{progressPhotoId}", ProgressPhotosRead,
                get_progress_photo)
            .summary("Get a progress photo")
            .describe("Returns one photo with a URL that serves the picture for five minutes.")
            .without_etag()
            .for_client(&[]),
            operation!(app POST "/clients/{clientId}/progress-photos", Coach, add_progress_photo)
                .about_health()
            .summary("Add a progress photo")
                .describe(
                "Adds a picture that was uploaded to `POST /uploads?purpose=progress_photo`: a \
                 JPEG, PNG or WebP of at most 25 MiB and 40 megapixels. It is rotated upright, \
                 resized and re-encoded, which removes metadata about the camera, the place and \
                 the time.",
            )
                .created()
                .for_client(&[])
                .emits(&[Event::ProgressPhotoCreated])
                .fails(&[Key::ApiError, Key::NotFound]),
            operation!(app PATCH "/clients/{clientId}/progress-photos/{progressPhotoId}", Coach,
                update_progress_photo)
            .about_health()
            .summary("Update a progress photo")
            .describe("Changes a photo's date, pose or note.")
            .for_client(&[]),
            operation!(app DELETE "/clients/{clientId}/progress-photos/{progressPhotoId}", Coach,
                delete_progress_photo)
            .success(Success::Deleted)
            .about_health()
            .summary("Delete a progress photo")
            .describe(
                "Deletes a photo permanently: its URLs stop working at once and its files are \
                 deleted.",
            )
            .for_client(&[])
            .confirmation(),
        ])
}

lists! {
    /// A client's photos, the latest date first; a client has at most 1000.
    LIST: List<Photo, Filters> = List::new(
        "progress_photo WHERE company_id = ?1 AND client_id = ?2",
        "taken_on DESC, progress_photo_id DESC",
    );
}

statements! {
    FIND = "SELECT ", Photo::COLUMNS, " FROM progress_photo \
        WHERE company_id = ?1 AND client_id = ?2 AND progress_photo_id = ?3";
    BY_ID = "SELECT ", Photo::COLUMNS, " FROM progress_photo WHERE company_id = ?1 AND progress_photo_id = ?2";
    COUNT = "SELECT COUNT(*) FROM progress_photo WHERE company_id = ?1 AND client_id = ?2";
    /// How many there are of a span of dates.
    pub COUNT_BETWEEN = "SELECT COUNT(*) FROM progress_photo WHERE company_id = ?1 AND client_id = ?2 \
        AND taken_on >= ?3 AND taken_on <= ?4";
    INSERT = "INSERT INTO progress_photo ", values!(Photo);
    SAVE = "UPDATE progress_photo SET ", set!(Photo),
        " WHERE company_id = ?1 AND client_id = ?2 AND progress_photo_id = ?3";
    DELETE = "DELETE FROM progress_photo WHERE company_id = ?1 AND client_id = ?2 AND progress_photo_id = ?3";
}
