//! API clients: the integrations of a company, what they may do, and their secrets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Offboarding, Path, Read, Success, Write, answer, listed, operation,
    path, vault,
};
use spotter_kernel::{
    Change, Event, Gate, Id, Key, Patch, Problem, Result, Scope, ScopeSet, Timestamp,
    id::{CoachId, CompanyId},
    secret::{API_CLIENT_ID_PREFIX, Credential, CredentialKind, EnvironmentMode},
    text::Name,
};
use spotter_store::{List, filters, lists, params, record, set, statements, values, words};

use super::tokens;
use crate::{coaches::Coach, rules::PeopleRule};

words! {
    /// Whether an API client can be used.
    pub enum ApiClientStatus { Active = "active", Revoked = "revoked" }
}

/// The consents that gated scopes need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Consents {
    /// The company agrees that health data leaves through this client.
    pub health_data: bool,
    /// The company agrees that private communication leaves through this client.
    pub private_communication: bool,
}

record! {
    /// An API client as it is stored.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ApiClient {
        /// The record's id.
        pub api_client_id: Id,
        /// Display name.
        pub name: String,
        status: ApiClientStatus,
        /// The scopes that its tokens can have.
        pub scopes: ScopeSet,
        health_data: bool,
        private_communication: bool,
        /// Coach assigned to clients that are created without one.
        pub default_assigned_coach_id: Option<CoachId>,
        secret_digest: Vec<u8>,
        secret_last4: String,
        secret_rotated_at: Option<Timestamp>,
        created_by: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl ApiClient {
    /// The API client with this id.
    pub fn find(cx: &mut Read, id: Id) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// Whether its tokens are good.
    pub fn is_active(&self) -> bool {
        self.status == ApiClientStatus::Active
    }

    /// The consents it was given.
    pub fn consents(&self) -> Consents {
        Consents {
            health_data: self.health_data,
            private_communication: self.private_communication,
        }
    }

    /// Whether it may hear of an event: read what the event is about, with the consent that gates that.
    pub fn may_receive(&self, event: Event) -> bool {
        let Some(scope) = event.scope() else { return self.is_active() };
        let consented = match scope.gate() {
            Gate::None => true,
            Gate::HealthData => self.health_data,
            Gate::PrivateCommunication => self.private_communication,
        };
        self.is_active() && self.scopes.contains(scope) && consented
    }

    /// The OAuth client id, which carries the company so that a token request names its tenant.
    pub fn client_id(&self, cx: &Read) -> String {
        let (mark, company) = (cx.mode().mark(), cx.company());
        format!("{API_CLIENT_ID_PREFIX}{mark}{company}{}", self.api_client_id)
    }

    fn view(self, cx: &Read) -> ApiClientView {
        ApiClientView {
            id: self.api_client_id,
            client_id: self.client_id(cx),
            status: self.status,
            consents: self.consents(),
            secret: SecretView { last4: self.secret_last4, rotated_at: self.secret_rotated_at },
            scopes: self.scopes.iter().collect(),
            name: self.name,
            default_assigned_coach_id: self.default_assigned_coach_id,
            created_by: self.created_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn set_secret(&mut self, secret: &Credential) {
        let text = secret.expose();
        self.secret_digest = vault::digest(secret).to_vec();
        self.secret_last4 = text.get(text.len().saturating_sub(4)..).unwrap_or_default().to_owned();
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let named = changed.iter().filter(|name| *name != "secretDigest" && *name != "secretLast4");
        cx.set_audit_target("api_client", self.api_client_id, named.cloned().collect::<Vec<_>>());
        if changed.is_empty() {
            return Ok(());
        }
        self.updated_at = cx.now();
        cx.defer(SAVE, &self.params())
    }
}

/// Takes an OAuth client id apart into its company and record.
pub fn parse_client_id(text: &str) -> Option<(CompanyId, Id)> {
    let (_, rest) = EnvironmentMode::of_marked(text.strip_prefix(API_CLIENT_ID_PREFIX)?);
    let company = CompanyId(Id::parse(rest.get(..24)?)?);
    Some((company, Id::parse(rest.get(24..)?)?))
}

/// An API client, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiClient")]
pub struct ApiClientView {
    id: Id,
    /// The OAuth client id.
    client_id: String,
    name: String,
    status: ApiClientStatus,
    scopes: Vec<Scope>,
    consents: Consents,
    default_assigned_coach_id: Option<CoachId>,
    secret: SecretView,
    created_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The visible end of a client secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiClientSecret")]
struct SecretView {
    last4: String,
    rotated_at: Option<Timestamp>,
}

/// A gated scope needs its consent.
fn check_consents(scopes: &ScopeSet, consents: Consents) -> Result<()> {
    let missing = scopes.iter().find(|scope| match scope.gate() {
        Gate::None => false,
        Gate::HealthData => !consents.health_data,
        Gate::PrivateCommunication => !consents.private_communication,
    });
    match missing {
        None => Ok(()),
        Some(scope) => Err(Problem::field(
            scope.gate().at_creation(),
            "consents",
            PeopleRule::ConsentMissing { scope: scope.name() },
        )),
    }
}

/// The API client to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewApiClient {
    /// Display name.
    pub name: Name<120>,
    /// At least one scope.
    #[schemars(length(min = 1))]
    pub scopes: Vec<Scope>,
    /// Coach assigned to clients that are created without one.
    #[schemars(required, with = "CoachId")]
    pub default_assigned_coach_id: Option<CoachId>,
    /// Consents that gated scopes require.
    #[serde(default)]
    pub consents: Consents,
}

/// An API client with its secret, which is returned only once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiClientSecret {
    /// The OAuth client id.
    pub client_id: String,
    /// Shown only this once; only a digest is stored.
    pub client_secret: String,
    /// The client.
    pub client: ApiClientView,
}

/// Creates an API client and its secret.
pub fn create_api_client(cx: &mut Write, Body(new): Body<NewApiClient>) -> Result<ApiClientSecret> {
    if new.scopes.is_empty() {
        return Err(Problem::invalid("scopes", PeopleRule::NoScopes));
    }
    let scopes = ScopeSet::of(new.scopes);
    check_consents(&scopes, new.consents)?;
    let coach = new.default_assigned_coach_id.ok_or_else(|| {
        Problem::field(Key::CoachRequired, "defaultAssignedCoachId", PeopleRule::CoachRequired)
    })?;
    Coach::find_assignable(cx, coach)?;
    let secret = cx.new_credential(CredentialKind::ApiClientSecret);
    let mut client = ApiClient {
        api_client_id: cx.new_id(),
        name: new.name.into(),
        status: ApiClientStatus::Active,
        scopes,
        health_data: new.consents.health_data,
        private_communication: new.consents.private_communication,
        default_assigned_coach_id: Some(coach),
        secret_digest: Vec::new(),
        secret_last4: String::new(),
        secret_rotated_at: None,
        created_by: cx.caller().actor.id(),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    client.set_secret(&secret);
    cx.set_audit_target("api_client", client.api_client_id, ["apiClient"]);
    cx.defer(INSERT, &client.params())?;
    Ok(shown_once(cx, client, &secret))
}

fn shown_once(cx: &Write, client: ApiClient, secret: &Credential) -> ApiClientSecret {
    ApiClientSecret {
        client_id: client.client_id(cx),
        client_secret: secret.expose().to_owned(),
        client: client.view(cx),
    }
}

listed!(ApiClients { clients: ApiClientView });

filters! {
    struct Filters {
        /// API clients in this status.
        status: ApiClientStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_api_clients(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<ApiClients> {
    let found = cx.page(&LIST, &wanted, page)?;
    Ok(found.map(|client| client.view(cx)).into())
}

path!(
    /// An API client in a path.
    pub ApiClientPath {
        /// The record's id.
        id: Id,
    }
);

answer!(ApiClientAnswer { client: ApiClientView });

fn get_api_client(cx: &mut Read, Path(at): Path<ApiClientPath>) -> Result<ApiClientAnswer> {
    let client = ApiClient::find(cx, at.id)?;
    Ok(ApiClientAnswer { client: client.view(cx) })
}

/// The fields of an API client to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ApiClientChanges {
    name: Change<Name<120>>,
    /// Tokens that hold more stop being valid at once.
    #[schemars(length(min = 1))]
    scopes: Change<Vec<Scope>>,
    /// Withdrawing a consent makes gated requests answer 403 at once.
    consents: Change<Consents>,
    default_assigned_coach_id: Patch<CoachId>,
}

fn update_api_client(
    cx: &mut Write,
    Path(at): Path<ApiClientPath>,
    Body(change): Body<ApiClientChanges>,
) -> Result<ApiClientAnswer> {
    let before = ApiClient::find(cx, at.id)?;
    let mut client = before.clone();
    change.name.apply(&mut client.name);
    if let Some(consents) = change.consents.value() {
        client.health_data = consents.health_data;
        client.private_communication = consents.private_communication;
    }
    if let Some(scopes) = change.scopes.value() {
        if scopes.is_empty() {
            return Err(Problem::invalid("scopes", PeopleRule::NoScopes));
        }
        client.scopes = ScopeSet::of(scopes);
        check_consents(&client.scopes, client.consents())?;
        if !before.scopes.is_subset(&client.scopes) {
            tokens::revoke_all(cx, client.api_client_id)?;
        }
    }
    match change.default_assigned_coach_id {
        Patch::Absent => {}
        Patch::Clear => {
            let field = "defaultAssignedCoachId";
            return Err(Problem::field(Key::CoachRequired, field, PeopleRule::CoachRequired));
        }
        Patch::Set(coach) => {
            Coach::find_assignable(cx, coach)?;
            client.default_assigned_coach_id = Some(coach);
        }
    }
    client.save(cx, &before)?;
    cx.end(Offboarding::ScopesWithdrawn, client.api_client_id)?;
    Ok(ApiClientAnswer { client: client.view(cx) })
}

/// Gives an API client a new secret; its tokens and its old secret stop working at once.
pub fn rotate_api_client_secret(
    cx: &mut Write,
    Path(at): Path<ApiClientPath>,
) -> Result<ApiClientSecret> {
    let before = ApiClient::find(cx, at.id)?;
    if before.status == ApiClientStatus::Revoked {
        return Err(Problem::conflict("status", PeopleRule::ClientRevoked));
    }
    let mut client = before.clone();
    let secret = cx.new_credential(CredentialKind::ApiClientSecret);
    client.set_secret(&secret);
    client.secret_rotated_at = Some(cx.now());
    client.save(cx, &before)?;
    tokens::revoke_all(cx, client.api_client_id)?;
    Ok(shown_once(cx, client, &secret))
}

/// Revokes an API client. Its tokens answer 401 `auth.invalid_client` from then on.
pub fn revoke_api_client(cx: &mut Write, Path(at): Path<ApiClientPath>) -> Result<RevokedClient> {
    let before = ApiClient::find(cx, at.id)?;
    let mut client = before.clone();
    client.status = ApiClientStatus::Revoked;
    client.save(cx, &before)?;
    cx.end(Offboarding::ScopesWithdrawn, client.api_client_id)?;
    Ok(RevokedClient { client: client.view(cx) })
}

/// The API client that was revoked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RevokedClient {
    client: ApiClientView,
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/integrations/public-api/clients", Manager, list_api_clients)
            .summary("List API clients")
            .describe("Returns integrations with their scopes, newest first."),
        operation!(app POST "/integrations/public-api/clients", Manager, create_api_client)
            .success(Success::Added)
            .summary("Create an API client")
            .describe(
                "Creates the credentials of an integration with its scopes and consents. The \
                 secret is returned in this response only.",
            )
            .created()
            .secret(&["clientId", "clientSecret"])
            .fails(&[Key::CoachRequired, Key::HealthConsentRequired, Key::PrivateCommunicationConsentRequired, Key::ApiError]),
        operation!(app GET "/integrations/public-api/clients/{id}", Manager, get_api_client)
            .summary("Get an API client")
            .describe("Returns one API client with its scopes and consents, without its secret."),
        operation!(app PATCH "/integrations/public-api/clients/{id}", Manager, update_api_client).reauthentication()
            .summary("Update an API client")
            .describe(
                "Changes the fields that are sent. Tokens with removed scopes stop working at \
                 once.",
            )
            .fails(&[Key::CoachRequired, Key::HealthConsentRequired, Key::PrivateCommunicationConsentRequired, Key::ApiError]),
        operation!(app POST "/integrations/public-api/clients/{id}/rotate-secret", Manager,
            rotate_api_client_secret)
            .summary("Rotate an API client's secret")
            .describe(
                "Returns a new secret in this response only. The old one stops working at once.",
            )
            .secret(&["clientId", "clientSecret"])
            .fails(&[Key::ApiError]),
        operation!(app POST "/integrations/public-api/clients/{id}/revoke", Manager, revoke_api_client)
            .success(Success::Revoked)
            .summary("Revoke an API client")
            .describe("Ends an integration's access permanently."),
    ]).tagged("API clients")
}

lists! {
    /// Every API client, newest first; a company has few.
    LIST: List<ApiClient, Filters> =
        List::new("api_client WHERE company_id = ?1", "api_client_id DESC");
}

statements! {
    FIND = "SELECT ", ApiClient::COLUMNS, " FROM api_client WHERE company_id = ?1 AND api_client_id = ?2";
    INSERT = "INSERT INTO api_client ", values!(ApiClient);
    SAVE = "UPDATE api_client SET ", set!(ApiClient),
        " WHERE company_id = ?1 AND api_client_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_gated_scope_passes_exactly_with_its_consent(
            chosen in proptest::sample::subsequence(Scope::ALL, 0..=20),
            health_data: bool,
            private_communication: bool,
        ) {
            let missing = |gate| match gate {
                Gate::None => false,
                Gate::HealthData => !health_data,
                Gate::PrivateCommunication => !private_communication,
            };
            let first = chosen.iter().map(|scope| scope.gate()).find(|gate| missing(*gate));
            let consents = Consents { health_data, private_communication };
            let checked = check_consents(&ScopeSet::of(chosen), consents);
            proptest::prop_assert_eq!(checked.err().map(|problem| problem.key), first.map(Gate::at_creation));
        }
    }
}
