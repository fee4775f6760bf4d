//! What letters say, in each language: one table, in which a missing translation does not compile.

use maud::{DOCTYPE, html};
use serde::{Deserialize, Serialize};
use spotter_store::words;

words! {
    /// What a message is about.
    pub enum LetterKind {
        CoachInvitation = "coach_invitation",
        ClientInvitation = "client_invitation",
        PasswordReset = "password_reset",
        FailingWebhook = "failing_webhook",
        Invoice = "invoice",
        InvoiceToCollect = "invoice_to_collect",
        InvoiceReminder = "invoice_reminder",
        PaymentFailed = "payment_failed",
        PaymentReceived = "payment_received",
        PaymentMethodExpires = "payment_method_expires",
        MembershipPaused = "membership_paused",
        MembershipEnds = "membership_ends",
    }
}

/// What is to be told.
#[derive(Debug, Clone, Copy)]
pub enum Letter<'l> {
    /// A coach may set a password and begin.
    CoachInvitation {
        /// The invitation.
        token: &'l str,
    },
    /// A client may set a password and begin.
    ClientInvitation {
        /// The invitation.
        token: &'l str,
    },
    /// Somebody asked for a new password.
    PasswordReset {
        /// What sets it.
        token: &'l str,
    },
    /// An invoice, or a copy of one.
    Invoice(Bill<'l>),
    /// An invoice that is collected from what the client has left for it.
    InvoiceToCollect(Bill<'l>),
    /// An invoice is past its due date.
    InvoiceReminder(Bill<'l>),
    /// An invoice could not be collected.
    PaymentFailed(Bill<'l>),
    /// Money came that was fetched or paid on a page.
    PaymentReceived {
        /// What it is for: an invoice's number, or what was asked for.
        number: &'l str,
        /// How much.
        amount: &'l str,
    },
    /// A card can soon not be charged any more.
    PaymentMethodExpires {
        /// The last characters of its number.
        method: &'l str,
        /// Its last day.
        until: &'l str,
        /// Where another is left.
        link: &'l str,
    },
    /// A membership rests for some time.
    MembershipPaused {
        /// What it is called.
        membership: &'l str,
        /// The first day.
        from: &'l str,
        /// The day on which it goes on.
        until: &'l str,
    },
    /// A membership ends.
    MembershipEnds {
        /// What it is called.
        membership: &'l str,
        /// Its last day.
        until: &'l str,
    },
    /// What is sent to a webhook's target does not arrive.
    FailingWebhook {
        /// What people call the subscription.
        webhook: &'l str,
        /// Why the latest delivery failed.
        error: &'l str,
    },
}

/// What a letter says of an invoice, as people of the reader's language write it.
#[derive(Debug, Clone, Copy)]
pub struct Bill<'l> {
    /// Its number.
    pub number: &'l str,
    /// What is left to pay.
    pub amount: &'l str,
    /// When it is due.
    pub due: &'l str,
    /// Where it is paid; nothing where there is no such page.
    pub link: &'l str,
}

/// A message as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// What the recipient is called.
    pub name: String,
    /// The subject.
    pub subject: String,
    /// For those who read plain text.
    pub text: String,
    /// For everybody else.
    pub html: String,
}

/// A letter in one language. Names in braces stand for what differs.
struct Texts {
    subject: &'static str,
    paragraphs: &'static [&'static str],
    /// What the link is called; empty where there is none.
    link: &'static str,
}

/// Every letter in one language.
struct Language {
    code: &'static str,
    greeting: &'static str,
    link_by_hand: &'static str,
    sender: &'static str,
    coach_invitation: Texts,
    client_invitation: Texts,
    password_reset: Texts,
    failing_webhook: Texts,
    invoice: Texts,
    invoice_to_collect: Texts,
    invoice_reminder: Texts,
    payment_failed: Texts,
    payment_received: Texts,
    payment_method_expires: Texts,
    membership_paused: Texts,
    membership_ends: Texts,
}

