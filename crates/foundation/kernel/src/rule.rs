//! Rules of all areas: for texts, numbers, dates and lists. Rules of a single area are in its own `rules.rs`.

use crate::phrases;

phrases! {
    /// A rule of the API that a value broke, with its figures, whatever the area.
    pub enum Rule {
        Archived "must not be archived" "mag niet gearchiveerd zijn" "darf nicht archiviert sein"
        Before1900
            "must be from 1900-01-01 on"
            "moet van 1 januari 1900 of later zijn"
            "muss vom 1. Januar 1900 oder später sein"
        BeforeFrom
            "must not be before from"
            "mag niet voor de begindatum liggen"
            "darf nicht vor dem Anfangsdatum liegen",
            page "must not be before the first date"
        BeforeStart
            "must not be before the start"
            "mag niet voor het begin liggen"
            "darf nicht vor dem Beginn liegen"
        BeforeToday
            "must not be before today"
            "mag niet voor vandaag liggen"
            "darf nicht vor heute liegen"
        ConfirmationExpired
            "has expired: call the preview again"
            "is verlopen: vraag het voorbeeld opnieuw op"
            "ist abgelaufen: rufen Sie die Vorschau erneut ab"
        ConfirmationRequired
            "is required: call the preview with the same arguments, tell the person what will happen, and pass its confirmToken"
            "is nodig: vraag eerst het voorbeeld op met dezelfde gegevens, vertel wat er gebeurt, en geef confirmToken mee"
            "wird gebraucht: rufen Sie zuerst die Vorschau mit denselben Angaben ab, sagen Sie, was geschieht, und geben Sie confirmToken mit"
        ConfirmationUnknown
            "does not belong to this call, or was used: call the preview again"
            "hoort niet hierbij, of is al gebruikt: vraag het voorbeeld opnieuw op"
            "gehört nicht dazu oder wurde benutzt: rufen Sie die Vorschau erneut ab"
        Empty "must not be empty" "mag niet leeg zijn" "darf nicht leer sein"
        EntriesOutOfRange { min: usize, max: usize }
            "must be {min} to {max} entries"
            "moeten er {min} tot {max} zijn"
            "muss {min} bis {max} Einträge haben"
        FormTooLong
            "The text of the form is too long."
            "De tekst van het formulier is te lang."
            "Der Text des Formulars ist zu lang."
        GivenBesideCursor
            "cannot be combined with cursor"
            "moet leeg zijn naast cursor"
            "muss neben cursor leer sein"
        GivenTwice
            "must be given once"
            "mag maar één keer voorkomen"
            "darf nur einmal angegeben sein"
        InFuture
            "must not be in the future"
            "mag niet in de toekomst liggen"
            "darf nicht in der Zukunft liegen"
        Inactive "must be active" "moet actief zijn" "muss aktiv sein"
        Invisible
            "must contain a visible character"
            "moet iets zichtbaars bevatten"
            "muss etwas Sichtbares enthalten"
        InvitationClosed
            "must be an invitation that is open"
            "deze uitnodiging is niet meer geldig"
            "diese Einladung gilt nicht mehr"
        LinkClosed "must be open and not used" "is niet meer geldig" "ist nicht mehr gültig"
        Malformed
            "does not have the documented form"
            "heeft niet de juiste vorm"
            "hat nicht die richtige Form"
        NameTwice { name: String }
            "must be a well-formed JSON object without duplicate names: {name} occurs twice"
            "moet één goed gevormd JSON-object zijn, zonder dubbele namen: {name} staat er twee keer"
            "muss ein wohlgeformtes JSON-Objekt sein, ohne doppelte Namen: {name} steht zweimal"
        NoHealthConsent
            "The client has not consented to the storage of health data."
            "De klant heeft geen toestemming gegeven om gezondheidsgegevens te bewaren."
            "Der Kunde hat der Speicherung von Gesundheitsdaten nicht zugestimmt."
        NotAmount
            "must be an amount, such as 49.00"
            "moet een bedrag zijn, zoals 49,00"
            "muss ein Betrag sein, etwa 49,00"
        NotAnOption { words: String }
            "must be one of {words}"
            "kies een van de mogelijkheden"
            "wählen Sie eine der Möglichkeiten",
            page "choose one of the options"
        NotBoolean "must be true or false" "moet waar of onwaar zijn" "muss wahr oder falsch sein"
        NotClosingTime
            "must be a time HH:MM, 24:00 for the end of the day"
            "moet een tijd zijn, zoals 18:30, of 24:00"
            "muss eine Uhrzeit sein, etwa 18:30, oder 24:00"
        NotCountry
            "must be an ISO 3166-1 alpha-2 code such as NL"
            "moet een landcode van twee letters zijn, zoals NL"
            "muss ein Ländercode aus zwei Buchstaben sein, etwa DE"
        NotCurrency
            "must be an ISO 4217 code such as EUR"
            "moet een munteenheid zijn, zoals EUR"
            "muss eine Währung sein, etwa EUR"
        NotDate
            "must be a date, YYYY-MM-DD"
            "moet een datum zijn, zoals 31-01-2026"
            "muss ein Datum sein, etwa 31.01.2026",
            page "must be a date"
        NotEmail
            "must be an e-mail address"
            "moet een e-mailadres zijn"
            "muss eine E-Mail-Adresse sein"
        NotHttpsUrl
            "must be an https URL"
            "moet een https-adres zijn"
            "muss eine https-Adresse sein"
        NotId
            "must be 24 hexadecimal characters"
            "kies een van de mogelijkheden"
            "wählen Sie eine der Möglichkeiten",
            page "choose one of the options"
        NotInFuture
            "must be in the future"
            "moet in de toekomst liggen"
            "muss in der Zukunft liegen"
        NotJsonObject
            "must be a JSON object"
            "moet een JSON-object zijn"
            "muss ein JSON-Objekt sein"
        NotLanguage
            "must be an ISO 639-1 code such as en"
            "moet een taalcode zijn, zoals nl"
            "muss ein Sprachcode sein, etwa de"
        NotLanguageKeys
            "must have ISO 639-1 codes such as en, or und, as keys"
            "moet taalcodes zoals nl, of und, als sleutels hebben"
            "muss Sprachcodes wie de, oder und, als Schlüssel haben"
        NotList "must be a list" "moet een lijst zijn" "muss eine Liste sein"
        NotNumber "must be a number" "moet een getal zijn" "muss eine Zahl sein"
        NotObject "must be an object" "moet een object zijn" "muss ein Objekt sein"
        NotOneKey
            "must have exactly one key"
            "moet precies één sleutel hebben"
            "muss genau einen Schlüssel haben"
        NotOneOf { words: String }
            "must be one of {words}"
            "moet een van deze zijn: {words}"
            "muss eines von diesen sein: {words}"
        NotPhoneNumber
            "must be a phone number such as +31 20 123 4567 or (555) 123-4567"
            "moet een telefoonnummer zijn, zoals +31 20 123 4567"
            "muss eine Telefonnummer sein, etwa +49 30 1234567"
        NotRate
            "must be 0 to 100 with at most two decimals"
            "moet 0 tot 100 zijn, met hoogstens twee decimalen"
            "muss 0 bis 100 sein, mit höchstens zwei Dezimalen"
        NotSlug
            "must be letters, digits, - and _"
            "moet uit letters, cijfers, - en _ bestaan"
            "muss aus Buchstaben, Ziffern, - und _ bestehen"
        NotText "must be a text" "moet tekst zijn" "muss Text sein"
        NotTimeOfDay
            "must be a time HH:MM"
            "moet een tijd zijn, zoals 18:30"
            "muss eine Uhrzeit sein, etwa 18:30"
        NotTimeZone
            "must be an IANA time zone name such as Europe/Amsterdam"
            "moet een tijdzone zijn, zoals Europe/Amsterdam"
            "muss eine Zeitzone sein, etwa Europe/Berlin"
        NotTimestamp
            "must be an RFC 3339 timestamp such as 2026-01-31T09:30:00.000Z"
            "vul een datum en een tijd in"
            "geben Sie Datum und Uhrzeit an",
            page "enter a date and a time"
        NotColor
            "must be a color such as #1a7f5a"
            "moet een kleur zijn, zoals #1a7f5a"
            "muss eine Farbe sein, etwa #1a7f5a"
        NotOrigin
            "must be an https address without a path, such as https://example.com"
            "moet een https-adres zonder pad zijn, zoals https://example.com"
            "muss eine https-Adresse ohne Pfad sein, etwa https://example.com"
        NotPageAddress
            "must have 3 to 60 lower-case letters, digits and hyphens, and begin and end without a hyphen"
            "moet 3 tot 60 kleine letters, cijfers en koppeltekens hebben, en zonder koppelteken beginnen en eindigen"
            "muss aus 3 bis 60 Kleinbuchstaben, Ziffern und Bindestrichen bestehen und ohne Bindestrich beginnen und enden"
        NotWebUrl
            "must be an http or https URL"
            "moet een webadres zijn"
            "muss eine Web-Adresse sein"
        NotWellFormed
            "must be a well-formed JSON object"
            "moet één goed gevormd JSON-object zijn"
            "muss ein wohlgeformtes JSON-Objekt sein"
        NotWholeNumber
            "must be a whole number, such as 1"
            "moet een heel getal zijn, zoals 1"
            "muss eine ganze Zahl sein, etwa 1"
        NotWholeNumberIn { min: i64, max: i64 }
            "must be a whole number from {min} to {max}"
            "moet een heel getal van {min} tot {max} zijn"
            "muss eine ganze Zahl von {min} bis {max} sein"
        OtherCompanysLocation
            "must be a location of the company"
            "moet een van je locaties zijn"
            "muss einer Ihrer Standorte sein"
        OtherCompanysLocations
            "must be locations of the company"
            "moeten locaties van je bedrijf zijn"
            "müssen Standorte Ihres Unternehmens sein"
        OutOfRange { min: i64, max: i64 }
            "must be {min} to {max}"
            "moet {min} tot {max} zijn"
            "muss {min} bis {max} sein"
        Passed "must not have passed" "mag niet voorbij zijn" "darf nicht vorbei sein"
        RangeTooWide { days: i64 }
            "must be at most {days} days after from"
            "mag hoogstens {days} dagen na de begindatum liggen"
            "darf höchstens {days} Tage nach dem Anfangsdatum liegen",
            page "must be at most {days} days after the first date"
        Required "is required" "is verplicht" "muss angegeben werden"
        Revoked
            "cannot be changed once it is revoked"
            "kan niet meer worden gewijzigd: het is ingetrokken"
            "kann nicht mehr geändert werden: es ist widerrufen"
        RoleNeeded { role: &'static str }
            "This needs the role {role} or higher."
            "Hiervoor is de rol {role} of hoger nodig."
            "Dafür ist die Rolle {role} oder höher nötig."
        SecondStepFirst
            "Your company asks managers for a second step when they sign in. Add yours first."
            "Je bedrijf vraagt van managers een tweede stap bij het inloggen. Voeg de jouwe eerst toe."
            "Ihr Unternehmen verlangt von Managern einen zweiten Schritt beim Anmelden. Richten Sie Ihren zuerst ein."
        ServerBusy
            "The server cannot answer now; try again."
            "De server kan nu niet antwoorden; probeer het opnieuw."
            "Der Server kann gerade nicht antworten; versuchen Sie es erneut."
        StaffOnly "can only be set by staff" "kan alleen het team instellen" "kann nur das Team setzen"
        TooLong { max: usize }
            "must be at most {max} characters"
            "mag hoogstens {max} tekens hebben"
            "darf höchstens {max} Zeichen haben"
        TooManyEntries { max: usize }
            "must be at most {max} entries"
            "mogen er hoogstens {max} zijn"
            "darf höchstens {max} Einträge haben"
        TooManyFields
            "The form has too many fields."
            "Het formulier heeft te veel velden."
            "Das Formular hat zu viele Felder."
        TooManyIds { max: usize }
            "must be at most {max} ids"
            "mag hoogstens {max} id’s noemen"
            "darf höchstens {max} IDs nennen"
        TooManyLanguages { max: usize }
            "must have at most {max} languages"
            "mag hoogstens {max} talen hebben"
            "darf höchstens {max} Sprachen haben"
        TooManyOfCompany { max: i64 }
            "must be at most {max} in a company"
            "er mogen er hoogstens {max} zijn"
            "es dürfen höchstens {max} sein"
        UnknownCursor
            "must be the nextCursor of an answer of this list"
            "moet de nextCursor van een antwoord van deze lijst zijn"
            "muss der nextCursor einer Antwort dieser Liste sein"
        UnknownEventName
            "must be an event of GET /platform/events"
            "kies een van de gebeurtenissen"
            "wählen Sie eines der Ereignisse",
            page "choose one of the events"
        UnknownField
            "is not a known field"
            "is geen bekend veld"
            "ist kein bekanntes Feld"
        UnknownFieldOf { names: String }
            "is not a known field; known are {names}"
            "is geen bekend veld; bekend zijn {names}"
            "ist kein bekanntes Feld; bekannt sind {names}"
        UnknownParameter
            "is not a known parameter"
            "is geen bekende parameter"
            "ist kein bekannter Parameter"
        UnknownParameterOf { names: String }
            "is not a known parameter; known are {names}"
            "is geen bekende parameter; bekend zijn {names}"
            "ist kein bekannter Parameter; bekannt sind {names}"
        UnknownScope
            "must be a scope of GET /platform/scopes"
            "kies een van de rechten"
            "wählen Sie eine der Berechtigungen",
            page "choose one of the scopes"
        UnreadableForm
            "The form could not be read."
            "Het formulier kon niet worden gelezen."
            "Das Formular konnte nicht gelesen werden."
        WithNul
            "must not contain NUL characters"
            "mag geen NUL-tekens bevatten"
            "darf keine NUL-Zeichen enthalten"
        WorkoutOff
            "The workout module is switched off for the company."
            "De trainingsmodule staat uit voor dit bedrijf."
            "Das Trainingsmodul ist für dieses Unternehmen ausgeschaltet."
        WrongKind
            "must be absent for this kind"
            "past niet bij deze soort"
            "passt nicht zu dieser Art"
    }
}
