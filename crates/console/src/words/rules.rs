//! Rules that operations refuse by, in the languages of pages, as far as people who fill in forms meet them. An operation tells
//! its rule in English; what is not found here stays so. `{}` stands for what varies.

use std::borrow::Cow;

use super::{Language, Say};

impl Say {
    /// A rule in the language.
    pub(crate) fn rule(self, told: &str) -> Cow<'_, str> {
        let found = RULES.iter().find_map(|rule| Some((rule, matched(rule.0, told)?)));
        match (found, self.0) {
            (Some(((_, dutch, _), parts)), Language::Dutch) => filled(dutch, &parts).into(),
            (Some(((.., german), parts)), Language::German) => filled(german, &parts).into(),
            _ => told.to_owned().into(),
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
    ("must be given", "is verplicht", "muss angegeben werden"),
    ("must not be empty", "mag niet leeg zijn", "darf nicht leer sein"),
    ("is needed", "is nodig", "wird gebraucht"),
    ("is needed again", "is opnieuw nodig", "wird noch einmal gebraucht"),
    ("must be a text", "moet tekst zijn", "muss Text sein"),
    (
        "must have something to see in it",
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
    ("must be your password", "moet uw wachtwoord zijn", "muss Ihr Passwort sein"),
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
        "moet een van uw locaties zijn",
        "muss einer Ihrer Standorte sein",
    ),
    (
        "must be one of the company's forms",
        "moet een van uw formulieren zijn",
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
        let dutch = Say(Language::Dutch);
        assert_eq!(dutch.rule("must be at most 40 characters"), "mag hoogstens 40 tekens hebben");
        assert_eq!(dutch.rule("must be one of a, b"), "moet een van deze zijn: a, b");
        assert_eq!(Say(Language::German).rule("must be 1 to 9"), "muss 1 bis 9 sein");
        assert_eq!(Say(Language::English).rule("must be 1 to 9"), "must be 1 to 9");
        for unknown in ["must be what nobody knows", "must be active to be invited"] {
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
            assert_eq!(found, Some(at), "{english}");
        }
    }
}