impl Language {
    /// The company's language where there are letters in it, and English otherwise.
    fn of(code: &str) -> &'static Self {
        LANGUAGES.into_iter().find(|language| language.code == code).unwrap_or(&ENGLISH)
    }

    const fn texts(&self, kind: LetterKind) -> &Texts {
        match kind {
            LetterKind::CoachInvitation => &self.coach_invitation,
            LetterKind::ClientInvitation => &self.client_invitation,
            LetterKind::PasswordReset => &self.password_reset,
            LetterKind::FailingWebhook => &self.failing_webhook,
            LetterKind::Invoice => &self.invoice,
            LetterKind::InvoiceToCollect => &self.invoice_to_collect,
            LetterKind::InvoiceReminder => &self.invoice_reminder,
            LetterKind::PaymentFailed => &self.payment_failed,
            LetterKind::PaymentReceived => &self.payment_received,
            LetterKind::PaymentMethodExpires => &self.payment_method_expires,
            LetterKind::MembershipPaused => &self.membership_paused,
            LetterKind::MembershipEnds => &self.membership_ends,
        }
    }
}

const LANGUAGES: [&Language; 3] = [&ENGLISH, &DUTCH, &GERMAN];

const ENGLISH: Language = Language {
    code: "en",
    greeting: "Hello {name},",
    link_by_hand: "If the button does not work, open this address:",
    sender: "This message was sent for {company}.",
    coach_invitation: Texts {
        subject: "{company} invites you",
        paragraphs: &[
            "{company} has made an account for you as a coach. Set a password to begin.",
            "The invitation is open for 14 days. If you did not expect it, you can ignore it.",
        ],
        link: "Set my password",
    },
    client_invitation: Texts {
        subject: "{company} invites you to its portal",
        paragraphs: &[
            "{company} has made an account for you, where you find your plan, your messages and your \
             coach. Set a password to begin.",
            "The invitation is open for 14 days. If you did not expect it, you can ignore it.",
        ],
        link: "Set my password",
    },
    password_reset: Texts {
        subject: "A new password for {company}",
        paragraphs: &[
            "Somebody, probably you, asked for a new password for your account at {company}.",
            "The link is good for one hour and for one password. If it was not you, ignore this message: \
             your password stays as it is.",
        ],
        link: "Set a new password",
    },
    failing_webhook: Texts {
        subject: "Webhook \u{201c}{webhook}\u{201d} fails",
        paragraphs: &[
            "What {company} sends to the webhook \u{201c}{webhook}\u{201d} does not arrive. The latest \
             delivery failed after its last attempt: {error}.",
            "Whoever looks after it finds every delivery and attempt in the API, and can send those that \
             failed again. While it goes on failing you hear of it once a day.",
        ],
        link: "",
    },
    invoice: Texts {
        subject: "Invoice {number} of {company}",
        paragraphs: &[
            "Here is your invoice {number} of {company}. {amount} is due on {due}.",
            "Please name the number of the invoice when you pay it. If you have paid already, there is nothing \
             left to do.",
        ],
        link: "Pay the invoice",
    },
    invoice_to_collect: Texts {
        subject: "Invoice {number} of {company}",
        paragraphs: &[
            "Here is your invoice {number} of {company}. On {due} we collect {amount} from the payment method that \
             you have left with us.",
            "There is nothing for you to do. If it does not work, we write to you.",
        ],
        link: "",
    },
    invoice_reminder: Texts {
        subject: "Reminder: invoice {number} of {company}",
        paragraphs: &[
            "{amount} of invoice {number} was due on {due}, and we have not received it yet.",
            "Please pay it in the next days, and name the number of the invoice. If you have just paid, ignore \
             this message; if something is wrong with the invoice, write to us.",
        ],
        link: "Pay the invoice",
    },
    payment_failed: Texts {
        subject: "{company} could not collect invoice {number}",
        paragraphs: &[
            "We tried to collect {amount} for invoice {number} from the payment method that you have left with \
             us, and it did not work.",
            "Please pay it with the button below, or leave another payment method. If the account was short of \
             money, we try again in the next days.",
        ],
        link: "Pay the invoice",
    },
    payment_received: Texts {
        subject: "{company} has received your payment",
        paragraphs: &["We have received {amount} for {number}. Thank you!"],
        link: "",
    },
    payment_method_expires: Texts {
        subject: "Your card at {company} expires",
        paragraphs: &[
            "The card ending in {method}, from which we collect your bills, is good until {until}.",
            "Please leave another one before that, so that nothing is left unpaid.",
        ],
        link: "Leave another card",
    },
    membership_paused: Texts {
        subject: "Your membership at {company} is paused",
        paragraphs: &[
            "Your membership {membership} rests from {from} and goes on on {until}.",
            "If that is not what you wish, write to us.",
        ],
        link: "",
    },
    membership_ends: Texts {
        subject: "Your membership at {company} ends",
        paragraphs: &[
            "Your membership {membership} ends. Its last day is {until}.",
            "If that is not what you wish, write to us before that day.",
        ],
        link: "",
    },
};

