//! Words that answers are made of, such as a booking's status, as people say them; and what is said after an act.

use super::{Language, Say};

impl Say {
    /// A word of an answer in the language; as it stands in the answer where nobody has translated it.
    pub(crate) fn term(self, word: &str) -> &str {
        let found = TERMS.binary_search_by(|(own, ..)| own.cmp(&word));
        match (found, self.0) {
            (Ok(at), Language::English) => TERMS[at].1,
            (Ok(at), Language::Dutch) => TERMS[at].2,
            (Ok(at), Language::German) => TERMS[at].3,
            (Err(_), _) => word,
        }
    }

    /// A day of the week, 1 = Monday.
    pub(crate) fn weekday(self, day: i64) -> &'static str {
        let names = match self.0 {
            Language::English => {
                ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
            }
            Language::Dutch => {
                ["Maandag", "Dinsdag", "Woensdag", "Donderdag", "Vrijdag", "Zaterdag", "Zondag"]
            }
            Language::German => {
                ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
            }
        };
        names.get(usize::try_from(day - 1).unwrap_or(7)).copied().unwrap_or_default()
    }

    /// What is said once an operation was done.
    pub(crate) fn done(self, operation: &str) -> &'static str {
        let found = DONE.iter().find(|(starts, ..)| operation.starts_with(starts));
        let (_, english, dutch, german) =
            found.copied().unwrap_or(("", "Saved.", "Opgeslagen.", "Gespeichert."));
        match self.0 {
            Language::English => english,
            Language::Dutch => dutch,
            Language::German => german,
        }
    }
}

/// What is said after an act, by the beginning of its operation's id.
const DONE: &[(&str, &str, &str, &str)] = &[
    ("create_booking", "Booked.", "Geboekt.", "Gebucht."),
    (
        "wait_for_seat",
        "On the waiting list.",
        "Op de wachtlijst gezet.",
        "Auf die Warteliste gesetzt.",
    ),
    ("cancel_", "Cancelled.", "Geannuleerd.", "Abgesagt."),
    ("archive_", "Archived.", "Gearchiveerd.", "Archiviert."),
    ("restore_", "Restored.", "Teruggezet.", "Wiederhergestellt."),
    ("delete_second_step", "It is switched off.", "Het is uitgeschakeld.", "Er ist ausgeschaltet."),
    (
        "delete_coach_second_step",
        "It is switched off.",
        "Het is uitgeschakeld.",
        "Er ist ausgeschaltet.",
    ),
    (
        "delete_client_second_step",
        "It is switched off.",
        "Het is uitgeschakeld.",
        "Er ist ausgeschaltet.",
    ),
    ("delete_", "Deleted.", "Verwijderd.", "Gelöscht."),
    ("revoke_", "Revoked.", "Ingetrokken.", "Widerrufen."),
    ("invite_", "Invited.", "Uitgenodigd.", "Eingeladen."),
    ("reinvite_", "Invited.", "Uitgenodigd.", "Eingeladen."),
    ("approve_", "Approved.", "Goedgekeurd.", "Zugesagt."),
    ("reject_", "Rejected.", "Afgewezen.", "Abgelehnt."),
    ("publish_", "Published.", "Gepubliceerd.", "Veröffentlicht."),
    ("send_", "Sent.", "Verstuurd.", "Gesendet."),
    ("remind_", "Sent.", "Verstuurd.", "Gesendet."),
    ("test_", "Sent.", "Verstuurd.", "Gesendet."),
    ("redeliver_", "It is sent again.", "Het wordt opnieuw gestuurd.", "Es wird erneut gesendet."),
    ("recover_", "It is sent again.", "Het wordt opnieuw gestuurd.", "Es wird erneut gesendet."),
    ("assign_membership", "Sold.", "Verkocht.", "Verkauft."),
    ("assign_product", "Sold.", "Verkocht.", "Verkauft."),
    ("assign_", "Assigned.", "Toegewezen.", "Zugewiesen."),
    ("complete_", "Well done!", "Goed gedaan!", "Gut gemacht!"),
    ("submit_", "Handed in.", "Ingeleverd.", "Abgegeben."),
    ("refund_", "It is refunded.", "Het wordt terugbetaald.", "Es wird erstattet."),
    ("create_", "Added.", "Toegevoegd.", "Angelegt."),
];

