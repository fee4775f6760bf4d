//! Notes that coaches and integrations keep about a client.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Payload, Read, Success, UpdatedFrom, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{
    Change, Event, Id, Key, Patch, Result, Timestamp,
    id::ClientId,
    id_type,
    text::{Text, quoted},
};
use spotter_store::{Bind, List, lists, params, parts, record, statements, stored_ids, values};

use super::{record::Client, search::ClientPath};

use crate::effects::PeopleEffect;

id_type!(
    /// A note about a client.
    NoteId,
    RequestInvalid
);
stored_ids!(NoteId);

record! {
    /// A note about a client.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Note {
        note_id: NoteId,
        client_id: ClientId,
        title: Option<String>,
        body: String,
        /// Type of the person: `api_client`, `coach`, `client` or `system`.
        author_type: String,
        author_id: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The payload of every note event, without title and body.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NoteEvent {
    client_id: ClientId,
    note_id: NoteId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for NoteEvent {
    const EVENTS: &'static [Event] =
        &[Event::ClientNoteCreated, Event::ClientNoteUpdated, Event::ClientNoteDeleted];
}

impl Note {
    fn find(cx: &mut Read, client: ClientId, id: NoteId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn event(&self, changed_fields: Vec<String>) -> NoteEvent {
        NoteEvent { client_id: self.client_id, note_id: self.note_id, changed_fields }
    }
}

listed!(Notes { notes: Note });

fn list_client_notes(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Notes> {
    Client::find(cx, at.client_id)?;
    Ok(cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?.into())
}

path!(NotePath { client_id: ClientId, note_id: NoteId });

answer!(NoteAnswer { note: Note });

fn get_client_note(cx: &mut Read, Path(at): Path<NotePath>) -> Result<NoteAnswer> {
    Ok(NoteAnswer { note: Note::find(cx, at.client_id, at.note_id)? })
}

/// The note to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewNote {
    /// Headline above the text.
    pub title: Option<Text<200>>,
    /// Text of the note; clients do not see it.
    pub body: Text<10_000>,
}

/// Writes a note about a client and announces it.
pub fn write_note(cx: &mut Write, client: ClientId, new: NewNote) -> Result<Note> {
    Client::find(cx, client)?;
    let author = &cx.caller().actor;
    let note = Note {
        note_id: NoteId(cx.new_id()),
        client_id: client,
        title: new.title.map(Into::into),
        body: new.body.into(),
        author_type: author.kind().to_owned(),
        author_id: author.id(),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("client_note", note.note_id, ["note"]);
    cx.defer(INSERT, &note.params())?;
    cx.emit(Event::ClientNoteCreated, &note.event(Vec::new()))?;
    Ok(note)
}

fn create_client_note(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewNote>,
) -> Result<NoteAnswer> {
    Ok(NoteAnswer { note: write_note(cx, at.client_id, new)? })
}

/// The fields of a note to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoteChanges {
    #[serde(default)]
    title: Patch<Text<200>>,
    #[serde(default)]
    body: Change<Text<10_000>>,
}

fn update_client_note(
    cx: &mut Write,
    Path(at): Path<NotePath>,
    Body(change): Body<NoteChanges>,
) -> Result<NoteAnswer> {
    let before = Note::find(cx, at.client_id, at.note_id)?;
    let mut note = before.clone();
    change.title.map(Into::into).apply(&mut note.title);
    change.body.apply(&mut note.body);
    let changed = note.changed(&before);
    cx.set_audit_target("client_note", note.note_id, changed.clone());
    if !changed.is_empty() {
        note.updated_at = cx.now();
        cx.defer(SAVE, &note.text())?;
        cx.emit(Event::ClientNoteUpdated, &note.event(changed))?;
    }
    Ok(NoteAnswer { note })
}

/// The note that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedNote {
    note_id: NoteId,
    client_id: ClientId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { note: DeletedNote });

fn delete_client_note(cx: &mut Write, Path(at): Path<NotePath>) -> Result<DeletedAnswer> {
    let note = Note::find(cx, at.client_id, at.note_id)?;
    cx.set_audit_target("client_note", note.note_id, ["note"]);
    cx.as_of(note.updated_at);
    cx.describe_effect(|| {
        let beginning: String = note.body.chars().take(60).collect();
        let title = note.title.as_deref().unwrap_or(&beginning);
        PeopleEffect::NoteDeleted { title: quoted(title), created_at: note.created_at.to_string() }
    });
    cx.defer(DELETE, params![note.client_id, note.note_id])?;
    cx.emit(Event::ClientNoteDeleted, &note.event(Vec::new()))?;
    let deleted = DeletedNote { note_id: note.note_id, client_id: note.client_id, deleted: true };
    Ok(DeletedAnswer { note: deleted })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<NoteEvent>().lists(lists()).operations([
        operation!(GET "/clients/{clientId}/notes", ClientNotesRead, list_client_notes)
            .summary("List a client's notes")
            .describe("Returns notes newest first."),
        operation!(GET "/clients/{clientId}/notes/{noteId}", ClientNotesRead, get_client_note)
            .summary("Get a note")
            .describe("Returns one note with its author."),
        operation!(POST "/clients/{clientId}/notes", ClientNotesWrite, create_client_note)
            .success(Success::Added)
            .summary("Create a note")
            .describe("Adds a note to a client.")
            .created()
            .emits(&[Event::ClientNoteCreated]),
        operation!(PATCH "/clients/{clientId}/notes/{noteId}", ClientNotesWrite, update_client_note)
            .summary("Update a note")
            .describe("Changes the note's title or body.")
            .emits(&[Event::ClientNoteUpdated]),
        operation!(DELETE "/clients/{clientId}/notes/{noteId}", ClientNotesWrite, delete_client_note)
            .success(Success::Deleted)
            .summary("Delete a note")
            .describe("Deletes a note permanently.")
            .emits(&[Event::ClientNoteDeleted])
            .confirmation(),
    ]).tagged("Client notes")
}

lists! {
    /// One client's notes, newest first; a client has few.
    LIST: List<Note, UpdatedFrom> =
        List::new("client_note WHERE company_id = ?1 AND client_id = ?2", "note_id DESC");
}

parts! {
    Note by client_id, note_id without author_type, author_id, created_at;
    TEXT text: title, body, updated_at;
}

statements! {
    FIND = "SELECT ", Note::COLUMNS, " FROM client_note \
        WHERE company_id = ?1 AND client_id = ?2 AND note_id = ?3";
    INSERT = "INSERT INTO client_note ", values!(Note);
    SAVE = "UPDATE client_note SET ", Note::TEXT,
        " WHERE company_id = ?1 AND client_id = ?2 AND note_id = ?3";
    DELETE = "DELETE FROM client_note WHERE company_id = ?1 AND client_id = ?2 AND note_id = ?3";
}
