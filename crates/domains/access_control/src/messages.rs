//! What a door shows to whoever stands before it, in the company's language. Others read it too: it never says why.

use crate::decision::Reason;

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

/// What is shown to who is let in or out.
pub fn to_admitted(language: &str, inside: bool) -> &'static str {
    let texts = texts(language);
    if inside { texts.welcome } else { texts.goodbye }
}

/// What is shown to who is not let in.
pub fn to_refused(language: &str, why: Reason) -> &'static str {
    let texts = texts(language);
    match why {
        Reason::LocationClosed => texts.closed,
        Reason::KeypadLocked | Reason::ZoneFull => texts.wait,
        _ => texts.ask_staff,
    }
}
