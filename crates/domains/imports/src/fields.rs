//! What a column may be, for each kind of import, and how one is recognised by what it is called.

use spotter_store::words;

pub use crate::columns::{BEGAN, NOTE};
use crate::columns::{CLIENTS, MEMBERSHIPS};

words! {
    /// What the rows of a file are.
    pub enum ImportKind { Clients = "clients", Memberships = "memberships" }
}

/// Words, each with whatever else people write for it.
pub type Words = &'static [(&'static str, &'static [&'static str])];

/// How a cell is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellFormat {
    /// Unchanged text.
    Text,
    /// A whole name, of which the last name is what follows the first word.
    WholeName,
    /// A date, in the order of the import.
    Date,
    /// The date on which a membership began, however long ago: it is sold from where its next period begins.
    Began,
    /// An amount of money, in minor units.
    Money,
    /// Texts with commas between.
    Tags,
    /// One of some words, each under whatever else people write for it.
    Word(Words),
    /// An existing record, by its name or address.
    Named(RecordReference),
}

/// Records that rows name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordReference {
    /// Of the company's coaches, by address or whole name.
    Coach,
    /// Of its locations, by name.
    Location,
    /// Of its memberships, by name in any language.
    Membership,
    /// Of its clients, by address.
    Client,
}

/// What a row has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreatedRecord {
    /// The record that it amounts to.
    Record,
    /// The bill that came with it.
    Invoice,
}

/// An operation that removes what a row has created.
#[derive(Clone, Copy, Debug)]
pub struct UndoOperation {
    /// The operation.
    pub operation: &'static str,
    /// What it is given.
    pub made: CreatedRecord,
    /// What that is called in its path.
    pub path: &'static str,
    /// The field of its body for a reason.
    pub why: Option<&'static str>,
    /// Whether it is skipped where nothing is left to remove (409).
    pub unless_over: bool,
}

/// What a column may be.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its place in the body of the operation.
    pub name: &'static str,
    /// Whether each row needs it.
    pub required: bool,
    /// How a cell is read.
    pub reading: CellFormat,
    /// Whether two rows may say the same.
    pub unique: bool,
    /// What other programs call it, folded.
    pub(crate) known_as: &'static [&'static str],
}

impl Field {
    /// Whether its column's values can be mapped: fields with a limited set of values.
    pub(crate) fn has_meanings(&self) -> bool {
        let few = [RecordReference::Coach, RecordReference::Location, RecordReference::Membership]
            .map(CellFormat::Named);
        matches!(self.reading, CellFormat::Word(_)) || few.contains(&self.reading)
    }

    /// Whether it is left out together with another: itself, and the other parts of a group.
    pub fn goes_with(&self, other: &str) -> bool {
        let whole = |name: &'_ str| name.split(['.', '[']).next().unwrap_or_default().to_owned();
        whole(self.name) == whole(other)
    }
}

impl ImportKind {
    /// Whether a row is imported without an invalid field: clients are, sales are not.
    pub fn can_do_without(self, field: &str) -> bool {
        let mut own = self.fields().iter().filter(|own| own.goes_with(field)).peekable();
        self == Self::Clients && own.peek().is_some() && own.all(|own| !own.required)
    }

    /// Fields to which columns can be mapped.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Clients => CLIENTS,
            Self::Memberships => MEMBERSHIPS,
        }
    }

    /// What a column may be, by its name.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// The operation that a row is given to, and the place of the record's id in its answer.
    pub const fn operation(self) -> (&'static str, &'static str) {
        match self {
            Self::Clients => ("create_client", "/client/clientId"),
            Self::Memberships => ("assign_membership", "/clientProduct/clientProductId"),
        }
    }

    /// What takes a row back, one after the other.
    pub const fn undo(self) -> &'static [UndoOperation] {
        const CLIENTS: &[UndoOperation] = &[UndoOperation {
            operation: "archive_client",
            made: CreatedRecord::Record,
            path: "clientId",
            why: Some("archiveReason"),
            unless_over: false,
        }];
        const MEMBERSHIPS: &[UndoOperation] = &[
            UndoOperation {
                operation: "revoke_client_product",
                made: CreatedRecord::Record,
                path: "clientProductId",
                why: None,
                unless_over: false,
            },
            UndoOperation {
                operation: "credit_invoice",
                made: CreatedRecord::Invoice,
                path: "invoiceId",
                why: Some("reason"),
                unless_over: true,
            },
        ];
        match self {
            Self::Clients => CLIENTS,
            Self::Memberships => MEMBERSHIPS,
        }
    }

    /// The field of each column, guessed from its heading; each field once, `None` where there is no guess.
    pub fn guess(self, heading: &[String]) -> Vec<Option<&'static str>> {
        let mut taken: Vec<&'static str> = Vec::new();
        let mut guessed = vec![None; heading.len()];
        // Exact names of fields take precedence over names that other programs use.
        for exact in [true, false] {
            for (own, guess) in heading.iter().zip(&mut guessed) {
                let called = folded(own);
                let fits = |field: &&Field| match exact {
                    true => folded(field.name) == called,
                    false => field.known_as.contains(&called.as_str()),
                };
                let free = |field: &&Field| !taken.contains(&field.name);
                if guess.is_none()
                    && let Some(field) = self.fields().iter().filter(free).find(fits)
                {
                    *guess = Some(field.name);
                    taken.push(field.name);
                }
            }
        }
        guessed
    }
}

/// A name in lower case, its words apart: `firstName`, `First name`, `FIRST_NAME` are the same.
pub fn folded(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in name.chars() {
        match c {
            c if c.is_alphanumeric() => {
                if c.is_uppercase() && before.is_lowercase() {
                    words.push(' ');
                }
                words.extend(c.to_lowercase());
            }
            _ if !words.ends_with(' ') => words.push(' '),
            _ => {}
        }
        before = c;
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(kind: ImportKind, heading: &[&str]) -> Vec<Option<&'static str>> {
        kind.guess(&heading.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn columns_are_recognized_by_other_programs_names() {
        let dutch = [
            "Voornaam",
            "Achternaam",
            "E-mailadres",
            "Geboortedatum",
            "Kleur",
            "Opmerking",
            "Coach",
        ];
        let fields =
            ["firstName", "lastName", "email", "dateOfBirth", "", "note", "assignedCoachId"];
        let output: Vec<&str> =
            guess(ImportKind::Clients, &dutch).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(output, fields);
        let twice = guess(ImportKind::Clients, &["FIRST_NAME", "firstName", "Mail", "email"]);
        assert_eq!(twice, [Some("firstName"), None, None, Some("email")]);
        let sold =
            guess(ImportKind::Memberships, &["E-mail", "Abonnement", "Start date", "Bedrag"]);
        assert_eq!(sold, [Some("clientId"), Some("productId"), Some("startedOn"), Some("price")]);
    }

    #[test]
    fn every_alias_is_folded_and_unique() {
        for kind in [ImportKind::Clients, ImportKind::Memberships] {
            let names: Vec<&str> =
                kind.fields().iter().flat_map(|field| field.known_as).copied().collect();
            for (at, name) in names.iter().enumerate() {
                assert_eq!(folded(name), *name);
                assert!(!names[..at].contains(name), "{name} is of two fields");
            }
        }
    }
}
