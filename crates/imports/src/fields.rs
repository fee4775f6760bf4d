//! What a column may be, for each kind of import, and how one is recognised by what it is called.

use spotter_store::words;

words! {
    /// What the rows of a file are.
    pub enum ImportKind { Clients = "clients", Memberships = "memberships" }
}

/// How a cell is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As it stands.
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
    Word(&'static [(&'static str, &'static [&'static str])]),
    /// A record that is there already, by its name or address.
    Named(Named),
}

/// Records that rows name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
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
pub enum Made {
    /// The record that it amounts to.
    Record,
    /// The bill that came with it.
    Invoice,
}

/// An operation that takes back what a row has made.
#[derive(Clone, Copy, Debug)]
pub struct TakeBack {
    /// The operation.
    pub operation: &'static str,
    /// What it is given.
    pub made: Made,
    /// What that is called in its path.
    pub path: &'static str,
    /// Where its body says why.
    pub why: Option<&'static str>,
    /// Whether it is left out where nothing is left to take back (409).
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
    pub reading: Reading,
    /// Whether two rows may say the same.
    pub unique: bool,
    /// What other programs call it, folded.
    known_as: &'static [&'static str],
}

const fn field(name: &'static str, reading: Reading, known_as: &'static [&'static str]) -> Field {
    Field { name, required: false, reading, unique: false, known_as }
}

const fn unique(name: &'static str, reading: Reading, known_as: &'static [&'static str]) -> Field {
    Field { name, required: false, reading, unique: true, known_as }
}

const fn needed(name: &'static str, reading: Reading, known_as: &'static [&'static str]) -> Field {
    Field { name, required: true, reading, unique: false, known_as }
}

const GENDERS: &[(&str, &[&str])] = &[
    ("female", &["f", "v", "w", "vrouw", "weiblich", "frau", "woman", "mevrouw"]),
    ("male", &["m", "man", "männlich", "mann", "heer", "herr"]),
    ("other", &["o", "x", "d", "divers", "anders", "andere"]),
];

const MEMBER_STATUSES: &[(&str, &[&str])] = &[
    ("lead", &["prospect", "interessent", "proef", "trial"]),
    ("active", &["actief", "aktiv", "lid", "member", "mitglied", "yes", "ja", "1"]),
    ("paused", &["gepauzeerd", "pauze", "pausiert", "on hold", "frozen"]),
    (
        "former",
        &[
            "inactive",
            "inactief",
            "inaktiv",
            "ex",
            "ended",
            "cancelled",
            "oud lid",
            "ehemalig",
            "no",
            "nee",
            "nein",
            "0",
        ],
    ),
];

const LANGUAGES: &[(&str, &[&str])] = &[
    ("en", &["english", "engels", "englisch"]),
    ("nl", &["dutch", "nederlands", "niederländisch"]),
    ("de", &["german", "duits", "deutsch"]),
    ("fr", &["french", "frans", "französisch", "français"]),
];

/// What is kept as a note about a client.
pub const NOTE: &str = "note";
/// When a membership began; `startsOn` is the first day that is billed.
pub const BEGAN: &str = "startedOn";

const CLIENTS: &[Field] = &[
    needed(
        "firstName",
        Reading::Text,
        &["first", "given name", "voornaam", "roepnaam", "vorname", "forename"],
    ),
    field("lastName", Reading::Text, &["last", "surname", "family name", "achternaam", "nachname"]),
    field(
        "name",
        Reading::WholeName,
        &["full name", "naam", "client", "klant", "kunde", "member", "volledige naam"],
    ),
    unique(
        "email",
        Reading::Text,
        &[
            "e mail",
            "mail",
            "email address",
            "e mail address",
            "emailadres",
            "e mailadres",
            "e mail adresse",
        ],
    ),
    field(
        "phone",
        Reading::Text,
        &[
            "phone number",
            "telephone",
            "mobile",
            "mobile phone",
            "telefoon",
            "telefoonnummer",
            "mobiel",
            "telefon",
            "handy",
            "gsm",
        ],
    ),
    field(
        "dateOfBirth",
        Reading::Date,
        &[
            "birthday",
            "birth date",
            "birthdate",
            "dob",
            "geboortedatum",
            "geburtsdatum",
            "geburtstag",
        ],
    ),
    field("gender", Reading::Word(GENDERS), &["sex", "geslacht", "geschlecht"]),
    field(
        "memberStatus",
        Reading::Word(MEMBER_STATUSES),
        &["status", "member status", "lidstatus", "active", "actief"],
    ),
    field("language", Reading::Word(LANGUAGES), &["taal", "sprache"]),
    field(
        "address.line1",
        Reading::Text,
        &[
            "address",
            "street",
            "address 1",
            "address line 1",
            "adres",
            "straat",
            "adresse",
            "strasse",
            "straße",
        ],
    ),
    field(
        "address.postalCode",
        Reading::Text,
        &["postal code", "postcode", "zip", "zip code", "plz", "postleitzahl"],
    ),
    field(
        "address.city",
        Reading::Text,
        &["city", "town", "plaats", "woonplaats", "stad", "stadt", "ort"],
    ),
    field("address.country", Reading::Text, &["country", "country code", "land"]),
    field(
        "tags",
        Reading::Tags,
        &["tag", "labels", "label", "groups", "groepen", "schlagworte", "schlagwörter"],
    ),
    field("source", Reading::Text, &["how found", "herkomst", "bron", "quelle", "referral"]),
    field("assignedCoachId", Reading::Named(Named::Coach), &["coach", "trainer", "assigned coach"]),
    field(
        "homeLocationId",
        Reading::Named(Named::Location),
        &["location", "club", "home location", "locatie", "vestiging", "standort", "studio"],
    ),
    field(
        NOTE,
        Reading::Text,
        &[
            "notes",
            "comment",
            "comments",
            "remark",
            "remarks",
            "memo",
            "opmerking",
            "opmerkingen",
            "notitie",
            "notities",
            "notiz",
            "notizen",
            "bemerkung",
            "bemerkungen",
            "anmerkung",
        ],
    ),
    unique(
        "externalId",
        Reading::Text,
        &[
            "id",
            "member id",
            "client id",
            "external id",
            "customer id",
            "member number",
            "lidnummer",
            "klantnummer",
            "kundennummer",
            "mitgliedsnummer",
        ],
    ),
];

const MEMBERSHIPS: &[Field] = &[
    needed(
        "clientId",
        Reading::Named(Named::Client),
        &[
            "email",
            "e mail",
            "mail",
            "email address",
            "client",
            "member",
            "klant",
            "kunde",
            "emailadres",
            "e mailadres",
            "client email",
        ],
    ),
    needed(
        "productId",
        Reading::Named(Named::Membership),
        &[
            "product",
            "membership",
            "plan",
            "subscription",
            "abonnement",
            "lidmaatschap",
            "mitgliedschaft",
            "vertrag",
            "tarif",
        ],
    ),
    field(
        "startsOn",
        Reading::Date,
        &[
            "next billing",
            "next billing date",
            "next invoice",
            "next payment",
            "billed from",
            "volgende incasso",
            "volgende factuur",
            "volgende betaling",
            "nächste abrechnung",
            "nächste zahlung",
        ],
    ),
    field(
        BEGAN,
        Reading::Began,
        &[
            "start",
            "start date",
            "starts",
            "from",
            "since",
            "member since",
            "joined",
            "join date",
            "startdatum",
            "ingangsdatum",
            "lid sinds",
            "vanaf",
            "beginn",
            "mitglied seit",
            "eintritt",
            "eintrittsdatum",
        ],
    ),
    field(
        "price",
        Reading::Money,
        &["amount", "fee", "bedrag", "prijs", "preis", "betrag", "monthly fee"],
    ),
    unique(
        "externalId",
        Reading::Text,
        &[
            "id",
            "contract",
            "contract id",
            "contract number",
            "external id",
            "contractnummer",
            "vertragsnummer",
        ],
    ),
];

impl ImportKind {
    /// What its columns may be.
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
    pub const fn undo(self) -> &'static [TakeBack] {
        const CLIENTS: &[TakeBack] = &[TakeBack {
            operation: "archive_client",
            made: Made::Record,
            path: "clientId",
            why: Some("archiveReason"),
            unless_over: false,
        }];
        const MEMBERSHIPS: &[TakeBack] = &[
            TakeBack {
                operation: "revoke_client_product",
                made: Made::Record,
                path: "clientProductId",
                why: None,
                unless_over: false,
            },
            TakeBack {
                operation: "credit_invoice",
                made: Made::Invoice,
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

    /// What each column is, by what it is called; each field once, nothing where nobody can say.
    pub fn guess(self, heading: &[String]) -> Vec<Option<&'static str>> {
        let mut taken: Vec<&'static str> = Vec::new();
        let mut guessed = vec![None; heading.len()];
        // What is called exactly as a field is comes before what other programs call so.
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
    fn columns_are_known_by_what_programs_call_them() {
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
        let told: Vec<&str> =
            guess(ImportKind::Clients, &dutch).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(told, fields);
        let twice = guess(ImportKind::Clients, &["FIRST_NAME", "firstName", "Mail", "email"]);
        assert_eq!(twice, [Some("firstName"), None, None, Some("email")]);
        let sold =
            guess(ImportKind::Memberships, &["E-mail", "Abonnement", "Start date", "Bedrag"]);
        assert_eq!(sold, [Some("clientId"), Some("productId"), Some("startedOn"), Some("price")]);
    }

    #[test]
    fn every_other_name_is_folded_and_of_one_field() {
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
