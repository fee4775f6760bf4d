//! The effects of operations of access control, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of access control.
    pub enum AccessEffect {
        CredentialsSuspended
            "Cards, PINs and codes of the client are suspended."
            "Pasjes, pincodes en codes van de klant worden geblokkeerd."
            "Karten, PINs und Codes des Kunden werden gesperrt."
    }
}
