//! The caller: what an app or an assistant needs to know about its person first.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Read, answer, operation};
use spotter_kernel::{Date, Id, Key, Result, TimeZone, Timestamp, id::CompanyId, money::Currency};

use super::accounts::Subject;
use crate::{clients::Client, coaches::Coach};
use spotter_company::company::Company;

/// The signed-in person, or the person an assistant acts for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnAccount {
    /// Kind of account: staff or client.
    kind: Subject,
    /// Id of the record: a `coachId` or a `clientId`.
    id: Id,
    /// Display name.
    name: String,
    /// `Coach`, `Manager` or `Admin`; null for clients.
    role: Option<&'static str>,
    company_id: CompanyId,
    /// Business that the account belongs to.
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
