//! Billing details: the business that a client's invoices are addressed to, and whether it accounts for VAT itself
//! (reverse charge).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Address;
use spotter_contract::{Area, Body, Path, Read, Write, answer, operation, path};
use spotter_kernel::{
    Change, Patch, Problem, Result, Timestamp,
    id::ClientId,
    text::{Name, Text},
};
use spotter_people::clients::Client;
use spotter_store::{Json, params, record, set, statements, values};

use crate::{identifiers::VatNumber, rules::BillingRule, settings::FinanceSettings};

record! {
    /// The name and address on a client's invoices.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct BillingDetails {
        /// Client whose invoices carry them.
        pub client_id: ClientId,
        /// The business that is billed; the client where null.
        pub company_name: Option<String>,
        /// Address; the client's address when null.
        pub address: Option<Json<Address>>,
        /// VAT identification number, such as NL123456789B01.
        pub vat_number: Option<String>,
        /// Number in the trade register.
        pub registration_number: Option<String>,
        /// Whether it accounts for VAT itself: its invoices then have the category `reverse_charge` and no VAT in
        /// their amounts, which do not change.
        pub reverse_charge: bool,
        /// When they were last changed; null while there are none.
        pub updated_at: Option<Timestamp>,
    }
}

impl BillingDetails {
    /// Asks ahead for the client's billing details.
    pub fn ask_ahead(cx: &mut Read, client: ClientId) -> Result<()> {
        cx.ask_ahead(FIND, params![client])
    }

    /// The client's billing details; empty where none are set.
    pub fn find(cx: &mut Read, client: ClientId) -> Result<Self> {
        Ok(cx.one_kept(FIND, params![client])?.unwrap_or(Self {
            client_id: client,
            company_name: None,
            address: None,
            vat_number: None,
            registration_number: None,
            reverse_charge: false,
            updated_at: None,
        }))
    }

    /// Reverse charge names both parties by their VAT numbers (EN 16931, BR-AE-02).
    fn check(&self, before: &Self, settings: &FinanceSettings) -> Result<()> {
        if !self.reverse_charge {
            return Ok(());
        }
        if self.vat_number.is_none() {
            return Err(Problem::invalid("vatNumber", BillingRule::ReverseChargeVatNumber));
        }
        if !before.reverse_charge && settings.seller.0.vat_number.is_none() {
            return Err(Problem::conflict("reverseCharge", BillingRule::SellerVatNumber));
        }
        Ok(())
    }
}

path!(ClientPath {
    /// Client whose invoices carry them.
    client_id: ClientId
});

answer!(BillingDetailsAnswer { billing_details: BillingDetails });

fn get_billing_details(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<BillingDetailsAnswer> {
    let client = Client::find(cx, at.client_id)?;
    Ok(BillingDetailsAnswer { billing_details: BillingDetails::find(cx, client.client_id)? })
}

/// The billing details to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct BillingDetailsChanges {
    /// The business that is billed; null for the client.
    company_name: Patch<Name<120>>,
    /// Address; null for the client's address.
    address: Patch<Address>,
    /// VAT identification number, such as NL123456789B01.
    vat_number: Patch<VatNumber>,
    /// Number in the trade register.
    registration_number: Patch<Text<40>>,
    /// Whether it accounts for VAT itself. Needs `vatNumber`, and the seller's in the finance settings.
    reverse_charge: Change<bool>,
}

fn update_billing_details(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(change): Body<BillingDetailsChanges>,
) -> Result<BillingDetailsAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let before = BillingDetails::find(cx, client.client_id)?;
    let mut details = before.clone();
    change.company_name.map(Into::into).apply(&mut details.company_name);
    change.address.map(Json).apply(&mut details.address);
    change.vat_number.map(|number| number.to_string()).apply(&mut details.vat_number);
    change.registration_number.map(Into::into).apply(&mut details.registration_number);
    change.reverse_charge.apply(&mut details.reverse_charge);
    details.check(&before, &FinanceSettings::find(cx)?)?;
    if let Some(now) =
        cx.audit_fields("billing_details", client.client_id, details.changed(&before))
    {
        details.updated_at = Some(now);
        cx.defer(SAVE, &details.params())?;
    }
    Ok(BillingDetailsAnswer { billing_details: details })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/finance/clients/{clientId}/billing-details", Coach, get_billing_details)
            .summary("Get a client's billing details")
            .describe("Returns to whom the client's invoices are addressed.")
            .for_client(&[]),
        operation!(app PATCH "/finance/clients/{clientId}/billing-details", Manager, update_billing_details)
            .summary("Update a client's billing details")
            .describe(
                "Sets the addressee: a business with its VAT number, and whether VAT is \
                 reverse-charged. Issued invoices stay unchanged.",
            ),
    ])
}

statements! {
    FIND = "SELECT ", BillingDetails::COLUMNS, " FROM billing_details WHERE company_id = ?1 AND client_id = ?2";
    SAVE = "INSERT INTO billing_details ", values!(BillingDetails),
        " ON CONFLICT (company_id, client_id) DO UPDATE SET ", set!(BillingDetails);
}
