//! Rules that operations refuse by, in the languages of pages, as far as people who fill in forms meet them. An operation tells
//! its rule in English; what is not found here stays so. `{}` stands for what varies.

use std::borrow::Cow;

use spotter_kernel::Problem;

use super::{Language, Strings};

impl Strings {
    /// The rule by which something was refused, in the language.
    pub fn refusal(self, problem: &Problem) -> String {
        let rule = problem.details.as_ref().and_then(|details| details["rule"].as_str());
        self.rule(rule.unwrap_or(&problem.message)).into_owned()
    }

    /// What was refused and by which rule, where no form stands that tells it.
    pub fn refused(self, problem: &Problem) -> String {
        let field = problem.details.as_ref().and_then(|details| details["field"].as_str());
        let rule = self.refusal(problem);
        field.map_or_else(|| rule.clone(), |field| format!("{}: {rule}", self.field(field)))
    }

    /// What a field is called that has no label: by its last name.
    pub fn field(self, place: &str) -> &str {
        let is_named = |part: &&str| part.parse::<usize>().is_err();
        match place {
            "-password" => self.your_password(),
            place => self.term(place.rsplit('.').find(is_named).unwrap_or_default()),
        }
    }

    /// A rule in the language.
    pub fn rule(self, answer: &str) -> Cow<'_, str> {
        let found = RULES.iter().find_map(|rule| Some((rule, matched(rule.0, answer)?)));
        match (found, self.0) {
            (Some(((_, dutch, _), parts)), Language::Dutch) => filled(dutch, &parts).into(),
            (Some(((.., german), parts)), Language::German) => filled(german, &parts).into(),
            _ => answer.to_owned().into(),
        }
    }
}

/// What stands in a text in place of each `{}` of a pattern, if it is one of those: a number or a word, or several with commas.
fn matched<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut parts = Vec::new();
    for piece in pieces {
        let at = if piece.is_empty() { rest.len() } else { rest.find(piece)? };
        parts.push(&rest[..at]);
        rest = &rest[at + piece.len()..];
    }
    let is_word = |part: &&str| part.split(", ").all(|word| !word.contains(' '));
    (rest.is_empty() && parts.iter().all(is_word)).then_some(parts)
}

fn filled(pattern: &str, parts: &[&str]) -> String {
    let mut parts = parts.iter();
    let mut pieces = pattern.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(parts.next().unwrap_or(&""));
        text.push_str(piece);
    }
    text
}

