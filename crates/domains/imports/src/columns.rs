//! What columns may be, each with what other programs call it in English, Dutch and German, folded.

use crate::fields::{CellFormat, Field, RecordReference};

const fn field(
    name: &'static str,
    reading: CellFormat,
    known_as: &'static [&'static str],
) -> Field {
    Field { name, required: false, reading, unique: false, known_as }
}

const fn unique(
    name: &'static str,
    reading: CellFormat,
    known_as: &'static [&'static str],
) -> Field {
    Field { name, required: false, reading, unique: true, known_as }
}

const fn required_column(
    name: &'static str,
    reading: CellFormat,
    known_as: &'static [&'static str],
) -> Field {
    Field { name, required: true, reading, unique: false, known_as }
}

const GENDERS: &[(&str, &[&str])] = &[
    ("female", &["f", "v", "w", "vrouw", "weiblich", "frau", "woman", "mevrouw"]),
    ("male", &["m", "man", "männlich", "mann", "heer", "herr"]),
    ("other", &["o", "x", "d", "divers", "anders", "andere"]),
];

const MEMBER_STATUSES: &[(&str, &[&str])] = &[
    (
        "lead",
        &[
            "prospect",
            "interessent",
            "proef",
            "trial",
            "non member",
            "non-member",
            "nonmember",
            "guest",
            "visitor",
            "drop in",
            "drop-in",
        ],
    ),
    ("active", &["actief", "aktiv", "lid", "member", "mitglied", "current", "yes", "ja", "1"]),
    (
        "paused",
        &[
            "gepauzeerd",
            "pauze",
            "pausiert",
            "on hold",
            "on-hold",
            "frozen",
            "freeze",
            "suspended",
            "suspension",
        ],
    ),
    (
        "former",
        &[
            "inactive",
            "inactief",
            "inaktiv",
            "ex",
            "ended",
            "cancelled",
            "canceled",
            "expired",
            "terminated",
            "former member",
            "past",
            "past member",
            "declined",
            "lapsed",
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

/// A column that becomes a note about the client.
pub const NOTE: &str = "note";
/// When a membership began; `startsOn` is the first day that is billed.
pub const BEGAN: &str = "startedOn";

/// What columns of a file of clients may be.
pub(crate) const CLIENTS: &[Field] = &[
    required_column(
        "firstName",
        CellFormat::Text,
        &["first", "given name", "voornaam", "roepnaam", "vorname", "forename"],
    ),
    field(
        "lastName",
        CellFormat::Text,
        &["last", "surname", "family name", "achternaam", "nachname"],
    ),
    field(
        "name",
        CellFormat::WholeName,
        &[
            "full name",
            "client name",
            "member name",
            "naam",
            "client",
            "klant",
            "kunde",
            "member",
            "volledige naam",
        ],
    ),
    unique(
        "email",
        CellFormat::Text,
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
        CellFormat::Text,
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
        CellFormat::Date,
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
    field("gender", CellFormat::Word(GENDERS), &["sex", "geslacht", "geschlecht"]),
    field(
        "memberStatus",
        CellFormat::Word(MEMBER_STATUSES),
        &["status", "member status", "lidstatus", "active", "actief"],
    ),
    field("language", CellFormat::Word(LANGUAGES), &["taal", "sprache"]),
    field(
        "address.line1",
        CellFormat::Text,
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
        CellFormat::Text,
        &["postal code", "postcode", "zip", "zip code", "plz", "postleitzahl"],
    ),
    field(
        "address.city",
        CellFormat::Text,
        &["city", "town", "plaats", "woonplaats", "stad", "stadt", "ort"],
    ),
    field("address.country", CellFormat::Text, &["country", "country code", "land"]),
    field(
        "tags",
        CellFormat::Tags,
        &["tag", "labels", "label", "groups", "groepen", "schlagworte", "schlagwörter"],
    ),
    field("source", CellFormat::Text, &["how found", "herkomst", "bron", "quelle", "referral"]),
    field(
        "assignedCoachId",
        CellFormat::Named(RecordReference::Coach),
        &["coach", "trainer", "assigned coach"],
    ),
    field(
        "homeLocationId",
        CellFormat::Named(RecordReference::Location),
        &["location", "club", "home location", "locatie", "vestiging", "standort", "studio"],
    ),
    field(
        NOTE,
        CellFormat::Text,
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
        CellFormat::Text,
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

/// What columns of a file of memberships may be.
pub(crate) const MEMBERSHIPS: &[Field] = &[
    required_column(
        "clientId",
        CellFormat::Named(RecordReference::Client),
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
    required_column(
        "productId",
        CellFormat::Named(RecordReference::Membership),
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
        CellFormat::Date,
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
        CellFormat::Began,
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
        CellFormat::Money,
        &["amount", "fee", "bedrag", "prijs", "preis", "betrag", "monthly fee"],
    ),
    unique(
        "externalId",
        CellFormat::Text,
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
