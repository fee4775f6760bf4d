//! Every letter in German.

use super::{Language, Texts, bookings::BookingTexts};

pub(super) const GERMAN: Language = Language {
    code: "de",
    greeting: "Hallo {name},",
    link_by_hand: "Falls der Knopf nicht geht, öffnen Sie diese Adresse:",
    sender: "Diese Nachricht wurde im Auftrag von {company} gesendet.",
    choices: "Auswählen, wozu Sie von uns hören",
    coach_invitation: Texts {
        subject: "{company} lädt Sie ein",
        paragraphs: &[
            "{company} hat für Sie ein Konto als Coach angelegt. Legen Sie ein Passwort fest, um zu \
             beginnen.",
            "Die Einladung gilt 14 Tage. Falls Sie sie nicht erwartet haben, brauchen Sie nichts zu tun.",
        ],
        link: "Passwort festlegen",
    },
    client_invitation: Texts {
        subject: "{company} lädt Sie in sein Portal ein",
        paragraphs: &[
            "{company} hat für Sie ein Konto angelegt, in dem Sie Ihren Plan, Ihre Nachrichten und Ihren \
             Coach finden. Legen Sie ein Passwort fest, um zu beginnen.",
            "Die Einladung gilt 14 Tage. Falls Sie sie nicht erwartet haben, brauchen Sie nichts zu tun.",
        ],
        link: "Passwort festlegen",
    },
    sign_up_code: Texts {
        subject: "{code} ist Ihr Code für {company}",
        paragraphs: &[
            "Geben Sie diesen Code bei {company} ein, um Ihre Adresse zu bestätigen, oder nutzen Sie den Knopf: {code}",
            "Er gilt eine Stunde. Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren: ohne \
             den Code geschieht nichts.",
        ],
        link: "Meine Adresse bestätigen",
    },
    sign_up_received: Texts {
        subject: "{client} schreibt über Ihre öffentliche Seite",
        paragraphs: &[
            "{client} hat sich auf Ihrer öffentlichen Seite angemeldet oder geschrieben.",
            "{message}",
        ],
        link: "Kunden öffnen",
    },
    password_reset: Texts {
        subject: "Ein neues Passwort für {company}",
        paragraphs: &[
            "Jemand, vermutlich Sie selbst, hat für Ihr Konto bei {company} ein neues Passwort angefordert.",
            "Der Link gilt eine Stunde und für ein Passwort. Falls Sie es nicht waren, brauchen Sie nichts \
             zu tun: Ihr Passwort bleibt, wie es ist.",
        ],
        link: "Neues Passwort festlegen",
    },
    address_confirmation: Texts {
        subject: "Bestätigen Sie Ihre E-Mail-Adresse für {company}",
        paragraphs: &[
            "{company} hat diese Adresse für Sie notiert. Um sich künftig damit anzumelden, bestätigen Sie sie mit Ihrem \
             Passwort.",
            "Bis dahin melden Sie sich mit der bisherigen Adresse an. Wenn Sie das nicht erwartet haben, ignorieren Sie \
             diese Nachricht: es ändert sich nichts.",
        ],
        link: "Adresse bestätigen",
    },
    address_changed: Texts {
        subject: "Ihre E-Mail-Adresse bei {company}",
        paragraphs: &[
            "{company} hat eine andere E-Mail-Adresse für Sie notiert: {address}. Sie melden sich wie bisher mit dieser an, \
             bis die neue mit Ihrem Passwort bestätigt ist.",
            "Wenn Sie das nicht gewünscht haben, sagen Sie es {company}. Ihr Konto bleibt Ihres, solange niemand sonst Ihr \
             Passwort kennt.",
        ],
        link: "",
    },
    failing_webhook: Texts {
        subject: "Webhook \u{201e}{webhook}\u{201c} schlägt fehl",
        paragraphs: &[
            "Was {company} an den Webhook \u{201e}{webhook}\u{201c} sendet, kommt nicht an. Die letzte \
             Zustellung ist nach ihrem letzten Versuch gescheitert: {error}.",
            "Wer ihn betreut, findet jede Zustellung und jeden Versuch in der API und kann gescheiterte \
             Zustellungen erneut senden. Solange es so bleibt, erfahren Sie es einmal am Tag.",
        ],
        link: "",
    },
    invoice: Texts {
        subject: "Rechnung {number} von {company}",
        paragraphs: &[
            "Hier ist Ihre Rechnung {number} von {company}. {amount} sind bis zum {due} zu zahlen.",
            "Bitte geben Sie bei der Zahlung die Rechnungsnummer an. Falls Sie schon gezahlt haben, brauchen Sie \
             nichts zu tun.",
        ],
        link: "Rechnung bezahlen",
    },
    invoice_paid: Texts {
        subject: "Rechnung {number} von {company}, bezahlt",
        paragraphs: &[
            "Hier ist Ihre Rechnung {number} von {company}. Sie ist bezahlt: Sie brauchen nichts mehr zu tun.",
        ],
        link: "",
    },
    invoice_to_collect: Texts {
        subject: "Rechnung {number} von {company}",
        paragraphs: &[
            "Hier ist Ihre Rechnung {number} von {company}. Am {due} ziehen wir {amount} von der Zahlungsart ein, die \
             Sie bei uns hinterlegt haben.",
            "Sie brauchen nichts zu tun. Falls es nicht gelingt, schreiben wir Ihnen.",
        ],
        link: "",
    },
    invoice_reminder: Texts {
        subject: "Erinnerung: Rechnung {number} von {company}",
        paragraphs: &[
            "Von Rechnung {number} sind noch {amount} offen. Sie waren am {due} fällig.",
            "Bitte zahlen Sie in den nächsten Tagen, mit Angabe der Rechnungsnummer. Falls Sie gerade gezahlt \
             haben, brauchen Sie nichts zu tun; falls etwas nicht stimmt, schreiben Sie uns.",
        ],
        link: "Rechnung bezahlen",
    },
    payment_failed: Texts {
        subject: "{company} konnte Rechnung {number} nicht einziehen",
        paragraphs: &[
            "Wir haben versucht, {amount} für Rechnung {number} mit der Zahlungsart einzuziehen, die Sie bei uns \
             hinterlegt haben; das ist nicht gelungen.",
            "Bitte zahlen Sie mit dem Knopf unten, oder hinterlegen Sie eine andere Zahlungsart. Falls das Konto \
             nicht gedeckt war, versuchen wir es in den nächsten Tagen noch einmal.",
        ],
        link: "Rechnung bezahlen",
    },
    payment_received: Texts {
        subject: "{company} hat Ihre Zahlung erhalten",
        paragraphs: &["Wir haben {amount} für {number} erhalten. Vielen Dank!"],
        link: "",
    },
    payment_method_expires: Texts {
        subject: "Ihre Karte bei {company} läuft ab",
        paragraphs: &[
            "Die Karte mit der Endung {method}, von der wir Ihre Rechnungen einziehen, gilt bis zum {until}.",
            "Bitte hinterlegen Sie vorher eine andere, damit nichts unbezahlt bleibt.",
        ],
        link: "Andere Karte hinterlegen",
    },
    membership_paused: Texts {
        subject: "Ihre Mitgliedschaft bei {company} ruht",
        paragraphs: &[
            "Ihre Mitgliedschaft {membership} ruht ab dem {from} und geht am {until} weiter.",
            "Falls Sie das nicht wünschen, schreiben Sie uns.",
        ],
        link: "",
    },
    membership_ends: Texts {
        subject: "Ihre Mitgliedschaft bei {company} endet",
        paragraphs: &[
            "Ihre Mitgliedschaft {membership} endet. Ihr letzter Tag ist der {until}.",
            "Falls Sie das nicht wünschen, schreiben Sie uns vor diesem Tag.",
        ],
        link: "",
    },
    membership_never_begins: Texts {
        subject: "Ihre Mitgliedschaft bei {company} beginnt nicht",
        paragraphs: &[
            "Ihre Mitgliedschaft {membership} endet vor ihrem ersten Tag: Sie beginnt nicht, und die Rechnung wird \
             gutgeschrieben.",
            "Falls Sie das nicht wünschen, schreiben Sie uns.",
        ],
        link: "",
    },
    document_expires: Texts {
        subject: "Ein Dokument läuft ab: {document}",
        paragraphs: &[
            "Das Dokument \u{201e}{document}\u{201c} von {client} läuft ab. Der letzte Tag ist der {until}.",
            "Soll es weiter gelten, bitten Sie um ein neues, und ändern oder archivieren Sie dieses.",
        ],
        link: "",
    },
    device_silent: Texts {
        subject: "{device} bei {location} schweigt",
        paragraphs: &[
            "Von dem Zutrittsgerät {device} bei {location} wurde seit {since} nichts gehört. Vielleicht hat es keinen Strom oder kein Netz und entscheidet mit der Liste, die es hat.",
            "Sehen Sie nach, ob es eingeschaltet und im Netz ist. Soll es still sein, schalten Sie es ab.",
        ],
        link: "",
    },
    form_assigned: Texts {
        subject: "Ein Formular für Sie: {form}",
        paragraphs: &["{company} bittet Sie, ein Formular auszufüllen: {form}."],
        link: "Ausfüllen",
    },
    checkup_reviewed: Texts {
        subject: "Ihr Check-up ist ausgewertet: {form}",
        paragraphs: &[
            "Ihr Coach bei {company} hat Ihren Check-up \u{201e}{form}\u{201c} angesehen und Ihnen geantwortet.",
        ],
        link: "Antwort lesen",
    },
    unread_messages: Texts {
        subject: "Ungelesene Nachrichten bei {company}",
        paragraphs: &[
            "Nachrichten an Sie bei {company}, die Sie noch nicht gelesen haben: {count}.",
        ],
        link: "Nachrichten lesen",
    },
    membership_ends_soon: Texts {
        subject: "{membership} endet am {until}",
        paragraphs: &[
            "Ihre Mitgliedschaft {membership} bei {company} endet bald. Der letzte Tag ist der {until}.",
            "Wenn Sie danach weitermachen möchten, wenden Sie sich an {company}.",
        ],
        link: "",
    },
    credits_lapse: Texts {
        subject: "Credits bei {company} gültig bis {until}",
        paragraphs: &[
            "Ihre Credits bei {company}, die bis {until} gültig sind: {count}. Danach verfallen sie.",
        ],
        link: "Jetzt buchen",
    },
    bookings: BookingTexts {
        weekdays: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
        months: [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
        date: "{weekday}, {day}. {month}",
        moment: "{date}, {time} Uhr",
        hours: "{date}, {from} bis {until} Uhr",
        moved_from: "Vorher: {before}",
        coach: "Mit {coach}",
        held_until: "Der Platz ist bis {until} für Sie reserviert. Bestätigen Sie ihn in Ihrem Portal.",
        several: "{count} Änderungen an Ihren Buchungen bei {company}",
        several_reminders: "Ihre nächsten {count} Buchungen bei {company}",
        link: "Meine Buchungen",
        booked: "{name} ist gebucht",
        moved: "{name} ist verlegt",
        coach_changed: "{name} hat einen anderen Coach",
        location_changed: "{name} findet an einem anderen Standort statt",
        cancelled_by_client: "Sie haben {name} storniert",
        cancelled_by_company: "{name} ist abgesagt",
        waitlisted: "Sie stehen auf der Warteliste von {name}",
        waitlist_left: "Sie stehen nicht mehr auf der Warteliste von {name}",
        seat_offered: "Ein Platz ist für Sie frei: {name}",
        offer_lapsed: "Der für Sie reservierte Platz ist verfallen: {name}",
        request_rejected: "Ihre Anfrage ist abgelehnt: {name}",
        reminder: "Erinnerung: {name}",
    },
};
