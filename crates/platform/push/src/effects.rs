//! The effects of operations on push subscriptions, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation on push subscriptions.
    pub enum PushEffect {
        DevicesUnsubscribed
            "Their devices show no more notifications."
            "Hun apparaten tonen geen meldingen meer."
            "Ihre Geräte zeigen keine Mitteilungen mehr."
    }
}
