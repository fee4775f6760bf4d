//! The effects of operations on webhooks, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of webhooks.
    pub enum WebhookEffect {
        WebhooksNarrowed
            "Its webhook subscriptions no longer receive events that it may not read."
            "De webhooks krijgen geen gebeurtenissen meer die niet gelezen mogen worden."
            "Seine Webhooks erhalten keine Ereignisse mehr, die er nicht lesen darf."
    }
}
