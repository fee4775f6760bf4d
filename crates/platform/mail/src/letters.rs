//! What letters say, in each language: one table, in which a missing translation does not compile.

mod bookings;
mod content;
mod dutch;
mod english;
mod german;
mod letter;

use maud::{DOCTYPE, html};
use serde::{Deserialize, Serialize};
use spotter_kernel::color::Shades;
use spotter_store::words;

use super::outbox::Recipient;

use self::{
    bookings::BookingTexts,
    content::{LetterContent, LetterParagraph, fill},
    dutch::DUTCH,
    english::ENGLISH,
    german::GERMAN,
};
pub use self::{
    bookings::{BookingChange, BookingNews},
    letter::{InvoiceFigures, Letter},
};

words! {
    /// What a message is about.
    pub enum LetterKind {
        CoachInvitation = "coach_invitation",
        ClientInvitation = "client_invitation",
        SignUpCode = "sign_up_code",
        SignUpReceived = "sign_up_received",
        PasswordReset = "password_reset",
        AddressConfirmation = "address_confirmation",
        AddressChanged = "address_changed",
        FailingWebhook = "failing_webhook",
        Invoice = "invoice",
        InvoicePaid = "invoice_paid",
        InvoiceToCollect = "invoice_to_collect",
        InvoiceReminder = "invoice_reminder",
        PaymentFailed = "payment_failed",
        PaymentReceived = "payment_received",
        PaymentMethodExpires = "payment_method_expires",
        MembershipPaused = "membership_paused",
        MembershipEnds = "membership_ends",
        MembershipNeverBegins = "membership_never_begins",
        DocumentExpires = "document_expires",
        DeviceSilent = "device_silent",
        Announcement = "announcement",
        FormAssigned = "form_assigned",
        CheckupReviewed = "checkup_reviewed",
        UnreadMessages = "unread_messages",
        MembershipEndsSoon = "membership_ends_soon",
        CreditsLapse = "credits_lapse",
        Bookings = "bookings",
        BookingReminder = "booking_reminder",
    }
}

impl LetterKind {
    /// Whether the devices of a client show it, too. What has a secret or is about the account is for the address alone, and
    /// so is what staff chose to write by mail.
    pub(super) const fn is_pushed(self) -> bool {
        !matches!(
            self,
            Self::CoachInvitation
                | Self::ClientInvitation
                | Self::SignUpCode
                | Self::SignUpReceived
                | Self::PasswordReset
                | Self::AddressConfirmation
                | Self::AddressChanged
                | Self::Announcement
        )
    }
}

/// A message as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedLetter {
    /// What the recipient is called.
    pub name: String,
    /// The subject.
    pub subject: String,
    /// For those who read plain text.
    pub text: String,
    /// For everybody else.
    pub html: String,
    /// The address of its button; empty where there is none.
    #[serde(default)]
    pub link: String,
    /// Entries for the recipient's own calendar.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calendars: Vec<CalendarFile>,
}

/// A file for a calendar program (RFC 5546).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarFile {
    /// What the program does with it: `REQUEST` or `CANCEL`.
    pub method: String,
    /// The calendar.
    pub content: String,
}

/// A letter in one language. Names in braces are placeholders.
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
    /// The link at the foot of what a client can choose not to get.
    choices: &'static str,
    coach_invitation: Texts,
    client_invitation: Texts,
    sign_up_code: Texts,
    sign_up_received: Texts,
    password_reset: Texts,
    address_confirmation: Texts,
    address_changed: Texts,
    failing_webhook: Texts,
    invoice: Texts,
    invoice_paid: Texts,
    invoice_to_collect: Texts,
    invoice_reminder: Texts,
    payment_failed: Texts,
    payment_received: Texts,
    payment_method_expires: Texts,
    membership_paused: Texts,
    membership_ends: Texts,
    membership_never_begins: Texts,
    document_expires: Texts,
    device_silent: Texts,
    form_assigned: Texts,
    checkup_reviewed: Texts,
    unread_messages: Texts,
    membership_ends_soon: Texts,
    credits_lapse: Texts,
    bookings: BookingTexts,
}

