//! Folders of documents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Patch, Problem, Result, Timestamp, id_type,
    text::{Name, quoted},
};
use spotter_store::{List, filters, lists, params, record, set, statements, stored_ids, values};

use crate::{effects::DocumentEffect, rules::DocumentRule, tree::Tree};

id_type!(
    /// A folder of documents.
    FolderId,
    InvalidDocumentFolderId,
    DocumentFolderNotFound
);
stored_ids!(FolderId);

/// Most folders of a company.
const FOLDERS_MAX: usize = 1_000;

record! {
    /// A folder of documents.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[schemars(rename = "DocumentFolder")]
    #[serde(rename_all = "camelCase")]
    pub struct Folder {
        folder_id: FolderId,
        /// Name, unique in its parent folder regardless of case.
        name: String,
        /// The parent folder; null at the top level.
        parent_id: Option<FolderId>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl Folder {
    /// The folder with this id.
    pub fn find(cx: &mut Read, id: FolderId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::DocumentFolderNotFound.into())
    }

    /// Refuses a place that it cannot have, beside what there is.
    fn check_place(&self, cx: &mut Read) -> Result<()> {
        let all: Vec<Self> = cx.all(ALL, params![])?;
        if let Some(parent) = self.parent_id {
            Self::find(cx, parent)
                .map_err(|none| none.missing("parentId", DocumentRule::UnknownFolder))?;
        }
        let tree = Tree::of(all.iter().map(|folder| (folder.folder_id, folder.parent_id)));
        if tree.len() >= FOLDERS_MAX && !all.iter().any(|one| one.folder_id == self.folder_id) {
            return Err(Problem::conflict(
                "name",
                DocumentRule::TooManyFolders { max: FOLDERS_MAX },
            ));
        }
        tree.check(self.folder_id, self.parent_id)?;
        let name = folded(&self.name);
        let beside =
            |one: &&Self| one.parent_id == self.parent_id && one.folder_id != self.folder_id;
        match all.iter().filter(beside).any(|one| folded(&one.name) == name) {
            true => Err(Problem::conflict("name", DocumentRule::FolderTaken)),
            false => Ok(()),
        }
    }
}

/// A name regardless of case: upper-cased first, so that an ß is two letters as in capitals.
fn folded(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

listed!(Folders { document_folders: Folder });

filters! {
    struct Filters {
        /// Folders in this folder.
        parent_id: FolderId => "parent_id = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_document_folders(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Folders> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(FolderPath { folder_id: FolderId });

answer!(FolderAnswer { document_folder: Folder });

fn get_document_folder(cx: &mut Read, Path(at): Path<FolderPath>) -> Result<FolderAnswer> {
    Ok(FolderAnswer { document_folder: Folder::find(cx, at.folder_id)? })
}

/// The folder to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewDocumentFolder")]
struct NewFolder {
    /// Display name.
    name: Name<120>,
    /// The parent folder; the top level when absent.
    parent_id: Option<FolderId>,
}

fn create_document_folder(cx: &mut Write, Body(new): Body<NewFolder>) -> Result<FolderAnswer> {
    let folder = Folder {
        folder_id: FolderId(cx.new_id()),
        name: new.name.into(),
        parent_id: new.parent_id,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    folder.check_place(cx)?;
    cx.set_audit_target("document_folder", folder.folder_id, ["documentFolder"]);
    cx.defer(INSERT, &folder.params())?;
    Ok(FolderAnswer { document_folder: folder })
}

/// The fields of a folder to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "DocumentFolderChanges")]
struct FolderChanges {
    name: Change<Name<120>>,
    parent_id: Patch<FolderId>,
}

fn update_document_folder(
    cx: &mut Write,
    Path(at): Path<FolderPath>,
    Body(change): Body<FolderChanges>,
) -> Result<FolderAnswer> {
    let before = Folder::find(cx, at.folder_id)?;
    let mut folder = before.clone();
    change.name.apply(&mut folder.name);
    change.parent_id.apply(&mut folder.parent_id);
    let changed = folder.changed(&before);
    if !changed.is_empty() {
        folder.check_place(cx)?;
    }
    if let Some(now) = cx.audit_fields("document_folder", folder.folder_id, changed) {
        folder.updated_at = now;
        cx.defer(SAVE, &folder.params())?;
    }
    Ok(FolderAnswer { document_folder: folder })
}

/// The document folder that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeletedDocumentFolder")]
struct DeletedFolder {
    folder_id: FolderId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { document_folder: DeletedFolder });

fn delete_document_folder(cx: &mut Write, Path(at): Path<FolderPath>) -> Result<DeletedAnswer> {
    let folder = Folder::find(cx, at.folder_id)?;
    let inside: Option<(i64,)> = cx.one(INSIDE, params![at.folder_id])?;
    if inside.is_some() {
        return Err(Problem::conflict("folderId", DocumentRule::FolderNotEmpty));
    }
    cx.as_of(folder.updated_at);
    cx.describe_effect(|| DocumentEffect::FolderDeleted { name: quoted(&folder.name) });
    cx.set_audit_target("document_folder", at.folder_id, ["documentFolder"]);
    cx.defer(LEAVE, params![at.folder_id])?;
    cx.defer(DELETE, params![at.folder_id])?;
    Ok(DeletedAnswer { document_folder: DeletedFolder { folder_id: at.folder_id, deleted: true } })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    let taken = &[Key::ApiError];
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/document-folders", DocumentsRead, list_document_folders)
            .summary("List document folders")
            .describe("Returns folders newest first. A company has at most 1,000."),
        operation!(GET "/document-folders/{folderId}", DocumentsRead, get_document_folder)
            .summary("Get a document folder")
            .describe("Returns one folder with its parent."),
        operation!(POST "/document-folders", DocumentsWrite, create_document_folder)
            .success(Success::Added)
            .summary("Create a document folder")
            .describe("Creates a folder. Folders nest at most five levels deep.")
            .created()
            .fails(taken),
        operation!(PATCH "/document-folders/{folderId}", DocumentsWrite, update_document_folder)
            .summary("Update a document folder")
            .describe("Renames or moves a folder with everything in it.")
            .fails(taken),
        operation!(DELETE "/document-folders/{folderId}", DocumentsWrite, delete_document_folder)
            .success(Success::Deleted)
            .summary("Delete a document folder")
            .describe("Deletes an empty folder. Archived documents in it lose their folder.")
            .fails(taken)
            .confirmation(),
    ])
}

lists! {
    /// Every folder, newest first; a company has at most 1000.
    LIST: List<Folder, Filters> =
        List::new("document_folder WHERE company_id = ?1", "folder_id DESC");
}

statements! {
    FIND = "SELECT ", Folder::COLUMNS, " FROM document_folder WHERE company_id = ?1 AND folder_id = ?2";
    ALL = "SELECT ", Folder::COLUMNS, " FROM document_folder WHERE company_id = ?1 ORDER BY folder_id LIMIT 2000";
    /// Something that a folder holds.
    INSIDE = "SELECT CAST(1 AS BIGINT) AS inside FROM document_folder WHERE company_id = ?1 AND parent_id = ?2 \
        UNION ALL SELECT CAST(1 AS BIGINT) AS inside FROM document WHERE company_id = ?1 AND folder_id = ?2 AND status = 'active' LIMIT 1";
    LEAVE = "UPDATE document SET folder_id = NULL WHERE company_id = ?1 AND folder_id = ?2";
    INSERT = "INSERT INTO document_folder ", values!(Folder);
    SAVE = "UPDATE document_folder SET ", set!(Folder), " WHERE company_id = ?1 AND folder_id = ?2";
    DELETE = "DELETE FROM document_folder WHERE company_id = ?1 AND folder_id = ?2";
}
