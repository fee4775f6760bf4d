//! Effects of people leaving, as one table: each area declares what ends and why, and ends it in the same
//! transaction.

use spotter_kernel::{Id, Phrase, Result};
use spotter_store::words;

use crate::context::Write;

words! {
    /// What has ended.
    pub enum Offboarding {
        ClientArchived = "client_archived",
        ClientLeavesAtOnce = "client_leaves_at_once",
        ClientLeavesAtTerm = "client_leaves_at_term",
        ClientErased = "client_erased",
        CoachDeactivated = "coach_deactivated",
        CoachReturned = "coach_returned",
        EntitlementEnded = "entitlement_ended",
        ObstacleEnded = "obstacle_ended",
        RoleLowered = "role_lowered",
        AssistantsOff = "assistants_off",
        ScopesWithdrawn = "scopes_withdrawn",
        InvoiceGivenUp = "invoice_given_up",
        PoliciesChanged = "policies_changed",
        ZonesChanged = "zones_changed",
        RequestPaid = "request_paid",
    }
}

impl Offboarding {
    /// As shown to people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClientArchived => "A client is archived",
            Self::ClientLeavesAtOnce => "A client is archived without `endOfTerm`",
            Self::ClientLeavesAtTerm => "A client is archived with `endOfTerm`",
            Self::ClientErased => "A client is erased",
            Self::CoachDeactivated => "A coach is deactivated",
            Self::CoachReturned => "A coach who was deactivated comes back",
            Self::EntitlementEnded => "What a client has paid for ends, or rests",
            Self::ObstacleEnded => {
                "What kept a client from a free seat ends: they can pay for it, or are free then"
            }
            Self::RoleLowered => "A manager or an admin becomes a coach",
            Self::AssistantsOff => {
                "Assistants are switched off, for all or for clients, or the policy for clients changes"
            }
            Self::ScopesWithdrawn => "An API client's scopes or consents change, or it is revoked",
            Self::InvoiceGivenUp => {
                "An invoice is written off automatically, the set number of days after its due date"
            }
            Self::PoliciesChanged => "The company's policies change",
            Self::ZonesChanged => "A location's access zones change",
            Self::RequestPaid => "A payment request is paid",
        }
    }
}

/// Something that ends with it.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// With what.
    pub of: Offboarding,
    /// What happens, in a sentence.
    pub summary: fn() -> Phrase,
    run: fn(&mut Write<'_, '_>, Id) -> Result<u64>,
}

impl Effect {
    /// An effect of an ending on what belongs to the one who leaves; the function returns how much ended.
    pub const fn new(
        of: Offboarding,
        summary: fn() -> Phrase,
        run: fn(&mut Write<'_, '_>, Id) -> Result<u64>,
    ) -> Self {
        Self { of, summary, run }
    }
}

impl Write<'_, '_> {
    /// Ends what ends with a client or a coach, or with what a client has paid for, in the order in which the areas say it.
    pub fn end(&mut self, offboarding: Offboarding, of: impl Into<Id>) -> Result<()> {
        let (effects, id) = (self.env().offboardings.clone(), of.into());
        for effect in effects.iter().filter(|effect| effect.of == offboarding) {
            if (effect.run)(self, id)? > 0 {
                self.describe_effect(effect.summary);
            }
        }
        Ok(())
    }
}