const DUTCH: Language = Language {
    code: "nl",
    greeting: "Hallo {name},",
    link_by_hand: "Werkt de knop niet, open dan dit adres:",
    sender: "Dit bericht is verstuurd namens {company}.",
    coach_invitation: Texts {
        subject: "{company} nodigt je uit",
        paragraphs: &[
            "{company} heeft een account voor je gemaakt als coach. Stel een wachtwoord in om te beginnen.",
            "De uitnodiging is 14 dagen geldig. Verwachtte je haar niet, dan hoef je niets te doen.",
        ],
        link: "Wachtwoord instellen",
    },
    client_invitation: Texts {
        subject: "{company} nodigt je uit voor het portaal",
        paragraphs: &[
            "{company} heeft een account voor je gemaakt, waar je je schema, je berichten en je coach \
             vindt. Stel een wachtwoord in om te beginnen.",
            "De uitnodiging is 14 dagen geldig. Verwachtte je haar niet, dan hoef je niets te doen.",
        ],
        link: "Wachtwoord instellen",
    },
    password_reset: Texts {
        subject: "Een nieuw wachtwoord voor {company}",
        paragraphs: &[
            "Iemand, waarschijnlijk jijzelf, heeft een nieuw wachtwoord aangevraagd voor je account bij \
             {company}.",
            "De link werkt een uur en voor één wachtwoord. Was jij het niet, dan hoef je niets te doen: je \
             wachtwoord blijft zoals het is.",
        ],
        link: "Nieuw wachtwoord instellen",
    },
    failing_webhook: Texts {
        subject: "Webhook \u{201c}{webhook}\u{201d} werkt niet",
        paragraphs: &[
            "Wat {company} naar de webhook \u{201c}{webhook}\u{201d} stuurt, komt niet aan. De laatste \
             bezorging is na haar laatste poging mislukt: {error}.",
            "Wie hem beheert, vindt elke bezorging en poging in de API en kan mislukte bezorgingen opnieuw \
             versturen. Zolang het misgaat, hoor je het eenmaal per dag.",
        ],
        link: "",
    },
    invoice: Texts {
        subject: "Factuur {number} van {company}",
        paragraphs: &[
            "Hierbij je factuur {number} van {company}. Te betalen: {amount}, uiterlijk op {due}.",
            "Vermeld het factuurnummer als je betaalt. Heb je al betaald, dan hoef je niets te doen.",
        ],
        link: "Factuur betalen",
    },
    invoice_to_collect: Texts {
        subject: "Factuur {number} van {company}",
        paragraphs: &[
            "Hierbij je factuur {number} van {company}. Op {due} innen we {amount} van de betaalmethode die je bij \
             ons hebt achtergelaten.",
            "Je hoeft niets te doen. Lukt het niet, dan hoor je van ons.",
        ],
        link: "",
    },
    invoice_reminder: Texts {
        subject: "Herinnering: factuur {number} van {company}",
        paragraphs: &[
            "Van factuur {number} staat nog {amount} open. De betaling had uiterlijk op {due} binnen moeten zijn.",
            "Wil je het in de komende dagen betalen, met het factuurnummer erbij? Heb je net betaald, dan hoef je \
             niets te doen; klopt er iets niet, laat het ons dan weten.",
        ],
        link: "Factuur betalen",
    },
    payment_failed: Texts {
        subject: "{company} kon factuur {number} niet innen",
        paragraphs: &[
            "We hebben geprobeerd {amount} voor factuur {number} te innen met de betaalmethode die je bij ons hebt \
             achtergelaten, en dat is niet gelukt.",
            "Betaal hem met de knop hieronder, of geef een andere betaalmethode op. Stond er te weinig op de \
             rekening, dan proberen we het in de komende dagen opnieuw.",
        ],
        link: "Factuur betalen",
    },
    payment_received: Texts {
        subject: "{company} heeft je betaling ontvangen",
        paragraphs: &["We hebben {amount} ontvangen voor {number}. Dank je wel!"],
        link: "",
    },
    payment_method_expires: Texts {
        subject: "Je kaart bij {company} verloopt",
        paragraphs: &[
            "De kaart die eindigt op {method}, waarvan we je rekeningen innen, is geldig tot en met {until}.",
            "Laat voor die tijd een andere achter, zodat er niets onbetaald blijft.",
        ],
        link: "Andere kaart achterlaten",
    },
    membership_paused: Texts {
        subject: "Je lidmaatschap bij {company} is gepauzeerd",
        paragraphs: &[
            "Je lidmaatschap {membership} rust vanaf {from} en gaat verder op {until}.",
            "Is dat niet wat je wilt, laat het ons dan weten.",
        ],
        link: "",
    },
    membership_ends: Texts {
        subject: "Je lidmaatschap bij {company} eindigt",
        paragraphs: &[
            "Je lidmaatschap {membership} eindigt. De laatste dag is {until}.",
            "Is dat niet wat je wilt, laat het ons dan voor die dag weten.",
        ],
        link: "",
    },
};

