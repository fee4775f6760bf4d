//! Every letter in English.

use super::{Language, Texts};

pub(super) const ENGLISH: Language = Language {
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
    address_confirmation: Texts {
        subject: "Confirm your e-mail address for {company}",
        paragraphs: &[
            "{company} has noted this address for you. To sign in with it from now on, confirm it with your password.",
            "Until then you sign in with the address that you used before. If you did not expect this, ignore this \
             message: nothing changes.",
        ],
        link: "Confirm this address",
    },
    address_changed: Texts {
        subject: "Your e-mail address at {company}",
        paragraphs: &[
            "{company} has noted another e-mail address for you: {address}. You sign in with this one, as before, \
             until the new one is confirmed with your password.",
            "If you did not ask for that, tell {company}. Your account stays yours as long as nobody else knows your \
             password.",
        ],
        link: "",
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
    invoice_paid: Texts {
        subject: "Invoice {number} of {company}, paid",
        paragraphs: &[
            "Here is your invoice {number} of {company}. It is paid with the money that you had paid before: there \
             is nothing left to do.",
        ],
        link: "",
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
    membership_never_begins: Texts {
        subject: "Your membership at {company} does not begin",
        paragraphs: &[
            "Your membership {membership} ends before its first day: it does not begin, and its bill is taken back.",
            "If that is not what you wish, write to us.",
        ],
        link: "",
    },
    document_expires: Texts {
        subject: "A document expires: {document}",
        paragraphs: &[
            "The document \u{201c}{document}\u{201d} of {client} expires. Its last day is {until}.",
            "If it is to go on, ask for a new one, and change or archive this one.",
        ],
        link: "",
    },
    device_silent: Texts {
        subject: "{device} at {location} is silent",
        paragraphs: &[
            "The access device {device} at {location} has not been heard of since {since}. It may be without power or network, and decide by the list that it has.",
            "Look whether it is switched on and on the network. If it is to be silent, disable it.",
        ],
        link: "",
    },
};
