//! Body weights that are logged with exercises: health data, for callers who may read measurements.

use crate::rules::TrainingRule;
use spotter_contract::{Access, Actor, Read};
use spotter_kernel::{Key, Problem, Result, Scope, id::ClientId};

/// Whether the caller reaches what clients weigh: of integrations, those with the scope and its consent, and no assistant.
fn is_readable(cx: &Read, scope: Scope) -> bool {
    match cx.caller().actor {
        Actor::ApiClient { .. } => Access::check_all(cx.caller(), [scope]).is_ok(),
        _ => cx.caller().delegation.is_none(),
    }
}

/// Whether the caller may see a client's body weight.
pub(super) fn may_read(cx: &mut Read, client: ClientId) -> Result<bool> {
    let may = is_readable(cx, Scope::MeasurementsRead);
    Ok(may && !(cx.includes_health() && cx.lacks_consent(client)?))
}

/// Refuses to write what a client weighs down, at a field, where the caller may not or the client has not consented.
pub(super) fn check_write(cx: &mut Read, client: ClientId, field: &str) -> Result<()> {
    if is_readable(cx, Scope::MeasurementsWrite) && !cx.lacks_consent(client)? {
        return Ok(());
    }
    Err(Problem::field(Key::ScopesHealthConsentRequired, field, TrainingRule::BodyWeightConsent))
}