const GERMAN: Language = Language {
    code: "de",
    greeting: "Hallo {name},",
    link_by_hand: "Falls der Knopf nicht geht, öffnen Sie diese Adresse:",
    sender: "Diese Nachricht wurde im Auftrag von {company} gesendet.",
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
    password_reset: Texts {
        subject: "Ein neues Passwort für {company}",
        paragraphs: &[
            "Jemand, vermutlich Sie selbst, hat für Ihr Konto bei {company} ein neues Passwort angefordert.",
            "Der Link gilt eine Stunde und für ein Passwort. Falls Sie es nicht waren, brauchen Sie nichts \
             zu tun: Ihr Passwort bleibt, wie es ist.",
        ],
        link: "Neues Passwort festlegen",
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
};

impl Letter<'_> {
    pub(super) const fn kind(&self) -> LetterKind {
        match self {
            Self::CoachInvitation { .. } => LetterKind::CoachInvitation,
            Self::ClientInvitation { .. } => LetterKind::ClientInvitation,
            Self::PasswordReset { .. } => LetterKind::PasswordReset,
            Self::FailingWebhook { .. } => LetterKind::FailingWebhook,
            Self::Invoice(_) => LetterKind::Invoice,
            Self::InvoiceToCollect(_) => LetterKind::InvoiceToCollect,
            Self::InvoiceReminder(_) => LetterKind::InvoiceReminder,
            Self::PaymentFailed(_) => LetterKind::PaymentFailed,
            Self::PaymentReceived { .. } => LetterKind::PaymentReceived,
            Self::PaymentMethodExpires { .. } => LetterKind::PaymentMethodExpires,
            Self::MembershipPaused { .. } => LetterKind::MembershipPaused,
            Self::MembershipEnds { .. } => LetterKind::MembershipEnds,
        }
    }

    /// Writes the letter; links lead below this address.
    pub(super) fn write(&self, language: &str, company: &str, name: &str, links: &str) -> Written {
        let language = Language::of(language);
        let mut values = vec![("company", company), ("name", name)];
        let link = match self {
            Self::CoachInvitation { token }
            | Self::ClientInvitation { token }
            | Self::PasswordReset { token } => format!("{links}/set-password?token={token}"),
            Self::FailingWebhook { webhook, error } => {
                values.extend([("webhook", *webhook), ("error", *error)]);
                String::new()
            }
            Self::Invoice(bill) | Self::InvoiceReminder(bill) | Self::PaymentFailed(bill) => {
                let Bill { number, amount, due, link } = bill;
                values.extend([("number", *number), ("amount", *amount), ("due", *due)]);
                (*link).to_owned()
            }
            Self::InvoiceToCollect(Bill { number, amount, due, .. }) => {
                values.extend([("number", *number), ("amount", *amount), ("due", *due)]);
                String::new()
            }
            Self::PaymentReceived { number, amount } => {
                values.extend([("number", *number), ("amount", *amount)]);
                String::new()
            }
            Self::PaymentMethodExpires { method, until, link } => {
                values.extend([("method", *method), ("until", *until)]);
                (*link).to_owned()
            }
            Self::MembershipPaused { membership, from, until } => {
                values.extend([("membership", *membership), ("from", *from), ("until", *until)]);
                String::new()
            }
            Self::MembershipEnds { membership, until } => {
                values.extend([("membership", *membership), ("until", *until)]);
                String::new()
            }
        };
        let filled = |text: &str| fill(text, &values);
        let Texts { subject, paragraphs, link: label } = language.texts(self.kind());
        let paragraphs: Vec<String> = paragraphs.iter().map(|text| filled(text)).collect();
        let (greeting, sender) = (filled(language.greeting), filled(language.sender));
        let mut text = format!("{greeting}\n\n{}\n\n", paragraphs.join("\n\n"));
        if !link.is_empty() {
            text.push_str(&format!("{label}:\n{link}\n\n"));
        }
        text.push_str(&format!("-- \n{sender}\n"));
        let html = html! {
            (DOCTYPE)
            html lang=(language.code) {
                head { meta charset="utf-8";  }
                body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 1.5em auto; padding: 0 1em" {
                    p { (greeting) }
                    @for paragraph in &paragraphs { p { (paragraph) } }
                    @if !link.is_empty() {
                        p {
                            a href=(link) style="display: inline-block; padding: .7em 1.2em; border-radius: .4em; background: #1f5eff; color: #ffffff; text-decoration: none" { (label) }
                        }
                        p style="font-size: .85em" { (language.link_by_hand) br; (link) }
                    }
                    p style="font-size: .85em; color: #667" { (sender) }
                }
            }
        };
        Written { name: name.to_owned(), subject: filled(subject), text, html: html.into_string() }
    }
}

