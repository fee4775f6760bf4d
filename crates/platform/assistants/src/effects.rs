//! The effects of operations on assistants, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of assistants.
    pub enum AssistantEffect {
        AllKeysSwitchedOff
            "Static keys are revoked, where all are switched off."
            "Vaste sleutels worden ingetrokken, als alles uit gaat."
            "Feste Schlüssel werden widerrufen, wenn alle abgeschaltet werden."
        ClientGrantsRevoked
            "What the client allowed assistants is revoked."
            "Wat de klant assistenten toestond, wordt ingetrokken."
            "Was der Kunde Assistenten erlaubt hat, wird widerrufen."
        CoachGrantsRevoked
            "What the coach allowed assistants is revoked."
            "Wat de coach assistenten toestond, wordt ingetrokken."
            "Was der Coach Assistenten erlaubt hat, wird widerrufen."
        CoachKeysRevoked
            "Static keys that the coach has made are revoked."
            "Vaste sleutels van de coach worden ingetrokken."
            "Feste Schlüssel des Coaches werden widerrufen."
        GrantsRevoked
            "What is no longer allowed is revoked for good, from coaches' assistants and clients'."
            "Wat niet meer mag, wordt voorgoed ingetrokken, bij assistenten van coaches en van klanten."
            "Was nicht mehr erlaubt ist, wird endgültig widerrufen, bei Assistenten von Coaches und Kunden."
        ManagerGrantsRevoked
            "What they allowed assistants as a manager is revoked."
            "Wat ze assistenten als manager toestonden, wordt ingetrokken."
            "Was sie Assistenten als Manager erlaubt haben, wird widerrufen."
        ManagerKeysRevoked
            "Static keys that they have made are revoked."
            "Vaste sleutels die ze maakten worden ingetrokken."
            "Feste Schlüssel, die sie erstellt haben, werden widerrufen."
    }
}
