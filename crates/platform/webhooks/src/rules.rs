//! The rules of webhooks, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of webhooks that a request broke.
    pub enum WebhookRule {
        DeliveryPending
            "must not be pending: the delivery is still in progress"
            "de bezorging loopt nog"
            "die Zustellung läuft noch"
        EventDeleted
            "is no longer stored"
            "is niet meer bewaard"
            "ist nicht mehr gespeichert"
        EventLeftOut
            "the subscription no longer receives this event"
            "de webhook krijgt deze gebeurtenis niet meer"
            "der Webhook erhält dieses Ereignis nicht mehr"
        NoEvents
            "must have at least one event"
            "noem minstens één gebeurtenis"
            "mindestens ein Ereignis nennen"
        NotSameAsUrl
            "must be the same as url"
            "moet gelijk zijn aan het webadres"
            "muss der Webadresse gleichen"
        SubscriptionInactive
            "the subscription must be active"
            "de webhook moet aan staan"
            "der Webhook muss aktiv sein"
        UrlRequired
            "is required, here or as target.url"
            "is verplicht, hier of als target.url"
            "muss angegeben werden, hier oder als target.url"
    }
}
