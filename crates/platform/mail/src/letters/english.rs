//! Every letter in English.

use super::{Language, Texts, bookings::BookingTexts};

pub(super) const ENGLISH: Language = Language {
    code: "en",
    greeting: "Hello {name},",
    link_by_hand: "If the button does not work, open this address:",
    sender: "This message was sent for {company}.",
    choices: "Choose what you hear from us",
    coach_invitation: Texts {
        subject: "{company} invites you",
        paragraphs: &[
            "{company} has created an account for you as a coach. Set a password to get started.",
            "The invitation is valid for 14 days. If you did not expect it, you can ignore it.",
        ],
        link: "Set my password",
    },
    client_invitation: Texts {
        subject: "{company} invites you to its portal",
        paragraphs: &[
            "{company} has created an account for you with your plan, your messages and your \
             coach. Set a password to get started.",
            "The invitation is valid for 14 days. If you did not expect it, you can ignore it.",
        ],
        link: "Set my password",
    },
    sign_up_code: Texts {
        subject: "{code} is your code for {company}",
        paragraphs: &[
            "Enter this code at {company} to confirm your address, or use the button: {code}",
            "It is good for an hour. If you did not ask for it, you can ignore this message: nothing happens \
             without it.",
        ],
        link: "Confirm my address",
    },
    sign_up_received: Texts {
        subject: "{client} writes from your public site",
        paragraphs: &["{client} has signed up or written at your public site.", "{message}"],
        link: "Open the client",
    },
    password_reset: Texts {
        subject: "A new password for {company}",
        paragraphs: &[
            "Someone, probably you, requested a new password for your account at {company}.",
            "The link is valid once, for one hour. If it was not you, ignore this message: your password \
             does not change.",
        ],
        link: "Set a new password",
    },
    address_confirmation: Texts {
        subject: "Confirm your e-mail address for {company}",
        paragraphs: &[
            "{company} has saved this address for you. To sign in with it from now on, confirm it with your password.",
            "Until then you sign in with your previous address. If you did not expect this, ignore this \
             message: nothing changes.",
        ],
        link: "Confirm this address",
    },
    address_changed: Texts {
        subject: "Your e-mail address at {company}",
        paragraphs: &[
            "{company} has saved another e-mail address for you: {address}. You sign in with this one, as before, \
             until the new one is confirmed with your password.",
            "If you did not ask for that, tell {company}. Your account stays yours as long as nobody else knows your \
             password.",
        ],
        link: "",
    },
    failing_webhook: Texts {
        subject: "Webhook \u{201c}{webhook}\u{201d} is failing",
        paragraphs: &[
            "Deliveries of {company} to the webhook \u{201c}{webhook}\u{201d} fail. The latest one \
             failed after its last attempt: {error}.",
            "All deliveries and attempts are in the API, where failed ones can be sent again. You get this \
             message once a day while the webhook is failing.",
        ],
        link: "",
    },
    invoice: Texts {
        subject: "Invoice {number} of {company}",
        paragraphs: &[
            "Here is your invoice {number} of {company}. {amount} is due on {due}.",
            "Please state the invoice number with your payment. If you have already paid, you need not do \
             anything.",
        ],
        link: "Pay the invoice",
    },
    invoice_paid: Texts {
        subject: "Invoice {number} of {company}, paid",
        paragraphs: &[
            "Here is your invoice {number} of {company}. It is paid; you need not do anything.",
        ],
        link: "",
    },
    invoice_to_collect: Texts {
        subject: "Invoice {number} of {company}",
        paragraphs: &[
            "Here is your invoice {number} of {company}. On {due} we will collect {amount} from your saved \
             payment method.",
            "You need not do anything. If it fails, we will let you know.",
        ],
        link: "",
    },
    invoice_reminder: Texts {
        subject: "Reminder: invoice {number} of {company}",
        paragraphs: &[
            "{amount} of invoice {number} was due on {due}, and we have not received it yet.",
            "Please pay it within the next days, stating the invoice number. If you have just paid, ignore \
             this message; if something is wrong with the invoice, please contact us.",
        ],
        link: "Pay the invoice",
    },
    payment_failed: Texts {
        subject: "{company} could not collect invoice {number}",
        paragraphs: &[
            "We tried to collect {amount} for invoice {number} from your saved payment method, and it \
             failed.",
            "Please pay it with the button below, or add another payment method. If there was not enough \
             money in the account, we will try again within the next days.",
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
            "The card ending in {method}, which we use for your invoices, is valid until {until}.",
            "Please add another one before then, so that no payment fails.",
        ],
        link: "Add another card",
    },
    membership_paused: Texts {
        subject: "Your membership at {company} is paused",
        paragraphs: &[
            "Your membership {membership} is paused from {from} and continues on {until}.",
            "If that is not what you want, please contact us.",
        ],
        link: "",
    },
    membership_ends: Texts {
        subject: "Your membership at {company} ends",
        paragraphs: &[
            "Your membership {membership} ends. Its last day is {until}.",
            "If that is not what you want, please contact us before that day.",
        ],
        link: "",
    },
    membership_never_begins: Texts {
        subject: "Your membership at {company} will not start",
        paragraphs: &[
            "Your membership {membership} was ended before its first day. It will not start, and its invoice is cancelled.",
            "If that is not what you want, please contact us.",
        ],
        link: "",
    },
    document_expires: Texts {
        subject: "A document expires: {document}",
        paragraphs: &[
            "The document \u{201c}{document}\u{201d} of {client} expires. Its last day is {until}.",
            "If you still need it, request a new one, and update or archive this one.",
        ],
        link: "",
    },
    device_silent: Texts {
        subject: "{device} at {location} is offline",
        paragraphs: &[
            "The access device {device} at {location} has not sent a heartbeat since {since}. It may be without power or network, and decide by its offline list.",
            "Check that it is switched on and connected. If it is out of use, disable it.",
        ],
        link: "",
    },
    form_assigned: Texts {
        subject: "A form for you: {form}",
        paragraphs: &["{company} asks you to fill in a form: {form}."],
        link: "Fill it in",
    },
    checkup_reviewed: Texts {
        subject: "Your check-up was reviewed: {form}",
        paragraphs: &[
            "Your coach at {company} has looked at your check-up \u{201c}{form}\u{201d} and answered you.",
        ],
        link: "Read the answer",
    },
    unread_messages: Texts {
        subject: "Unread messages at {company}",
        paragraphs: &["Messages for you at {company} that you have not read yet: {count}."],
        link: "Read my messages",
    },
    membership_ends_soon: Texts {
        subject: "{membership} ends on {until}",
        paragraphs: &[
            "Your membership {membership} at {company} ends soon. Its last day is {until}.",
            "To go on after that, contact {company}.",
        ],
        link: "",
    },
    credits_lapse: Texts {
        subject: "Credits at {company} valid until {until}",
        paragraphs: &[
            "Credits of yours at {company} that are valid until {until}: {count}. After that day they lapse.",
        ],
        link: "Book now",
    },
    bookings: BookingTexts {
        weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        months: [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        date: "{weekday} {day} {month}",
        moment: "{date} at {time}",
        hours: "{date}, {from} to {until}",
        moved_from: "Before: {before}",
        coach: "With {coach}",
        held_until: "The seat is held for you until {until}. Accept it in your portal.",
        several: "{count} changes to your bookings at {company}",
        several_reminders: "Your {count} next bookings at {company}",
        link: "My bookings",
        booked: "{name} is booked",
        moved: "{name} has a new time",
        coach_changed: "{name} has another coach",
        location_changed: "{name} is at another location",
        cancelled_by_client: "You have cancelled {name}",
        cancelled_by_company: "{name} is cancelled",
        waitlisted: "You are on the waiting list of {name}",
        waitlist_left: "You are no longer on the waiting list of {name}",
        seat_offered: "There is a seat for you: {name}",
        offer_lapsed: "The seat held for you has been released: {name}",
        request_rejected: "Your request cannot be granted: {name}",
        reminder: "Reminder: {name}",
    },
};
