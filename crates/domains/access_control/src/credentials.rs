//! Giving clients what they are known by at doors, and taking it back.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, Effect, ListQuery, Offboarding, Path, Read, Success, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{
    Change, Id, Key, Patch, Problem, Result, Rule, Timestamp, id::ClientId, text::Text,
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists, params, statements, words};

use crate::{
    credential::{
        self, AccessCredential, AccessCredentialStatus, AccessCredentialView, AccessKind,
        CredentialId, is_obvious, normalized,
    },
    effects::AccessEffect,
    rules::AccessControlRule,
};

listed!(AccessCredentials { access_credentials: AccessCredentialView });

filters! {
    struct Filters {
        /// Credentials of this kind.
        kind: AccessKind => "kind = ?";
        /// Credentials with this status.
        status: AccessCredentialStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_access_credentials(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<AccessCredentials> {
    Client::find(cx, at.client_id)?;
    let found = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(found.map(Into::into).into())
}

answer!(AccessCredentialAnswer { access_credential: AccessCredentialView });

/// The access credential to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAccessCredential {
    /// Whether it is a card, a printed code, a PIN or a mobile credential.
    pub kind: AccessKind,
    /// Number: 4 to 64 letters and digits for a card, 6 to 12 digits for a PIN, 8 to 200 characters
    /// for a mobile device. Absent for `qr`, whose codes the client requests.
    pub number: Option<Text<200>>,
    /// Instant from which the credential is valid; immediately when absent.
    pub valid_from: Option<Timestamp>,
    /// Instant until which the credential is valid; without an end when absent.
    pub valid_until: Option<Timestamp>,
}

fn check_order(from: Option<Timestamp>, until: Option<Timestamp>) -> Result<()> {
    match (from, until) {
        (Some(from), Some(until)) if until <= from => {
            Err(Problem::invalid("validUntil", AccessControlRule::NotAfterValidFrom))
        }
        _ => Ok(()),
    }
}

/// Gives a client something by which they are known.
pub fn give(
    cx: &mut Write,
    client: ClientId,
    new: NewAccessCredential,
) -> Result<AccessCredential> {
    check_order(new.valid_from, new.valid_until)?;
    let number = match (new.kind, new.number) {
        (AccessKind::Qr, None) => None,
        (AccessKind::Qr, Some(_)) => {
            return Err(Problem::invalid("number", AccessControlRule::CodeWithNumber));
        }
        (_, None) => return Err(Problem::invalid("number", Rule::Required)),
        (kind, Some(number)) => {
            let number =
                normalized(kind, &number).map_err(|rule| Problem::invalid("number", rule))?;
            if kind == AccessKind::Pin && is_obvious(&number) {
                return Err(Problem::invalid("number", AccessControlRule::GuessableCode));
            }
            Some(number)
        }
    };
    AccessCredential::create(cx, client, new.kind, number, new.valid_from, new.valid_until)
}

fn add_access_credential(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewAccessCredential>,
) -> Result<AccessCredentialAnswer> {
    let client = Client::find(cx, at.client_id)?;
    if !client.is_active() {
        return Err(Problem::conflict("clientId", AccessControlRule::NotActiveClients));
    }
    Ok(AccessCredentialAnswer { access_credential: give(cx, at.client_id, new)?.into() })
}

path!(CredentialPath { client_id: ClientId, credential_id: CredentialId });

words! {
    /// Status of the credential.
    enum SettableStatus { Active = "active", Suspended = "suspended", Lost = "lost" }
}

/// The fields of an access credential to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "AccessCredentialChanges")]
struct CredentialChanges {
    /// Whether it opens doors from now on.
    status: Change<SettableStatus>,
    /// Instant from which the credential is valid; immediately when null.
    valid_from: Patch<Timestamp>,
    /// Instant until which the credential is valid; without an end when null.
    valid_until: Patch<Timestamp>,
}

fn update_access_credential(
    cx: &mut Write,
    Path(at): Path<CredentialPath>,
    Body(change): Body<CredentialChanges>,
) -> Result<AccessCredentialAnswer> {
    let before = AccessCredential::find(cx, at.client_id, at.credential_id)?;
    if before.status == AccessCredentialStatus::Revoked {
        return Err(Problem::conflict("status", Rule::Revoked));
    }
    let mut own = before.clone();
    change
        .status
        .map(|wanted| match wanted {
            SettableStatus::Active => AccessCredentialStatus::Active,
            SettableStatus::Suspended => AccessCredentialStatus::Suspended,
            SettableStatus::Lost => AccessCredentialStatus::Lost,
        })
        .apply(&mut own.status);
    change.valid_from.apply(&mut own.valid_from);
    change.valid_until.apply(&mut own.valid_until);
    check_order(own.valid_from, own.valid_until)?;
    own.check_free(cx)?;
    own.save(cx, &before)?;
    Ok(AccessCredentialAnswer { access_credential: own.into() })
}

fn revoke_access_credential(
    cx: &mut Write,
    Path(at): Path<CredentialPath>,
) -> Result<AccessCredentialAnswer> {
    let before = AccessCredential::find(cx, at.client_id, at.credential_id)?;
    let mut own = before.clone();
    own.status = AccessCredentialStatus::Revoked;
    own.save(cx, &before)?;
    Ok(AccessCredentialAnswer { access_credential: own.into() })
}

const ENDINGS: &[Effect] = &[Effect::new(
    Offboarding::ClientArchived,
    || AccessEffect::CredentialsSuspended.into(),
    suspend_all,
)];

fn suspend_all(cx: &mut Write, client: Id) -> Result<u64> {
    let now = cx.now();
    cx.execute(SUSPEND, params![client, now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).with(Area::of(credential::statements())).lists(lists()).ends(ENDINGS).operations([
        operation!(app GET "/clients/{clientId}/access-credentials", Coach, list_access_credentials)
            .summary("List access credentials")
            .describe("Returns a client's cards, PINs, phones and QR codes, without their numbers.")
            .for_client(&[]),
        operation!(app POST "/clients/{clientId}/access-credentials", Coach, add_access_credential)
            .summary("Add an access credential")
            .describe(
                "Registers a card, PIN, phone or QR code of a client. A number belongs to one \
                 client at a time and is not returned again; of cards the last characters are.",
            )
            .created()
            .fails(&[Key::ApiError]),
        operation!(app PATCH "/clients/{clientId}/access-credentials/{credentialId}", Coach,
            update_access_credential)
            .summary("Update an access credential")
            .describe("Changes the fields that are sent.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/clients/{clientId}/access-credentials/{credentialId}/revoke", Coach,
            revoke_access_credential)
            .success(Success::Revoked)
            .summary("Revoke an access credential")
            .describe(
                "Revokes a credential permanently. Its number can be given to another client.",
            ),
    ])
}

lists! {
    /// What a client is known by, the newest first; a client has few.
    LIST: List<AccessCredential, Filters> = List::new(
        "access_credential WHERE company_id = ?1 AND client_id = ?2", "credential_id DESC");
}

statements! {
    SUSPEND = "UPDATE access_credential SET status = 'suspended', updated_at = ?3 \
        WHERE company_id = ?1 AND client_id = ?2 AND status = 'active'";
}
