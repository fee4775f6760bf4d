//! Clients' consent to storing health data: given and withdrawn by the client, or by staff on their behalf.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ErasureAction, ErasureRule, ExportSection, Path, Read, Write, answer,
    consents::ConsentReader, operation,
};
use spotter_kernel::{Event, Id, Problem, Result, Timestamp, id::ClientId, text::Text};
use spotter_store::{params, record, set, statements, values};

use super::{UPDATED, record::Client, search::ClientPath};
use crate::rules::PeopleRule;

record! {
    /// A client's latest decision.
    #[derive(Debug, Clone, PartialEq)]
    struct Consent {
        client_id: ClientId,
        given_at: Option<Timestamp>,
        withdrawn_at: Option<Timestamp>,
        version: Option<String>,
        recorded_by_type: Option<String>,
        recorded_by: Option<Id>,
    }
}

/// A client's consent to the processing of health data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HealthConsent {
    client_id: ClientId,
    /// Whether the company requires consent.
    required: bool,
    /// Whether consent is given and not withdrawn.
    given: bool,
    /// When it was given last.
    given_at: Option<Timestamp>,
    /// When it was withdrawn; null while it is given.
    withdrawn_at: Option<Timestamp>,
    /// The version of the text that the client agreed to, as the company calls it.
    version: Option<String>,
    /// `coach` or `client`; null before the first decision.
    recorded_by_type: Option<String>,
    /// The person who recorded it.
    recorded_by: Option<Id>,
}

impl Consent {
    /// A client's decision, or that there is none.
    fn of(cx: &mut Read, client_id: ClientId) -> Result<Self> {
        Client::find(cx, client_id)?;
        let nothing = Self {
            client_id,
            given_at: None,
            withdrawn_at: None,
            version: None,
            recorded_by_type: None,
            recorded_by: None,
        };
        Ok(cx.one(FIND, params![client_id])?.unwrap_or(nothing))
    }

    fn is_given(&self) -> bool {
        self.given_at.is_some() && self.withdrawn_at.is_none()
    }

    fn view(self, cx: &Read) -> HealthConsentAnswer {
        let health_consent = HealthConsent {
            client_id: self.client_id,
            required: cx.caller().features.health_consent,
            given: self.is_given(),
            given_at: self.given_at,
            withdrawn_at: self.withdrawn_at,
            version: self.version,
            recorded_by_type: self.recorded_by_type,
            recorded_by: self.recorded_by,
        };
        HealthConsentAnswer { health_consent }
    }
}

answer!(HealthConsentAnswer { health_consent: HealthConsent });

fn get_health_consent(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<HealthConsentAnswer> {
    Ok(Consent::of(cx, at.client_id)?.view(cx))
}

/// A client's answer to a consent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConsentDecision {
    /// Whether the client consents from now on; false withdraws it.
    given: bool,
    /// The version of the text that the client agreed to, as the company calls it; with `given` alone.
    version: Option<Text<40>>,
}

fn set_health_consent(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(submitted): Body<ConsentDecision>,
) -> Result<HealthConsentAnswer> {
    let before = Consent::of(cx, at.client_id)?;
    let version = submitted.version.map(String::from);
    if !submitted.given && version.is_some() {
        return Err(Problem::invalid("version", PeopleRule::ConsentWithdrawn));
    }
    let mut consent = before.clone();
    let now = cx.now();
    if submitted.given && (!before.is_given() || version != before.version) {
        (consent.given_at, consent.withdrawn_at, consent.version) = (Some(now), None, version);
    } else if !submitted.given && before.is_given() {
        consent.withdrawn_at = Some(now);
    }
    if consent == before {
        return Ok(before.view(cx));
    }
    let (by_type, by) = cx.maker();
    (consent.recorded_by_type, consent.recorded_by) = (Some(by_type), by);
    cx.set_audit_target("client", at.client_id, ["healthConsent"]);
    cx.defer(SAVE, &consent.params())?;
    let client = Client::find(cx, at.client_id)?;
    cx.emit(Event::ClientUpdated, &client.update_event(vec!["healthConsent".to_owned()]))?;
    Ok(consent.view(cx))
}

/// The condition on rows of a table with `client_id` that they are of clients who consented.
#[macro_export]
macro_rules! consented_to {
    ($table:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM health_consent h WHERE h.company_id = ?1 AND h.client_id = ",
            $table,
            ".client_id AND h.given_at IS NOT NULL AND h.withdrawn_at IS NULL)"
        )
    };
}

/// The check that precedes every use of a client's health data.
pub struct HealthConsents;

impl ConsentReader for HealthConsents {
    fn lacks(&self, cx: &mut Read, client: ClientId) -> Result<bool> {
        Ok(cx.one::<(i64,)>(LACKS, params![client])?.is_some())
    }

    fn is_erased(&self, cx: &mut Read, client: ClientId) -> Result<bool> {
        Ok(cx.one::<(i64,)>(ERASED, params![client])?.is_some())
    }
}

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::gone("health_consent", ErasureAction::By(FORGET))];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .exports(&[ExportSection::of("health-consent", "get_health_consent")])
        .erases(TRACES)
        .operations([
            operation!(app GET "/clients/{clientId}/health-consent", Coach, get_health_consent)
                .summary("Get a client's health-data consent")
            .describe(
                "Returns whether and when the client consented to the processing of health data.",
            )
                .for_client(&[]),
            operation!(app PUT "/clients/{clientId}/health-consent", Coach, set_health_consent)
                .summary("Set a client's health-data consent")
                .describe(
                    "Gives or withdraws consent, by the client, or by staff on the client's word. Where the company \
                     requires it (`healthConsent` of its features), no health data of the client is stored without \
                     consent, and none is returned to integrations and assistants or sent in events.",
                )
                .emits(UPDATED)
                .for_client(&[]),
        ])
}

statements! {
    FIND = "SELECT ", Consent::COLUMNS, " FROM health_consent WHERE company_id = ?1 AND client_id = ?2";
    SAVE = "INSERT INTO health_consent ", values!(Consent), " ON CONFLICT (company_id, client_id) DO UPDATE SET ",
        set!(Consent);
    LACKS = "SELECT CAST(1 AS BIGINT) FROM client c JOIN company o ON o.company_id = c.company_id \
        LEFT JOIN health_consent h ON h.company_id = c.company_id AND h.client_id = c.client_id \
        WHERE c.company_id = ?1 AND c.client_id = ?2 AND o.health_consent_enabled \
        AND (h.given_at IS NULL OR h.withdrawn_at IS NOT NULL)";
    ERASED = "SELECT CAST(1 AS BIGINT) FROM client WHERE company_id = ?1 AND client_id = ?2 AND erased_at IS NOT NULL";
    FORGET = "DELETE FROM health_consent WHERE company_id = ?1 AND client_id = ?2";
}
