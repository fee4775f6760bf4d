//! Messages on a door's display, in the company's language. Bystanders read them too, so they never say why.

use crate::decision::DenialReason;

/// What a door can say.
struct Texts {
    language: &'static str,
    welcome: &'static str,
    goodbye: &'static str,
    closed: &'static str,
    wait: &'static str,
    ask_staff: &'static str,
}

const TEXTS: [Texts; 3] = [
    Texts {
        language: "en",
        welcome: "Welcome",
        goodbye: "Goodbye",
        closed: "Closed",
        wait: "Please wait a moment",
        ask_staff: "Please ask at the desk",
    },
    Texts {
        language: "nl",
        welcome: "Welkom",
        goodbye: "Tot ziens",
        closed: "Gesloten",
        wait: "Even wachten",
        ask_staff: "Vraag het aan de balie",
    },
    Texts {
        language: "de",
        welcome: "Willkommen",
        goodbye: "Auf Wiedersehen",
        closed: "Geschlossen",
        wait: "Bitte kurz warten",
        ask_staff: "Bitte am Empfang fragen",
    },
];

fn texts(language: &str) -> &'static Texts {
    TEXTS.iter().find(|texts| texts.language == language).unwrap_or(&TEXTS[0])
}

/// The message for an admitted client.
pub fn to_admitted(language: &str, inside: bool) -> &'static str {
    let texts = texts(language);
    if inside { texts.welcome } else { texts.goodbye }
}

/// The message for a denied client.
pub fn to_refused(language: &str, why: DenialReason) -> &'static str {
    let texts = texts(language);
    match why {
        DenialReason::LocationClosed => texts.closed,
        DenialReason::KeypadLocked | DenialReason::ZoneFull => texts.wait,
        _ => texts.ask_staff,
    }
}