impl Language {
    /// The company's language where there are letters in it, and English otherwise.
    fn of(code: &str) -> &'static Self {
        LANGUAGES.into_iter().find(|language| language.code == code).unwrap_or(&ENGLISH)
    }

    /// The texts of a kind; `None` where they depend on what the letter is about.
    const fn texts(&self, kind: LetterKind) -> Option<&Texts> {
        Some(match kind {
            LetterKind::Announcement | LetterKind::Bookings | LetterKind::BookingReminder => {
                return None;
            }
            LetterKind::CoachInvitation => &self.coach_invitation,
            LetterKind::ClientInvitation => &self.client_invitation,
            LetterKind::SignUpCode => &self.sign_up_code,
            LetterKind::SignUpReceived => &self.sign_up_received,
            LetterKind::PasswordReset => &self.password_reset,
            LetterKind::AddressConfirmation => &self.address_confirmation,
            LetterKind::AddressChanged => &self.address_changed,
            LetterKind::FailingWebhook => &self.failing_webhook,
            LetterKind::Invoice => &self.invoice,
            LetterKind::InvoicePaid => &self.invoice_paid,
            LetterKind::InvoiceToCollect => &self.invoice_to_collect,
            LetterKind::InvoiceReminder => &self.invoice_reminder,
            LetterKind::PaymentFailed => &self.payment_failed,
            LetterKind::PaymentReceived => &self.payment_received,
            LetterKind::PaymentMethodExpires => &self.payment_method_expires,
            LetterKind::MembershipPaused => &self.membership_paused,
            LetterKind::MembershipEnds => &self.membership_ends,
            LetterKind::MembershipNeverBegins => &self.membership_never_begins,
            LetterKind::DocumentExpires => &self.document_expires,
            LetterKind::DeviceSilent => &self.device_silent,
            LetterKind::FormAssigned => &self.form_assigned,
            LetterKind::CheckupReviewed => &self.checkup_reviewed,
            LetterKind::UnreadMessages => &self.unread_messages,
            LetterKind::MembershipEndsSoon => &self.membership_ends_soon,
            LetterKind::CreditsLapse => &self.credits_lapse,
        })
    }
}

const LANGUAGES: [&Language; 3] = [&ENGLISH, &DUTCH, &GERMAN];