/// A text with what its braces stand for; what is put in is not looked at again.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        let value = values.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        filled.push_str(before);
        filled.push_str(value);
        rest = tail;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(texts: &Texts) -> BTreeSet<String> {
        let all = texts.paragraphs.iter().chain([&texts.subject]);
        let named = all.flat_map(|text| text.split('{').skip(1));
        named.filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned())).collect()
    }

    #[test]
    fn every_language_tells_the_same() {
        for language in LANGUAGES {
            assert!(language.greeting.contains("{name}") && language.sender.contains("{company}"));
            for kind in LetterKind::ALL {
                let (own, english) = (language.texts(*kind), ENGLISH.texts(*kind));
                assert_eq!(names(own), names(english), "{} {}", language.code, kind.word());
                assert_eq!(own.link.is_empty(), english.link.is_empty(), "{}", language.code);
                let known = [
                    "company",
                    "webhook",
                    "error",
                    "number",
                    "amount",
                    "due",
                    "method",
                    "until",
                    "membership",
                    "from",
                ];
                assert!(names(own).iter().all(|name| known.contains(&name.as_str())));
            }
        }
    }

    #[test]
    fn what_people_wrote_is_text() {
        let letter = Letter::FailingWebhook { webhook: "{error} <b>", error: "timed \"out\"" };
        let written = letter.write("nl", "A & B", "Ann <script>", "https://gym.example");
        assert!(written.text.contains("{error} <b>"), "{}", written.text);
        assert!(written.html.contains("Ann &lt;script&gt;") && written.html.contains("A &amp; B"));
        assert!(!written.html.contains("<script>"));
        assert!(written.subject.starts_with("Webhook"));
        let invited = Letter::CoachInvitation { token: "fsiv_1" };
        let written = invited.write("fr", "Gym", "Ann", "https://gym.example");
        assert!(written.text.contains("https://gym.example/set-password?token=fsiv_1"));
        assert!(written.subject.contains("invites you"), "English where there is no other");
    }
}