/// By the word, so that it is found by halving.
const TERMS: &[(&str, &str, &str, &str)] = &[
    ("Active", "Active", "Actief", "Aktiv"),
    ("Admin", "Admin", "Beheerder", "Admin"),
    ("Challenging", "Challenging", "Uitdagend", "Fordernd"),
    ("Coach", "Coach", "Coach", "Coach"),
    ("CreditPack", "Credit pack", "Creditpakket", "Guthabenpaket"),
    ("Day", "day", "dag", "Tag"),
    ("DayPass", "Day pass", "Dagpas", "Tageskarte"),
    ("Draft", "Draft", "Concept", "Entwurf"),
    ("Easy", "Easy", "Licht", "Leicht"),
    ("Energized", "Energized", "Energiek", "Voller Energie"),
    ("Exhausted", "Exhausted", "Uitgeput", "Erschöpft"),
    ("FourWeeks", "four weeks", "vier weken", "vier Wochen"),
    ("HalfYear", "half-year", "half jaar", "Halbjahr"),
    ("Hard", "Hard", "Zwaar", "Schwer"),
    ("HideProduct", "Hidden", "Verborgen", "Verborgen"),
    ("Intense", "Intense", "Intens", "Intensiv"),
    ("Manager", "Manager", "Manager", "Manager"),
    ("Membership", "Membership", "Lidmaatschap", "Mitgliedschaft"),
    ("Moderate", "Moderate", "Matig", "Mittel"),
    ("Month", "month", "maand", "Monat"),
    ("None", "none", "geen", "keine"),
    ("Other", "Other", "Overig", "Sonstiges"),
    ("Quarter", "quarter", "kwartaal", "Quartal"),
    ("Satisfied", "Satisfied", "Tevreden", "Zufrieden"),
    ("Strong", "Strong", "Sterk", "Stark"),
    ("Visible", "Visible everywhere", "Overal zichtbaar", "Überall sichtbar"),
    ("VisibleInApp", "In the app", "In de app", "In der App"),
    ("VisibleInStore", "In the shop", "In de winkel", "Im Shop"),
    ("VisibleInStoreAndApp", "In shop and app", "In winkel en app", "In Shop und App"),
    ("Week", "week", "week", "Woche"),
    ("WeekPass", "Week pass", "Weekpas", "Wochenkarte"),
    ("Year", "year", "jaar", "Jahr"),
    ("accepted", "Accepted", "Geaccepteerd", "Angenommen"),
    ("achieved", "Achieved", "Bereikt", "Erreicht"),
    ("active", "Active", "Actief", "Aktiv"),
    ("address", "Address", "Adres", "Adresse"),
    ("address.city", "City", "Plaats", "Ort"),
    ("address.country", "Country", "Land", "Land"),
    ("address.line1", "Street and number", "Straat en nummer", "Straße und Nummer"),
    ("address.postalCode", "Postal code", "Postcode", "Postleitzahl"),
    ("allow", "Let in", "Toegelaten", "Eingelassen"),
    (
        "already_booked",
        "Booked or waiting already",
        "Al geboekt of op de wachtlijst",
        "Schon gebucht oder auf der Warteliste",
    ),
    ("api_client", "Integration", "Koppeling", "Integration"),
    ("appointment", "Appointment", "Afspraak", "Termin"),
    ("approved", "Approved", "Goedgekeurd", "Zugesagt"),
    ("archiveReason", "Reason", "Reden", "Grund"),
    ("archived", "Archived", "Gearchiveerd", "Archiviert"),
    ("assigned", "Assigned", "Toegewezen", "Zugewiesen"),
    ("assignedCoachId", "Coach", "Coach", "Coach"),
    ("attended", "Attended", "Aanwezig", "Teilgenommen"),
    ("auto", "The next moves up", "De volgende schuift door", "Der Nächste rückt nach"),
    ("back", "Back", "Achter", "Hinten"),
    ("bank_transfer", "Bank transfer", "Overboeking", "Überweisung"),
    ("booked", "Booked", "Geboekt", "Gebucht"),
    ("booking", "Booking", "Boeking", "Buchung"),
    ("boolean", "Yes or no", "Ja of nee", "Ja oder nein"),
    ("both", "In and out", "In en uit", "Hinein und hinaus"),
    ("cancelled", "Cancelled", "Geannuleerd", "Abgesagt"),
    ("card", "Card", "Kaart", "Karte"),
    ("cash", "Cash", "Contant", "Bar"),
    ("checked", "Checked", "Gecontroleerd", "Geprüft"),
    ("checking", "Checking", "Controleren", "Wird geprüft"),
    ("checkup", "Check-up", "Check-up", "Check-up"),
    ("class", "Class", "Les", "Kurs"),
    ("client", "Client", "Klant", "Kunde"),
    ("clientId", "Client id", "Client-id", "Client-ID"),
    ("clientSecret", "Client secret", "Client-geheim", "Client-Geheimnis"),
    ("client_busy", "Booked elsewhere then", "Dan al elders geboekt", "Dann anderswo gebucht"),
    ("clients", "Clients", "Klanten", "Kunden"),
    ("coach", "Coach", "Coach", "Coach"),
    ("coach_assigned", "Coach assigned", "Coach toegewezen", "Coach zugeteilt"),
    ("company", "Company", "Bedrijf", "Betrieb"),
    ("completed", "Completed", "Afgerond", "Abgeschlossen"),
    ("consent", "Consent", "Toestemming", "Einwilligung"),
    ("contract", "Contract", "Contract", "Vertrag"),
    ("created", "Created", "Aangemaakt", "Angelegt"),
    ("daily_limit", "Enough for that day", "Genoeg voor die dag", "Genug für den Tag"),
    ("date", "Date", "Datum", "Datum"),
    ("dateOfBirth", "Date of birth", "Geboortedatum", "Geburtsdatum"),
    ("deactivated", "Deactivated", "Gedeactiveerd", "Deaktiviert"),
    ("declined", "Declined", "Geweigerd", "Abgelehnt"),
    ("deny", "Not let in", "Geweigerd", "Abgewiesen"),
    ("device", "Door", "Deur", "Tür"),
    ("deviceKey", "Device key", "Apparaatsleutel", "Geräteschlüssel"),
    ("disabled", "Switched off", "Uitgezet", "Ausgeschaltet"),
    ("done", "Done", "Gedaan", "Erledigt"),
    ("draft", "Draft", "Concept", "Entwurf"),
    ("duplicate", "Duplicate", "Dubbel", "Doppelt"),
    ("email", "E-mail", "E-mail", "E-Mail"),
    ("estimated_1rm", "estimated 1RM", "geschatte 1RM", "geschätztes 1RM"),
    ("excused", "Excused", "Afgemeld", "Entschuldigt"),
    ("expected", "Expected", "Verwacht", "Erwartet"),
    ("expired", "Expired", "Verlopen", "Abgelaufen"),
    ("externalId", "Number elsewhere", "Nummer elders", "Nummer anderswo"),
    ("failed", "Failed", "Mislukt", "Gescheitert"),
    ("female", "Female", "Vrouw", "Weiblich"),
    ("file", "File", "Bestand", "Datei"),
    ("firstName", "First name", "Voornaam", "Vorname"),
    ("former", "Former", "Voormalig", "Ehemalig"),
    ("fraudulent", "Fraudulent", "Fraude", "Betrug"),
    ("front", "Front", "Voor", "Vorn"),
    ("full", "Full", "Vol", "Ausgebucht"),
    ("gender", "Gender", "Geslacht", "Geschlecht"),
    ("general", "General", "Algemeen", "Allgemein"),
    ("homeLocationId", "Location", "Locatie", "Standort"),
    ("id", "Identity", "Identiteit", "Ausweis"),
    ("ideal", "iDEAL", "iDEAL", "iDEAL"),
    ("in", "In", "In", "Hinein"),
    ("in_progress", "In progress", "Bezig", "Begonnen"),
    ("intake", "Intake", "Intake", "Aufnahme"),
    ("invited", "Invited", "Uitgenodigd", "Eingeladen"),
    ("key", "Key", "Sleutel", "Schlüssel"),
    ("language", "Language", "Taal", "Sprache"),
    ("lastName", "Last name", "Achternaam", "Nachname"),
    ("lead", "Lead", "Lead", "Interessent"),
    ("left", "Left", "Links", "Links"),
    ("lost", "Lost", "Verloren", "Verloren"),
    ("male", "Male", "Man", "Männlich"),
    ("max_reps", "most reps", "meeste herhalingen", "meiste Wiederholungen"),
    ("max_volume", "most volume", "meeste volume", "meistes Volumen"),
    ("max_weight", "heaviest", "zwaarst", "am schwersten"),
    ("measurement", "Measurement", "Meting", "Messung"),
    ("medical", "Medical", "Medisch", "Medizinisch"),
    ("memberStatus", "Status", "Status", "Status"),
    ("memberships", "Memberships", "Lidmaatschappen", "Mitgliedschaften"),
    ("missed", "Missed", "Gemist", "Verpasst"),
    ("multi_choice", "Several of several", "Meerdere van meerdere", "Mehrere von mehreren"),
    ("name", "Whole name", "Hele naam", "Ganzer Name"),
    ("no_show", "No-show", "Niet gekomen", "Nicht erschienen"),
    ("none", "None", "Geen", "Keiner"),
    ("not_entitled", "Not in what was bought", "Niet in wat er gekocht is", "Nicht im Gekauften"),
    ("note", "Note", "Notitie", "Notiz"),
    ("notice", "Too late to book", "Te laat om te boeken", "Zu spät zum Buchen"),
    ("number", "Number", "Getal", "Zahl"),
    ("off", "Off", "Uit", "Aus"),
    (
        "offer",
        "A seat is offered to the next",
        "Een plek wordt de volgende aangeboden",
        "Ein Platz wird dem Nächsten angeboten",
    ),
    ("offered", "Offered", "Aangeboden", "Angeboten"),
    ("online", "Online", "Online", "Online"),
    ("open", "Open", "Open", "Offen"),
    ("other", "Other", "Anders", "Anderes"),
    ("out", "Out", "Uit", "Hinaus"),
    ("overdue", "Overdue", "Te laat", "Überfällig"),
    ("paid", "Paid", "Betaald", "Bezahlt"),
    ("past_due", "Past due", "Achterstallig", "Im Rückstand"),
    ("paused", "Paused", "Gepauzeerd", "Pausiert"),
    ("pending", "Pending", "In afwachting", "Ausstehend"),
    ("phone", "Phone", "Telefoon", "Telefon"),
    ("physical", "Physical", "Fysiek", "Vor Ort"),
    ("plan", "Plan", "Plan", "Plan"),
    ("planned", "Planned", "Gepland", "Geplant"),
    ("portalAccessStatus", "Access", "Toegang", "Zugang"),
    ("portal_opened", "Access was opened", "Toegang geopend", "Zugang geöffnet"),
    ("price", "Price", "Prijs", "Preis"),
    ("processing", "Processing", "In behandeling", "In Bearbeitung"),
    ("productId", "Membership", "Lidmaatschap", "Mitgliedschaft"),
    ("published", "Published", "Gepubliceerd", "Veröffentlicht"),
    ("refused", "Refused", "Geweigerd", "Verweigert"),
    ("rejected", "Rejected", "Afgewezen", "Abgelehnt"),
    ("relationshipStatus", "Relationship", "Relatie", "Beziehung"),
    ("relationship_approved", "Approved", "Goedgekeurd", "Bestätigt"),
    ("relationship_rejected", "Rejected", "Afgewezen", "Abgelehnt"),
    ("requested", "Requested", "Aangevraagd", "Angefragt"),
    ("restored", "Restored", "Hersteld", "Wiederhergestellt"),
    ("reviewed", "Reviewed", "Bekeken", "Durchgesehen"),
    ("revoked", "Revoked", "Ingetrokken", "Widerrufen"),
    ("right", "Right", "Rechts", "Rechts"),
    ("running", "Importing", "Importeren", "Wird importiert"),
    ("scale", "Scale", "Schaal", "Skala"),
    ("scheduled", "Scheduled", "Gepland", "Geplant"),
    ("secret", "Secret", "Geheim", "Geheimnis"),
    ("select", "One of several", "Een van meerdere", "Eines von mehreren"),
    ("sending", "Sending", "Wordt verstuurd", "Wird gesendet"),
    ("sepa_debit", "Direct debit", "Incasso", "Lastschrift"),
    ("signingSecret", "Signing secret", "Ondertekeningsgeheim", "Signaturgeheimnis"),
    ("single_choice", "One of several", "Eén van meerdere", "Eines von mehreren"),
    ("skipped", "Skipped", "Overgeslagen", "Ausgelassen"),
    ("source", "How found", "Herkomst", "Herkunft"),
    ("startedOn", "Began on", "Begonnen op", "Begann am"),
    ("startsOn", "Billed from", "Gefactureerd vanaf", "Berechnet ab"),
    ("statement", "Text to read", "Tekst om te lezen", "Text zum Lesen"),
    ("submitted", "Submitted", "Ingeleverd", "Abgegeben"),
    ("succeeded", "Succeeded", "Gelukt", "Gelungen"),
    ("system", "The system", "Het systeem", "Das System"),
    ("tags", "Tags", "Tags", "Tags"),
    ("text", "Text", "Tekst", "Text"),
    ("timeZone", "Time zone", "Tijdzone", "Zeitzone"),
    ("today", "Today", "Vandaag", "Heute"),
    ("token", "Link", "Link", "Link"),
    ("uncollectible", "Written off", "Afgeschreven", "Abgeschrieben"),
    ("under_review", "Under review", "In onderzoek", "In Prüfung"),
    ("undoing", "Undoing", "Ongedaan maken", "Wird zurückgenommen"),
    ("undone", "Undone", "Ongedaan gemaakt", "Zurückgenommen"),
    ("upcoming", "Upcoming", "Komend", "Kommend"),
    ("waitlisted", "On the waiting list", "Op de wachtlijst", "Auf der Warteliste"),
    ("waiver", "Waiver", "Vrijwaring", "Haftungsausschluss"),
    ("window", "Too early to book", "Te vroeg om te boeken", "Zu früh zum Buchen"),
    ("won", "Won", "Gewonnen", "Gewonnen"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_in_their_order() {
        assert!(TERMS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(Say(Language::Dutch).term("no_show"), "Niet gekomen");
        assert_eq!(Say(Language::German).weekday(7), "Sonntag");
        assert_eq!(Say(Language::German).weekday(0), "");
    }
}
