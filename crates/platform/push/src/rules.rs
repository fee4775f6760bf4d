//! The rules of push subscriptions, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of push subscriptions that a request broke.
    pub enum PushRule {
        NotAPublicKey
            "must be a point of the curve P-256, as base64url"
            "moet een punt van de kromme P-256 zijn, als base64url"
            "muss ein Punkt der Kurve P-256 sein, als base64url"
        NotASecret
            "must be 16 bytes, as base64url"
            "moet 16 bytes zijn, als base64url"
            "muss 16 Bytes lang sein, als base64url"
        OtherPort
            "must have the port 443"
            "moet poort 443 hebben"
            "muss den Port 443 haben"
    }
}
