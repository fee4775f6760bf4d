//! What letters say, in each language: one table, in which a missing translation does not compile.

mod dutch;
mod english;
mod german;

use maud::{DOCTYPE, html};
use serde::{Deserialize, Serialize};
use spotter_store::words;

use self::{dutch::DUTCH, english::ENGLISH, german::GERMAN};

words! {
    /// What a message is about.
    pub enum LetterKind {
        CoachInvitation = "coach_invitation",
        ClientInvitation = "client_invitation",
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
    }
}

/// The content of a letter.
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
    /// A password reset.
    PasswordReset {
        /// What sets it.
        token: &'l str,
    },
    /// An address is to sign in from now on.
    AddressConfirmation {
        /// What confirms it.
        token: &'l str,
    },
    /// An address is not to sign in any more.
    AddressChanged {
        /// The one that is to.
        address: &'l str,
    },
    /// An invoice, or a copy of one.
    Invoice(InvoiceFigures<'l>),
    /// An invoice that was paid, as it was issued, with money that came before.
    InvoicePaid {
        /// Its number.
        number: &'l str,
    },
    /// An invoice that is collected from what the client has left for it.
    InvoiceToCollect(InvoiceFigures<'l>),
    /// An invoice is past its due date.
    InvoiceReminder(InvoiceFigures<'l>),
    /// An invoice could not be collected.
    PaymentFailed(InvoiceFigures<'l>),
    /// Money came that was fetched or paid on a page.
    PaymentReceived {
        /// The invoice's number, or the description of the request.
        number: &'l str,
        /// How much.
        amount: &'l str,
    },
    /// A card can soon not be charged any more.
    PaymentMethodExpires {
        /// The last characters of its number.
        method: &'l str,
        /// Last day.
        until: &'l str,
        /// Where another is left.
        link: &'l str,
    },
    /// A membership rests for some time.
    MembershipPaused {
        /// Display name.
        membership: &'l str,
        /// First day, inclusive.
        from: &'l str,
        /// The day on which it goes on.
        until: &'l str,
    },
    /// A membership ends.
    MembershipEnds {
        /// Display name.
        membership: &'l str,
        /// Last day.
        until: &'l str,
    },
    /// A membership ends before its first day.
    MembershipNeverBegins {
        /// Display name.
        membership: &'l str,
    },
    /// A document expires.
    DocumentExpires {
        /// Display name.
        document: &'l str,
        /// The client.
        client: &'l str,
        /// Last day.
        until: &'l str,
    },
    /// A door has not been heard of for a while.
    DeviceSilent {
        /// Display name.
        device: &'l str,
        /// Where it is.
        location: &'l str,
        /// Since when, by the clock there.
        since: &'l str,
    },
    /// Deliveries to a webhook's target fail.
    FailingWebhook {
        /// What people call the subscription.
        webhook: &'l str,
        /// Why the latest delivery failed.
        error: &'l str,
    },
}

/// The figures of an invoice, formatted for the reader's language.
#[derive(Debug, Clone, Copy)]
pub struct InvoiceFigures<'l> {
    /// Its number.
    pub number: &'l str,
    /// Outstanding amount.
    pub amount: &'l str,
    /// When it is due.
    pub due: &'l str,
    /// Where it is paid; nothing where there is no such page.
    pub link: &'l str,
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
    coach_invitation: Texts,
    client_invitation: Texts,
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
        }
    }
}

const LANGUAGES: [&Language; 3] = [&ENGLISH, &DUTCH, &GERMAN];

impl Letter<'_> {
    pub(super) const fn kind(&self) -> LetterKind {
        match self {
            Self::CoachInvitation { .. } => LetterKind::CoachInvitation,
            Self::ClientInvitation { .. } => LetterKind::ClientInvitation,
            Self::PasswordReset { .. } => LetterKind::PasswordReset,
            Self::AddressConfirmation { .. } => LetterKind::AddressConfirmation,
            Self::AddressChanged { .. } => LetterKind::AddressChanged,
            Self::FailingWebhook { .. } => LetterKind::FailingWebhook,
            Self::Invoice(_) => LetterKind::Invoice,
            Self::InvoicePaid { .. } => LetterKind::InvoicePaid,
            Self::InvoiceToCollect(_) => LetterKind::InvoiceToCollect,
            Self::InvoiceReminder(_) => LetterKind::InvoiceReminder,
            Self::PaymentFailed(_) => LetterKind::PaymentFailed,
            Self::PaymentReceived { .. } => LetterKind::PaymentReceived,
            Self::PaymentMethodExpires { .. } => LetterKind::PaymentMethodExpires,
            Self::MembershipPaused { .. } => LetterKind::MembershipPaused,
            Self::MembershipEnds { .. } => LetterKind::MembershipEnds,
            Self::MembershipNeverBegins { .. } => LetterKind::MembershipNeverBegins,
            Self::DocumentExpires { .. } => LetterKind::DocumentExpires,
            Self::DeviceSilent { .. } => LetterKind::DeviceSilent,
        }
    }

    /// Writes the letter; links lead below this address.
    pub(super) fn write(
        &self,
        language: &str,
        company: &str,
        name: &str,
        links: &str,
    ) -> RenderedLetter {
        let language = Language::of(language);
        let mut values = vec![("company", company), ("name", name)];
        let link = match self {
            Self::CoachInvitation { token }
            | Self::ClientInvitation { token }
            | Self::PasswordReset { token } => format!("{links}/set-password?token={token}"),
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
        RenderedLetter {
            name: name.to_owned(),
            subject: filled(subject),
            text,
            html: html.into_string(),
        }
    }
}

/// A text with its placeholders filled; inserted values are not expanded again.
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
    fn letters_have_the_same_facts_in_every_language() {
        for language in LANGUAGES {
            assert!(language.greeting.contains("{name}") && language.sender.contains("{company}"));
            for kind in LetterKind::ALL {
                let (own, english) = (language.texts(*kind), ENGLISH.texts(*kind));
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
                ];
                assert!(names(own).iter().all(|name| known.contains(&name.as_str())));
            }
        }
    }

    #[test]
    fn user_text_is_escaped() {
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