type Rule = (&'static str, &'static str, &'static str);

/// English, Dutch, German. The longer of two that fit comes first.
const RULES: &[Rule] = &[
    (
        "was changed meanwhile by somebody else: what stands here is yours, and sending it again writes it over theirs",
        "is intussen door iemand anders gewijzigd: hier staat wat je zelf typte; nog eens versturen zet dat in de plaats",
        "wurde inzwischen von jemand anderem geändert: hier steht Ihre Eingabe; erneutes Senden ersetzt die andere",
    ),
    (
        "{} classes with {} bookings are cancelled.",
        "{} lessen met {} boekingen worden geannuleerd.",
        "{} Kurse mit {} Buchungen werden abgesagt.",
    ),
    (
        "{} classes with {} bookings do not take place.",
        "{} lessen met {} boekingen gaan niet door.",
        "{} Kurse mit {} Buchungen finden nicht statt.",
    ),
    (
        "{} series of classes go on with the coach; no dates are added.",
        "{} lesreeksen lopen door bij de coach; er komen geen data bij.",
        "{} Kursreihen laufen beim Coach weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} series of classes go on there; no dates are added.",
        "{} lesreeksen lopen daar door; er komen geen data bij.",
        "{} Kursreihen laufen dort weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} series of classes of it go on; no dates are added.",
        "{} lesreeksen ervan lopen door; er komen geen data bij.",
        "{} Kursreihen davon laufen weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} bookings of every week go on with the coach; no dates are added.",
        "{} vaste boekingen lopen door bij de coach; er komen geen data bij.",
        "{} Serienbuchungen laufen beim Coach weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} bookings of every week go on there; no dates are added.",
        "{} vaste boekingen lopen daar door; er komen geen data bij.",
        "{} Serienbuchungen laufen dort weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} bookings of every week of it go on; no dates are added.",
        "{} vaste boekingen ervan lopen door; er komen geen data bij.",
        "{} Serienbuchungen davon laufen weiter; es kommen keine Termine dazu.",
    ),
    (
        "{} classes and appointments to come stay with the coach, and can be booked no more.",
        "{} komende lessen en afspraken blijven bij de coach en zijn niet meer te boeken.",
        "{} kommende Kurse und Termine bleiben beim Coach und sind nicht mehr buchbar.",
    ),
    (
        "{} classes and appointments to come stay there, and can be booked no more.",
        "{} komende lessen en afspraken blijven daar en zijn niet meer te boeken.",
        "{} kommende Kurse und Termine bleiben dort und sind nicht mehr buchbar.",
    ),
    (
        "{} classes and appointments of it are to come, and can be booked no more.",
        "{} lessen en afspraken ervan komen nog en zijn niet meer te boeken.",
        "{} Kurse und Termine davon kommen noch und sind nicht mehr buchbar.",
    ),
    (
        "{} clients stay the coach's until they are assigned to another.",
        "{} klanten blijven van de coach tot ze een andere krijgen.",
        "{} Kunden bleiben beim Coach, bis sie einen anderen bekommen.",
    ),
    (
        "{} clients have it as their home.",
        "{} klanten hebben het als hun vaste locatie.",
        "{} Kunden haben ihn als ihren Standort.",
    ),
    (
        "{} memberships of it go on, and are billed as before.",
        "{} lidmaatschappen ervan lopen door en worden gefactureerd als voorheen.",
        "{} Mitgliedschaften davon laufen weiter und werden wie bisher berechnet.",
    ),
    (
        "must be within ten years of now",
        "moet binnen tien jaar van nu liggen",
        "muss innerhalb von zehn Jahren liegen",
    ),
    (
        "was changed meanwhile: look at it as it is now, and change it again",
        "is intussen gewijzigd: bekijk het zoals het nu is, en wijzig het opnieuw",
        "wurde inzwischen geändert: sehen Sie es an, wie es jetzt ist, und ändern Sie es erneut",
    ),
    ("must be given", "is verplicht", "muss angegeben werden"),
    ("must not be empty", "mag niet leeg zijn", "darf nicht leer sein"),
    ("is needed", "is nodig", "wird gebraucht"),
    ("is needed again", "is opnieuw nodig", "wird noch einmal gebraucht"),
    ("must be a text", "moet tekst zijn", "muss Text sein"),
    (
        "must contain a visible character",
        "moet iets zichtbaars bevatten",
        "muss etwas Sichtbares enthalten",
    ),
    (
        "must be at most {} characters",
        "mag hoogstens {} tekens hebben",
        "darf höchstens {} Zeichen haben",
    ),
    ("must be {} to {} characters", "moet {} tot {} tekens hebben", "muss {} bis {} Zeichen haben"),
    ("must be at most {} entries", "mag hoogstens {} keer", "darf höchstens {} Einträge haben"),
    ("must be {} to {} entries", "moet {} tot {} keer", "muss {} bis {} Einträge haben"),
    (
        "must be a whole number from {} to {}",
        "moet een heel getal van {} tot {} zijn",
        "muss eine ganze Zahl von {} bis {} sein",
    ),
    (
        "must be a whole number, such as 1",
        "moet een heel getal zijn, zoals 1",
        "muss eine ganze Zahl sein, etwa 1",
    ),
    ("must be a whole number", "moet een heel getal zijn", "muss eine ganze Zahl sein"),
    ("must be a number", "moet een getal zijn", "muss eine Zahl sein"),
    ("must be {} or more", "moet {} of meer zijn", "muss {} oder mehr sein"),
    ("must be {} or less", "moet {} of minder zijn", "muss {} oder weniger sein"),
    (
        "must be 0 to 100 with at most two decimals",
        "moet 0 tot 100 zijn, met hoogstens twee decimalen",
        "muss 0 bis 100 sein, mit höchstens zwei Dezimalen",
    ),
    (
        "must be an amount, such as 49.00",
        "moet een bedrag zijn, zoals 49,00",
        "muss ein Betrag sein, etwa 49,00",
    ),
    ("must be a date and a time", "moet een datum en een tijd zijn", "muss Datum und Uhrzeit sein"),
    (
        "must be a date, YYYY-MM-DD",
        "moet een datum zijn, JJJJ-MM-DD",
        "muss ein Datum sein, JJJJ-MM-TT",
    ),
    (
        "must be a date, such as 2026-11-24",
        "moet een datum zijn, zoals 24-11-2026",
        "muss ein Datum sein, etwa 24.11.2026",
    ),
    ("must be a date", "moet een datum zijn", "muss ein Datum sein"),
    (
        "must be a time HH:MM",
        "moet een tijd zijn, zoals 18:30",
        "muss eine Uhrzeit sein, etwa 18:30",
    ),
    (
        "must be from 1900-01-01 on",
        "moet van 1 januari 1900 of later zijn",
        "muss vom 1. Januar 1900 oder später sein",
    ),
    ("must be in the future", "moet in de toekomst liggen", "muss in der Zukunft liegen"),
    (
        "must not be in the future",
        "mag niet in de toekomst liggen",
        "darf nicht in der Zukunft liegen",
    ),
    ("must not have passed", "mag niet voorbij zijn", "darf nicht vorbei sein"),
    ("must not be before today", "mag niet voor vandaag liggen", "darf nicht vor heute liegen"),
    (
        "must not be before the start",
        "mag niet voor het begin liggen",
        "darf nicht vor dem Beginn liegen",
    ),
    ("must be after the start", "moet na het begin liggen", "muss nach dem Beginn liegen"),
    (
        "must be at most 366 days after the start",
        "mag hoogstens 366 dagen na het begin liggen",
        "darf höchstens 366 Tage nach dem Beginn liegen",
    ),
    (
        "must be at most 31 days ago and at most 366 days ahead",
        "mag hoogstens 31 dagen geleden en 366 dagen vooruit zijn",
        "darf höchstens 31 Tage zurück und 366 Tage voraus liegen",
    ),
    ("must be an e-mail address", "moet een e-mailadres zijn", "muss eine E-Mail-Adresse sein"),
    (
        "must be a phone number such as +31 20 123 4567 or (555) 123-4567",
        "moet een telefoonnummer zijn, zoals +31 20 123 4567",
        "muss eine Telefonnummer sein, etwa +49 30 1234567",
    ),
    ("must be an http or https URL", "moet een webadres zijn", "muss eine Web-Adresse sein"),
    (
        "must be an ISO 3166-1 alpha-2 code such as NL",
        "moet een landcode van twee letters zijn, zoals NL",
        "muss ein Ländercode aus zwei Buchstaben sein, etwa DE",
    ),
    (
        "must be an IANA time zone name such as Europe/Amsterdam",
        "moet een tijdzone zijn, zoals Europe/Amsterdam",
        "muss eine Zeitzone sein, etwa Europe/Berlin",
    ),
    (
        "must be an ISO 4217 code such as EUR",
        "moet een munteenheid zijn, zoals EUR",
        "muss eine Währung sein, etwa EUR",
    ),
    (
        "must be an IBAN whose check digits are right",
        "moet een IBAN met kloppende controlecijfers zijn",
        "muss eine IBAN mit richtigen Prüfziffern sein",
    ),
    ("must be your password", "moet je wachtwoord zijn", "muss Ihr Passwort sein"),
    (
        "must be the current password",
        "moet het huidige wachtwoord zijn",
        "muss das jetzige Passwort sein",
    ),
    (
        "must be the six digits that the authenticator shows",
        "moeten de zes cijfers zijn die de authenticator toont",
        "müssen die sechs Ziffern sein, die der Authenticator zeigt",
    ),
    (
        "must be one of the event type's coaches",
        "moet een van de coaches van deze soort zijn",
        "muss einer der Coaches dieser Art sein",
    ),
    (
        "must be one of the company's locations",
        "moet een van je locaties zijn",
        "muss einer Ihrer Standorte sein",
    ),
    (
        "must be one of the company's forms",
        "moet een van je formulieren zijn",
        "muss eines Ihrer Formulare sein",
    ),
    ("must be one of {}", "moet een van deze zijn: {}", "muss eines von diesen sein: {}"),
    (
        "must not be another client's",
        "mag niet van een andere klant zijn",
        "darf nicht einem anderen Kunden gehören",
    ),
    (
        "must not be another coach's",
        "mag niet van een andere coach zijn",
        "darf nicht einem anderen Coach gehören",
    ),
    ("must not be archived", "mag niet gearchiveerd zijn", "darf nicht archiviert sein"),
    ("must be active", "moet actief zijn", "muss aktiv sein"),
    (
        "must be when the coach is free",
        "moet liggen wanneer de coach vrij is",
        "muss liegen, wenn der Coach frei ist",
    ),
    (
        "must not be within a closure",
        "mag niet tijdens een sluiting liggen",
        "darf nicht in eine Schließung fallen",
    ),
    (
        "must not be within the cancellation window: it is too late to move it",
        "kan niet meer worden verzet: de annuleringstermijn is voorbij",
        "kann nicht mehr verschoben werden: die Stornofrist ist vorbei",
    ),
    (
        "must not be cancelled already",
        "mag niet al geannuleerd zijn",
        "darf nicht schon storniert sein",
    ),
    ("must not have begun", "mag niet begonnen zijn", "darf nicht begonnen haben"),
    ("must not have ended", "mag niet voorbij zijn", "darf nicht beendet sein"),
    ("must be the sandbox", "kan alleen in de proefomgeving", "geht nur in der Testumgebung"),
    (
        "cannot be changed once it is revoked",
        "kan niet meer worden gewijzigd: het is ingetrokken",
        "kann nicht mehr geändert werden: es ist widerrufen",
    ),
    (
        "is needed: the account has a second step",
        "is nodig: het account heeft een tweede stap",
        "wird gebraucht: das Konto hat einen zweiten Schritt",
    ),
    (
        "is on: switch it off first",
        "staat aan: schakel het eerst uit",
        "ist an: schalten Sie es zuerst aus",
    ),
    (
        "must be 1 for an appointment",
        "moet 1 zijn voor een afspraak",
        "muss bei einem Termin 1 sein",
    ),
    (
        "must be 1 to 10 in steps of 0.5",
        "moet 1 tot 10 zijn, in stappen van 0,5",
        "muss 1 bis 10 sein, in Schritten von 0,5",
    ),
    ("must be 0 to 2000 kg (4409.25 lb)", "moet 0 tot 2000 kg zijn", "muss 0 bis 2000 kg sein"),
    ("must be 6 to 12 digits", "moet 6 tot 12 cijfers zijn", "muss 6 bis 12 Ziffern sein"),
    (
        "must be 4 to 64 letters and digits",
        "moet 4 tot 64 letters en cijfers zijn",
        "muss 4 bis 64 Buchstaben und Ziffern sein",
    ),
    (
        "must be None for what is no membership",
        "moet ‘geen’ zijn voor wat geen lidmaatschap is",
        "muss „keine“ sein, wenn es keine Mitgliedschaft ist",
    ),
    (
        "must be a BIC of 8 or 11 characters, such as ABNANL2A",
        "moet een BIC van 8 of 11 tekens zijn",
        "muss eine BIC aus 8 oder 11 Zeichen sein",
    ),
    (
        "must be two letters of the country and the number, such as NL123456789B01",
        "moet een btw-nummer zijn, zoals NL123456789B01",
        "muss eine USt-IdNr. sein, etwa DE123456789",
    ),
    (
        "must be a Monday: the plan's weeks come round from it",
        "moet een maandag zijn: daar beginnen de weken",
        "muss ein Montag sein: dort beginnen die Wochen",
    ),
    (
        "must be absent: a recurring sequence has no dates",
        "moet leeg zijn: dit programma heeft geen datums",
        "muss leer sein: dieses Programm hat keine Daten",
    ),
    (
        "must be absent: the plan is a sequence",
        "moet leeg zijn: dit programma heeft geen weekdagen",
        "muss leer sein: dieses Programm hat keine Wochentage",
    ),
    (
        "must be given: the plan lies on the calendar",
        "is verplicht: het programma ligt op de kalender",
        "muss angegeben werden: das Programm liegt auf dem Kalender",
    ),
    (
        "must be a tempo such as 3-1-X-0",
        "moet een tempo zijn, zoals 3-1-X-0",
        "muss ein Tempo sein, etwa 3-1-X-0",
    ),
    (
        "must be at most 52 in a plan",
        "er mogen hoogstens 52 weken zijn",
        "es dürfen höchstens 52 Wochen sein",
    ),
    ("must be published", "moet gepubliceerd zijn", "muss veröffentlicht sein"),
    (
        "must not be one of the starter library, which cannot be changed",
        "mag geen oefening uit de startbibliotheek zijn: die blijven zoals ze zijn",
        "darf keine der Grundausstattung sein: die bleiben, wie sie sind",
    ),
    ("must be a class", "moet een les zijn", "muss ein Kurs sein"),
    (
        "must be a date on which the day is due",
        "moet een dag zijn waarop dit gepland staat",
        "muss ein Tag sein, an dem dies geplant ist",
    ),
    (
        "must be in a week that is released",
        "die week is nog niet open",
        "diese Woche ist noch nicht offen",
    ),
    (
        "must be a form that is published",
        "moet een gepubliceerd formulier zijn",
        "muss ein veröffentlichtes Formular sein",
    ),
    (
        "must be a picture that can be read to its end",
        "de foto is onvolledig",
        "das Bild ist unvollständig",
    ),
    (
        "must be a picture that does not move",
        "mag geen bewegende foto zijn",
        "darf kein bewegtes Bild sein",
    ),
    (
        "must be a product that is sold",
        "moet een product zijn dat te koop is",
        "muss ein angebotenes Produkt sein",
    ),
    (
        "must be a question before this one",
        "moet een vraag vóór deze zijn",
        "muss eine Frage vor dieser sein",
    ),
    (
        "must be active to be invited",
        "moet actief zijn om te worden uitgenodigd",
        "muss aktiv sein, um eingeladen zu werden",
    ),
    (
        "must be after today, and is for credits that are given",
        "moet na vandaag liggen, en is alleen voor credits die je geeft",
        "muss nach heute liegen, und gilt nur für gegebenes Guthaben",
    ),
    (
        "must be an active client's",
        "moet van een actieve klant zijn",
        "muss einem aktiven Kunden gehören",
    ),
    (
        "must be an open request to the client",
        "moet een open verzoek aan de klant zijn",
        "muss eine offene Aufforderung an den Kunden sein",
    ),
    (
        "must be archived before they are erased",
        "moet gearchiveerd zijn voor het wissen",
        "muss vor dem Löschen archiviert sein",
    ),
    (
        "must be at least 1 for a credit pack",
        "moet minstens 1 zijn voor een creditpakket",
        "muss bei einem Guthabenpaket mindestens 1 sein",
    ),
    (
        "must be at least 1 for a pass and 0 for anything else",
        "moet minstens 1 zijn voor een pas, en anders 0",
        "muss bei einer Karte mindestens 1 sein, sonst 0",
    ),
    (
        "must be at least 1 where credits are assigned and there is no pool",
        "moet minstens 1 zijn als het credits geeft",
        "muss mindestens 1 sein, wenn es Guthaben gibt",
    ),
    (
        "must be true where there are credits",
        "moet aan staan als er credits zijn",
        "muss an sein, wenn es Guthaben gibt",
    ),
    (
        "must be that of the product's type",
        "past niet bij dit soort product",
        "passt nicht zu dieser Produktart",
    ),
    (
        "must not be None for a membership",
        "mag niet ‘geen’ zijn voor een lidmaatschap",
        "darf bei einer Mitgliedschaft nicht „keine“ sein",
    ),
    (
        "must be false for what is no membership",
        "moet uit staan voor wat geen lidmaatschap is",
        "muss aus sein, wenn es keine Mitgliedschaft ist",
    ),
    ("must not be 0", "mag niet 0 zijn", "darf nicht 0 sein"),
    (
        "must be at most 365 days ago",
        "mag hoogstens 365 dagen geleden zijn",
        "darf höchstens 365 Tage her sein",
    ),
    (
        "must be within {} days of from",
        "mag hoogstens {} dagen na het begin liggen",
        "darf höchstens {} Tage nach dem Beginn liegen",
    ),
    (
        "must be within {} weeks of from",
        "mag hoogstens {} weken na het begin liggen",
        "darf höchstens {} Wochen nach dem Beginn liegen",
    ),
    (
        "must be within {} months of from",
        "mag hoogstens {} maanden na het begin liggen",
        "darf höchstens {} Monate nach dem Beginn liegen",
    ),
    (
        "must be at most 731 days later",
        "mag hoogstens 731 dagen later zijn",
        "darf höchstens 731 Tage später sein",
    ),
    (
        "must be at most an hour away before attendance can be said",
        "kan pas een uur voor het begin",
        "geht erst eine Stunde vor Beginn",
    ),
    (
        "must be at most ten years from today",
        "mag hoogstens tien jaar na vandaag liggen",
        "darf höchstens zehn Jahre nach heute liegen",
    ),
    (
        "must be within ten years",
        "moet binnen tien jaar liggen",
        "muss innerhalb von zehn Jahren liegen",
    ),
    ("must be within a year", "moet binnen een jaar liggen", "muss innerhalb eines Jahres liegen"),
    ("must be booked", "moet geboekt zijn", "muss gebucht sein"),
    (
        "must be booked, and to come",
        "moet geboekt zijn en nog komen",
        "muss gebucht sein und noch kommen",
    ),
    ("must be offered", "moet aangeboden zijn", "muss angeboten sein"),
    ("must be waitlisted", "moet op de wachtlijst staan", "muss auf der Warteliste stehen"),
    ("must be pending", "moet nog open staan", "muss noch offen sein"),
    ("must be pending to be decided", "moet nog open staan", "muss noch offen sein"),
    ("must be open", "moet open zijn", "muss offen sein"),
    ("must be overdue", "moet te laat zijn", "muss überfällig sein"),
    ("must be open or overdue", "moet open of te laat zijn", "muss offen oder überfällig sein"),
    ("must be scheduled", "moet gepland zijn", "muss geplant sein"),
    ("must be succeeded", "moet gelukt zijn", "muss gelungen sein"),
    ("must be done", "moet klaar zijn", "muss fertig sein"),
    (
        "must be checked, and not started",
        "moet gecontroleerd zijn en nog niet gestart",
        "muss geprüft und noch nicht gestartet sein",
    ),
    ("must be submitted or reviewed", "moet ingeleverd zijn", "muss abgegeben sein"),
    ("must be assigned or in_progress", "moet nog open staan", "muss noch offen sein"),
    (
        "must be an invoice of which something is left to credit",
        "er is niets meer te crediteren",
        "es ist nichts mehr gutzuschreiben",
    ),
    (
        "must be an invoice that something is left to pay of",
        "er is niets meer te betalen",
        "es ist nichts mehr zu zahlen",
    ),
    (
        "must be an invitation that is open",
        "deze uitnodiging is niet meer geldig",
        "diese Einladung gilt nicht mehr",
    ),
    (
        "must be connected: the company collects money by hand",
        "verbind eerst een betaaldienst: er wordt nu met de hand geïnd",
        "verbinden Sie zuerst einen Zahlungsdienst: es wird von Hand kassiert",
    ),
    (
        "must be given: the client has no default payment method that can be charged",
        "is verplicht: de klant heeft geen betaalmethode",
        "muss angegeben werden: der Kunde hat keine Zahlungsart",
    ),
    (
        "must be set up: this installation sends no mail",
        "deze installatie verstuurt geen mail",
        "diese Installation verschickt keine Mail",
    ),
    ("must be on a day that is not full", "die dag is vol", "dieser Tag ist voll"),
    (
        "must be one of the company's events",
        "moet een van je agenda-items zijn",
        "muss einer Ihrer Kalendereinträge sein",
    ),
    (
        "must be one of the event type's locations",
        "moet een van de locaties van deze soort zijn",
        "muss einer der Standorte dieser Art sein",
    ),
    (
        "must be one of the field's options",
        "moet een van de mogelijkheden zijn",
        "muss eine der Möglichkeiten sein",
    ),
    (
        "must be a coach of the company",
        "moet een van je coaches zijn",
        "muss einer Ihrer Coaches sein",
    ),
    (
        "must be a location of the company",
        "moet een van je locaties zijn",
        "muss einer Ihrer Standorte sein",
    ),
    (
        "must be a template of the company",
        "moet een van je programma’s zijn",
        "muss eines Ihrer Programme sein",
    ),
    (
        "must be a habit of the client",
        "moet een gewoonte van deze klant zijn",
        "muss eine Gewohnheit dieses Kunden sein",
    ),
    (
        "must be a value of the question's kind",
        "past niet bij deze vraag",
        "passt nicht zu dieser Frage",
    ),
    (
        "must be with a client who is not archived",
        "de klant is gearchiveerd",
        "der Kunde ist archiviert",
    ),
    (
        "must be the newest of the authenticator, or a recovery code, and not used before",
        "moet de nieuwste code van de authenticator zijn, of een herstelcode die nog niet is gebruikt",
        "muss der neueste Code des Authenticators sein, oder ein unbenutzter Wiederherstellungscode",
    ),
    (
        "must be, and min, as many as there are options at most",
        "mag hoogstens het aantal opties zijn",
        "darf höchstens die Zahl der Möglichkeiten sein",
    ),
    (
        "must be 1 to 100 above min, of a scale",
        "moet bij een schaal 1 tot 100 boven het minimum liggen",
        "muss bei einer Skala 1 bis 100 über dem Minimum liegen",
    ),
    (
        "must be present with min for a scale",
        "is verplicht bij een schaal",
        "muss bei einer Skala angegeben werden",
    ),
    (
        "must be at least one option",
        "moet minstens één optie zijn",
        "muss mindestens eine Möglichkeit sein",
    ),
    (
        "must be a number from {} to {}",
        "moet een getal van {} tot {} zijn",
        "muss eine Zahl von {} bis {} sein",
    ),
    ("must be {} or later", "moet {} of later zijn", "muss {} oder später sein"),
    (
        "must be at a public address, not {}",
        "moet een openbaar adres zijn, niet {}",
        "muss eine öffentliche Adresse sein, nicht {}",
    ),
    ("must be an https URL", "moet een https-adres zijn", "muss eine https-Adresse sein"),
    ("must be from 1 to 30", "moet van 1 tot 30 zijn", "muss von 1 bis 30 sein"),
    (
        "must be rows of cells, as spreadsheets save them",
        "moet een spreadsheet als CSV zijn",
        "muss eine Tabelle als CSV sein",
    ),
    (
        "must be the same as url",
        "moet gelijk zijn aan het webadres",
        "muss der Webadresse gleichen",
    ),
    ("must be at most {}", "mag hoogstens {} zijn", "darf höchstens {} sein"),
    ("must be {} to {}", "moet {} tot {} zijn", "muss {} bis {} sein"),
    (
        "must name at least one event",
        "noem minstens één gebeurtenis",
        "mindestens ein Ereignis nennen",
    ),
    (
        "must name at least one option",
        "noem minstens één optie",
        "mindestens eine Möglichkeit nennen",
    ),
    (
        "must be at least 2 options",
        "moeten minstens 2 opties zijn",
        "müssen mindestens 2 Möglichkeiten sein",
    ),
    ("must be answered", "moet beantwoord worden", "muss beantwortet werden"),
    (
        "must have a text in at least one language",
        "moet een tekst in minstens één taal hebben",
        "muss in mindestens einer Sprache einen Text haben",
    ),
    (
        "must be a membership: everything else is sold under products",
        "moet een lidmaatschap zijn",
        "muss eine Mitgliedschaft sein",
    ),
    (
        "must be the name of a membership that is sold",
        "moet de naam zijn van een lidmaatschap dat te koop is",
        "muss der Name einer angebotenen Mitgliedschaft sein",
    ),
    (
        "must be the e-mail address of a client",
        "moet het e-mailadres van een klant zijn",
        "muss die E-Mail-Adresse eines Kunden sein",
    ),
    (
        "must be a coach's name or e-mail address",
        "moet de naam of het e-mailadres van een coach zijn",
        "muss Name oder E-Mail-Adresse eines Coaches sein",
    ),
    (
        "must be a location's name",
        "moet de naam van een locatie zijn",
        "muss der Name eines Standorts sein",
    ),
    ("is what several are called", "is de naam van meer dan één", "ist der Name von mehreren"),
    ("is that of line {}, too", "staat ook op regel {}", "steht auch in Zeile {}"),
    (
        "must be a file that you have sent to /uploads, not used yet",
        "kies een bestand",
        "eine Datei auswählen",
    ),
    (
        "must be a picture, a video, a sound or a PDF",
        "moet een foto, video, geluid of pdf zijn",
        "muss ein Bild, Video, Ton oder PDF sein",
    ),
    ("must be {}, as Content-Type says", "is geen {}", "ist kein {}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told_in_the_language_with_what_varies() {
        let dutch = Strings(Language::Dutch);
        assert_eq!(dutch.rule("must be at most 40 characters"), "mag hoogstens 40 tekens hebben");
        assert_eq!(dutch.rule("must be one of a, b"), "moet een van deze zijn: a, b");
        assert_eq!(Strings(Language::German).rule("must be 1 to 9"), "muss 1 bis 9 sein");
        assert_eq!(Strings(Language::English).rule("must be 1 to 9"), "must be 1 to 9");
        for unknown in ["must be what nobody knows", "must be active to be admired"] {
            assert_eq!(dutch.rule(unknown), unknown);
        }
        assert_eq!(dutch.rule(""), "");
    }

    #[test]
    fn each_rule_is_found_before_a_shorter_one_that_fits_too() {
        for (at, (english, dutch, german)) in RULES.iter().enumerate() {
            let holes = |text: &str| text.matches("{}").count();
            assert!([dutch, german].iter().all(|text| holes(text) == holes(english)), "{english}");
            let text = filled(english, &["7", "9"]);
            let found = RULES.iter().position(|rule| matched(rule.0, &text).is_some());
            assert_eq!(found, Some(at), "{english}: {:?}", found.map(|at| RULES[at].0));
        }
    }
}