impl Letter<'_> {
    /// Whether a client can choose not to get letters of its kind.
    const fn is_chosen(&self) -> bool {
        matches!(
            self,
            Self::Bookings { .. }
                | Self::Announcement { .. }
                | Self::FormAssigned { .. }
                | Self::CheckupReviewed { .. }
                | Self::UnreadMessages { .. }
                | Self::MembershipEndsSoon { .. }
                | Self::CreditsLapse { .. }
        )
    }

    /// Writes the letter; links lead below this address.
    pub(super) fn write(
        &self,
        language: &str,
        company: &str,
        to: Recipient<'_>,
        links: &str,
        color: Option<&str>,
    ) -> RenderedLetter {
        let shades = color.and_then(Shades::of);
        let (ground, ink) = shades
            .as_ref()
            .map_or(("#1f5eff", "#ffffff"), |shades| (&*shades.light, &*shades.on_light));
        let (language, name) = (Language::of(language), to.name);
        let mut values = vec![("company", company), ("name", name)];
        let link = match self {
            Self::CoachInvitation { token }
            | Self::ClientInvitation { token }
            | Self::PasswordReset { token } => format!("{links}/set-password?token={token}"),
            Self::SignUpCode { code, place } => {
                values.push(("code", *code));
                format!("{links}{place}")
            }
            Self::SignUpReceived { client, message, place } => {
                values.extend([("client", *client), ("message", *message)]);
                format!("{links}{place}")
            }
            Self::AddressConfirmation { token } => {
                format!("{links}/confirm-address?token={token}")
            }
            Self::AddressChanged { address } => {
                values.push(("address", *address));
                String::new()
            }
            Self::FailingWebhook { webhook, error } => {
                values.extend([("webhook", *webhook), ("error", *error)]);
                String::new()
            }
            Self::Invoice(bill) | Self::InvoiceReminder(bill) | Self::PaymentFailed(bill) => {
                let InvoiceFigures { number, amount, due, link } = bill;
                values.extend([("number", *number), ("amount", *amount), ("due", *due)]);
                (*link).to_owned()
            }
            Self::InvoiceToCollect(InvoiceFigures { number, amount, due, .. }) => {
                values.extend([("number", *number), ("amount", *amount), ("due", *due)]);
                String::new()
            }
            Self::InvoicePaid { number } => {
                values.push(("number", *number));
                String::new()
            }
            Self::MembershipNeverBegins { membership } => {
                values.push(("membership", *membership));
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
            Self::DocumentExpires { document, client, until } => {
                values.extend([("document", *document), ("client", *client), ("until", *until)]);
                String::new()
            }
            Self::DeviceSilent { device, location, since } => {
                values.extend([("device", *device), ("location", *location), ("since", *since)]);
                String::new()
            }
            Self::Announcement { .. } => String::new(),
            Self::FormAssigned { form } | Self::CheckupReviewed { form } => {
                values.push(("form", *form));
                format!("{links}/my/forms")
            }
            Self::UnreadMessages { count } => {
                values.push(("count", *count));
                format!("{links}/my/messages")
            }
            Self::MembershipEndsSoon { membership, until } => {
                values.extend([("membership", *membership), ("until", *until)]);
                String::new()
            }
            Self::CreditsLapse { count, until } => {
                values.extend([("count", *count), ("until", *until)]);
                format!("{links}/my/book")
            }
            Self::Bookings { has_portal: true, .. } => format!("{links}/my/bookings"),
            Self::Bookings { has_portal: false, .. } => String::new(),
        };
        let filled = |text: &str| fill(text, &values);
        let LetterContent { subject, paragraphs, link: label } =
            LetterContent::of(self, language, &values);
        let (greeting, sender) = (filled(language.greeting), filled(language.sender));
        let plain: Vec<String> = paragraphs.iter().map(LetterParagraph::text).collect();
        let mut text = format!("{greeting}\n\n{}\n\n", plain.join("\n\n"));
        if !link.is_empty() {
            text.push_str(&format!("{label}:\n{link}\n\n"));
        }
        let chosen = to.signs_in && self.is_chosen();
        let choices = chosen.then(|| format!("{links}/my/consents"));
        text.push_str(&format!("-- \n{sender}\n"));
        if let Some(choices) = &choices {
            text.push_str(&format!("{}: {choices}\n", language.choices));
        }
        let html = html! {
            (DOCTYPE)
            html lang=(language.code) {
                head { meta charset="utf-8";  }
                body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 1.5em auto; padding: 0 1em" {
                    p { (greeting) }
                    @for part in &paragraphs { p { (part.markup()) } }
                    @if !link.is_empty() {
                        p {
                            a href=(link) style={ "display: inline-block; padding: .7em 1.2em; border-radius: .4em; background: " (ground) "; color: " (ink) "; text-decoration: none" } { (label) }
                        }
                        p style="font-size: .85em" { (language.link_by_hand) br; (link) }
                    }
                    p style="font-size: .85em; color: #667" {
                        (sender)
                        @if let Some(choices) = &choices {
                            br;
                            a href=(choices) style="color: #667" { (language.choices) }
                        }
                    }
                }
            }
        };
        let calendars = match self {
            Self::Bookings { calendars, .. } => calendars.to_vec(),
            _ => Vec::new(),
        };
        let name = name.to_owned();
        RenderedLetter { name, subject, text, html: html.into_string(), link, calendars }
    }
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
    fn letters_have_the_same_facts_in_every_language() {
        for language in LANGUAGES {
            assert!(language.greeting.contains("{name}") && language.sender.contains("{company}"));
            for kind in LetterKind::ALL {
                let (Some(own), Some(english)) = (language.texts(*kind), ENGLISH.texts(*kind))
                else {
                    continue;
                };
                assert_eq!(names(own), names(english), "{} {}", language.code, kind.word());
                assert_eq!(own.link.is_empty(), english.link.is_empty(), "{}", language.code);
                let known = [
                    "company",
                    "address",
                    "webhook",
                    "error",
                    "number",
                    "amount",
                    "due",
                    "method",
                    "until",
                    "membership",
                    "from",
                    "document",
                    "client",
                    "device",
                    "location",
                    "since",
                    "form",
                    "count",
                    "code",
                    "message",
                ];
                assert!(names(own).iter().all(|name| known.contains(&name.as_str())));
            }
        }
    }

    #[test]
    fn user_text_is_escaped() {
        let letter = Letter::FailingWebhook { webhook: "{error} <b>", error: "timed \"out\"" };
        let to = |name| Recipient {
            email: "ann@example.com",
            name,
            language: None,
            client: None,
            signs_in: true,
        };
        let written = letter.write("nl", "A & B", to("Ann <script>"), "https://gym.example", None);
        assert!(written.text.contains("{error} <b>"), "{}", written.text);
        assert!(written.html.contains("Ann &lt;script&gt;") && written.html.contains("A &amp; B"));
        assert!(!written.html.contains("<script>"));
        assert!(written.subject.starts_with("Webhook"));
        let invited = Letter::CoachInvitation { token: "fsiv_1" };
        let written = invited.write("fr", "Gym", to("Ann"), "https://gym.example", Some("#aa3300"));
        assert!(written.text.contains("https://gym.example/set-password?token=fsiv_1"));
        assert!(written.subject.contains("invites you"), "English where there is no other");
        assert!(written.html.contains("background: #aa3300"), "{}", written.html);
    }
}
