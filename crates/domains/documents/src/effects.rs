//! The effects of operations on documents, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of documents.
    pub enum DocumentEffect {
        DocumentArchived { name: String }
            "The document {name} is archived; it can be restored."
            "Het document {name} wordt gearchiveerd; het kan worden teruggezet."
            "Das Dokument {name} wird archiviert; es lässt sich wiederherstellen."
        FolderDeleted { name: String }
            "The folder {name} is deleted."
            "De map {name} wordt verwijderd."
            "Der Ordner {name} wird gelöscht."
    }
}
