//! What an integration can learn about itself: its own record, what the company has switched on,
//! and the catalogues of scopes and events.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Features, ListQuery, Read, answer, listed, operation};
use spotter_kernel::{
    Event, Gate, Id, Key, Page, Result, Scope,
    id::{CoachId, CompanyId},
    limits,
    secret::EnvironmentMode,
};
use spotter_store::NoFilters;

use crate::identity::api_clients::{ApiClient, Consents};
use spotter_company::company;

/// The calling API client and its company.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiClientProfile")]
struct Profile {
    /// The record's id.
    id: Id,
    /// The OAuth client id.
    client_id: String,
    name: String,
    /// The scopes assigned to the client; a token may hold fewer.
    scopes: Vec<Scope>,
    consents: Consents,
    default_assigned_coach_id: Option<CoachId>,
    /// Whether what it does is real, or happens in the test environment.
    mode: EnvironmentMode,
    company: ProfileCompany,
}

/// The company of an API client.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiClientCompany")]
struct ProfileCompany {
    company_id: CompanyId,
    name: String,
    time_zone: String,
}

answer!(ProfileAnswer { profile: Profile });

fn get_platform_profile(cx: &mut Read) -> Result<ProfileAnswer> {
    let own = cx.caller().actor.id().ok_or(Key::NotFound)?;
    let client = ApiClient::find(cx, own)?;
    let company = company::Company::find(cx)?;
    Ok(ProfileAnswer {
        profile: Profile {
            id: client.api_client_id,
            client_id: client.client_id(cx),
            scopes: client.scopes.iter().collect(),
            consents: client.consents(),
            default_assigned_coach_id: client.default_assigned_coach_id,
            name: client.name,
            mode: cx.mode(),
            company: ProfileCompany {
                company_id: company.company_id,
                name: company.name,
                time_zone: company.time_zone,
            },
        },
    })
}

/// The features of this company and their limits.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    features: Features,
    limits: Limits,
    webhooks: WebhookPolicy,
}

/// The limits of the Public API.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiLimits")]
struct Limits {
    page_size_default: i64,
    page_size_max: i64,
    idempotency_key_max_length: usize,
    idempotency_retention_seconds: i64,
    request_body_max_bytes: usize,
    access_token_seconds: i64,
}

/// How deliveries are retried and kept.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WebhookPolicy {
    max_attempts: u32,
    /// Seconds from each failed attempt to the next one.
    backoff_seconds: Vec<u32>,
    backoff_cap_seconds: u32,
}

answer!(CapabilitiesAnswer { capabilities: Capabilities });

fn get_platform_capabilities(cx: &mut Read) -> Result<CapabilitiesAnswer> {
    let features = company::Company::find(cx)?.features();
    Ok(CapabilitiesAnswer {
        capabilities: Capabilities {
            features,
            limits: Limits {
                page_size_default: limits::PAGE_DEFAULT,
                page_size_max: limits::PAGE_MAX,
                idempotency_key_max_length: limits::IDEMPOTENCY_KEY_MAX,
                idempotency_retention_seconds: limits::IDEMPOTENCY_RETENTION_SECONDS,
                request_body_max_bytes: limits::BODY_MAX,
                access_token_seconds: limits::ACCESS_TOKEN_SECONDS,
            },
            webhooks: WebhookPolicy {
                max_attempts: limits::WEBHOOK_ATTEMPTS_MAX,
                backoff_seconds: limits::WEBHOOK_BACKOFF_SECONDS.to_vec(),
                backoff_cap_seconds: limits::WEBHOOK_BACKOFF_CAP_SECONDS,
            },
        },
    })
}

/// A scope with its description.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScopeDescription")]
struct ScopeEntry {
    name: Scope,
    purpose: &'static str,
    /// The consent that the API client needs for it.
    gate: Gate,
    /// Whether the calling token holds it.
    granted: bool,
}

listed!(Scopes { scopes: ScopeEntry });

fn list_platform_scopes(
    cx: &mut Read,
    ListQuery(_, request): ListQuery<NoFilters>,
) -> Result<Scopes> {
    let granted = |scope| match &cx.caller().actor {
        Actor::ApiClient { scopes, .. } => scopes.contains(scope),
        _ => false,
    };
    let entries = Scope::ALL.iter().map(|scope| ScopeEntry {
        name: *scope,
        purpose: scope.purpose(),
        gate: scope.gate(),
        granted: granted(*scope),
    });
    Ok(Page::of(entries.collect(), request)?.into())
}

/// An event that webhooks can subscribe to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEventType")]
struct EventEntry {
    name: Event,
    group: &'static str,
    /// The scope that a subscription to it takes, with that scope's consent; null where it takes none.
    scope: Option<Scope>,
    /// When it is sent.
    when: &'static str,
}

listed!(Events { events: EventEntry });

fn list_platform_events(
    _: &mut Read,
    ListQuery(_, request): ListQuery<NoFilters>,
) -> Result<Events> {
    let entries = Event::ALL.iter().map(|event| EventEntry {
        name: *event,
        group: event.group(),
        scope: event.scope(),
        when: event.when(),
    });
    Ok(Page::of(entries.collect(), request)?.into())
}

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::default()
        .operations([
            operation!(GET "/platform/profile", PlatformRead, get_platform_profile)
                .summary("Get the calling API client")
                .describe("Returns the API client, its company, scopes and consents.")
                .integrations_only(),
            operation!(GET "/platform/capabilities", PlatformRead, get_platform_capabilities)
                .summary("Get capabilities and limits")
                .describe(
                    "Returns which features the company has switched on, and the API's limits.",
                )
                .fails(&[Key::CompanyNotFound]),
            operation!(GET "/platform/scopes", PlatformRead, list_platform_scopes)
                .summary("List scopes")
                .describe("Returns every scope with its purpose.")
                .integrations_only(),
            operation!(GET "/platform/events", PlatformRead, list_platform_events)
                .summary("List webhook events")
                .describe(
                    "Returns every event type with the scope that reading its payload requires.",
                ),
        ])
        .tagged("Platform")
}
