//! What a letter is about.

use super::{BookingNews, CalendarFile, LetterKind, bookings};

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
    /// A stranger who signs up confirms their address.
    SignUpCode {
        /// Six digits.
        code: &'l str,
        /// The page on which it is entered, below the installation's address.
        place: &'l str,
    },
    /// A stranger has signed up, or has written.
    SignUpReceived {
        /// Display name.
        client: &'l str,
        /// What they wrote.
        message: &'l str,
        /// The client's page, below the installation's address.
        place: &'l str,
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
    /// What staff write to many.
    Announcement {
        /// The subject.
        subject: &'l str,
        /// The text.
        text: &'l str,
    },
    /// A form is to be filled in.
    FormAssigned {
        /// Display name.
        form: &'l str,
    },
    /// A check-up was reviewed.
    CheckupReviewed {
        /// Display name.
        form: &'l str,
    },
    /// Messages wait to be read.
    UnreadMessages {
        /// How many.
        count: &'l str,
    },
    /// A membership ends soon.
    MembershipEndsSoon {
        /// Display name.
        membership: &'l str,
        /// Last day.
        until: &'l str,
    },
    /// Credits lapse soon.
    CreditsLapse {
        /// How many.
        count: &'l str,
        /// Last day.
        until: &'l str,
    },
    /// What has become of bookings, or that they begin soon.
    Bookings {
        /// At least one.
        news: &'l [BookingNews],
        /// Their entries for the client's own calendar.
        calendars: &'l [CalendarFile],
        /// Whether the client has a portal in which they see their bookings.
        has_portal: bool,
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

impl Letter<'_> {
    pub(crate) fn kind(&self) -> LetterKind {
        match self {
            Self::CoachInvitation { .. } => LetterKind::CoachInvitation,
            Self::ClientInvitation { .. } => LetterKind::ClientInvitation,
            Self::SignUpCode { .. } => LetterKind::SignUpCode,
            Self::SignUpReceived { .. } => LetterKind::SignUpReceived,
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
            Self::Announcement { .. } => LetterKind::Announcement,
            Self::FormAssigned { .. } => LetterKind::FormAssigned,
            Self::CheckupReviewed { .. } => LetterKind::CheckupReviewed,
            Self::UnreadMessages { .. } => LetterKind::UnreadMessages,
            Self::MembershipEndsSoon { .. } => LetterKind::MembershipEndsSoon,
            Self::CreditsLapse { .. } => LetterKind::CreditsLapse,
            Self::Bookings { news, .. } if bookings::reminds(news) => LetterKind::BookingReminder,
            Self::Bookings { .. } => LetterKind::Bookings,
        }
    }
}
