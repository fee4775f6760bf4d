//! Blocks: clients who are denied access everywhere, whatever they have paid for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Path, Read, Write, answer, operation};
use spotter_kernel::{Id, Key, Result, Timestamp, id::ClientId, text::Text};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{params, record, statements, values};

record! {
    /// A ban of a client from every location.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AccessBlock {
        /// Client who may not enter.
        client_id: ClientId,
        /// Reason, for staff only.
        note: Option<String>,
        /// When the block was set.
        blocked_at: Timestamp,
        /// The coach who blocked them.
        blocked_by: Option<Id>,
    }
}

impl AccessBlock {
    /// Asks ahead for a client's ban.
    pub fn ask_ahead(cx: &mut Read, client: ClientId) -> Result<()> {
        cx.ask_ahead(FIND, params![client])
    }

    /// The block of a client, if there is one.
    pub fn of(cx: &mut Read, client: ClientId) -> Result<Option<Self>> {
        cx.one(FIND, params![client])
    }
}

answer!(AccessBlockAnswer { access_block: AccessBlock });

/// Why a client is banned from every location.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewAccessBlock")]
struct NewBlock {
    /// Reason, for staff only.
    note: Option<Text<500>>,
}

fn get_access_block(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<AccessBlockAnswer> {
    Client::find(cx, at.client_id)?;
    let access_block = AccessBlock::of(cx, at.client_id)?.ok_or(Key::NotFound)?;
    Ok(AccessBlockAnswer { access_block })
}

fn block_access(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewBlock>,
) -> Result<AccessBlockAnswer> {
    Client::find(cx, at.client_id)?;
    let access_block = AccessBlock {
        client_id: at.client_id,
        note: new.note.map(Into::into),
        blocked_at: cx.now(),
        blocked_by: cx.caller().actor.id(),
    };
    cx.set_audit_target("client", at.client_id, ["accessBlock"]);
    cx.defer(DELETE, params![at.client_id])?;
    cx.defer(INSERT, &access_block.params())?;
    Ok(AccessBlockAnswer { access_block })
}

fn unblock_access(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<AccessBlockAnswer> {
    Client::find(cx, at.client_id)?;
    let access_block = AccessBlock::of(cx, at.client_id)?.ok_or(Key::NotFound)?;
    cx.set_audit_target("client", at.client_id, ["accessBlock"]);
    cx.defer(DELETE, params![at.client_id])?;
    Ok(AccessBlockAnswer { access_block })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/clients/{clientId}/access-block", Coach, get_access_block)
            .summary("Get a client's access block")
            .describe("Returns the reason and the author of the block."),
        operation!(app PUT "/clients/{clientId}/access-block", Manager, block_access)
            .summary("Block a client's access")
            .describe(
                "Denies access at every door, whatever the client has paid for, until the block \
                 is deleted.",
            ),
        operation!(app DELETE "/clients/{clientId}/access-block", Manager, unblock_access)
            .summary("Remove an access block")
            .describe("Applies the normal rules at doors again."),
    ])
}

statements! {
    FIND = "SELECT ", AccessBlock::COLUMNS, " FROM access_block WHERE company_id = ?1 AND client_id = ?2";
    DELETE = "DELETE FROM access_block WHERE company_id = ?1 AND client_id = ?2";
    INSERT = "INSERT INTO access_block ", values!(AccessBlock);
}
