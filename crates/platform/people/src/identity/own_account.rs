//! Who asks: what an app or an assistant has to know of its person before it asks for anything else.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Read, answer, operation};
use spotter_kernel::{Date, Id, Key, Result, TimeZone, Timestamp, id::CompanyId, money::Currency};

use super::accounts::Subject;
use crate::{clients::Client, coaches::Coach};
use spotter_company::company::Company;

/// The person who is signed in, or for whom an assistant acts.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnAccount {
    /// Whether they work for the company or are its client.
    kind: Subject,
    /// Their record: a `coachId` or a `clientId`.
    id: Id,
    /// Display name.
    name: String,
    /// `SuperAdmin`, `Admin` or `Coach`; null for clients.
    role: Option<&'static str>,
    company_id: CompanyId,
    /// What the company is called.
    company_name: String,
    /// ISO 4217 code of the company's currency.
    currency: Currency,
    /// The zone of the company's dates.
    time_zone: TimeZone,
    /// The company's date now.
    today: Date,
    /// Current time of the server.
    now: Timestamp,
}

answer!(OwnAccountAnswer { account: OwnAccount });

fn get_own_account(cx: &mut Read) -> Result<OwnAccountAnswer> {
    let (kind, id, name, role) = match cx.caller().actor {
        Actor::Coach { id, role, .. } => {
            let name = Coach::names(cx, &[id])?.pop().flatten().unwrap_or_default();
            (Subject::Coach, id.0, name, Some(role.word()))
        }
        Actor::Client { id, .. } => (Subject::Client, id.0, Client::find(cx, id)?.name(), None),
        _ => return Err(Key::Forbidden.into()),
    };
    let (company, now) = (Company::find(cx)?, cx.now());
    let time_zone = company.zone();
    let account = OwnAccount {
        kind,
        id,
        name,
        role,
        company_id: company.company_id,
        company_name: company.name,
        currency: company.currency,
        today: time_zone.date_at(now),
        time_zone,
        now,
    };
    Ok(OwnAccountAnswer { account })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default()
        .operations([operation!(app GET "/auth/account", SignedIn, get_own_account)
            .summary("Get the signed-in account")
            .describe("Returns the caller and the company's name, currency, time zone and date.")])
        .tagged("Signing in")
}
