//! What operations of webhooks are about to do, as people are asked to confirm it, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of webhooks.
    pub enum WebhookEffect {
        WebhooksNarrowed
            "Its webhook subscriptions get no event any more that it may not read."
            "De webhooks krijgen geen gebeurtenissen meer die niet gelezen mogen worden."
            "Seine Webhooks erhalten keine Ereignisse mehr, die er nicht lesen darf."
    }
}
