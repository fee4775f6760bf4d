//! What columns may be, each with what other programs call it in English, Dutch and German, folded.

use crate::fields::{Field, Named, Reading};

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

/// What is kept as a note about a client.
pub const NOTE: &str = "note";
/// When a membership began; `startsOn` is the first day that is billed.
pub const BEGAN: &str = "startedOn";

/// What columns of a file of clients may be.
pub(crate) const CLIENTS: &[Field] = &[
    needed(
        "firstName",
        Reading::Text,
        &["first", "given name", "voornaam", "roepnaam", "vorname", "forename"],
    ),
    field("lastName", Reading::Text, &["last", "surname", "family name", "achternaam", "nachname"]),
    field(
        "name",
        Reading::WholeName,
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

/// What columns of a file of memberships may be.
pub(crate) const MEMBERSHIPS: &[Field] = &[
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
