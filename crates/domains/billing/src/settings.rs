//! Billing settings: the seller on invoices, when invoices are due, and the rules of memberships. Every setting has a
//! default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Address;
use spotter_contract::{Area, Body, Read, Write, answer, operation};
use spotter_kernel::{
    Change, Many, Patch, Problem, Result, Timestamp,
    money::Percentage,
    number::BoundedInteger,
    text::{Email, Name, Phone, Text},
};
use spotter_store::{Json, params, record, set, statements, values, words};

use crate::{
    identifiers::{Bic, Iban, VatNumber},
    rules::BillingRule,
};

words! {
    /// From when a membership's periods are counted: from its start, or from the first of a month.
    pub enum BillingAnchor { Start = "start", FirstOfMonth = "firstOfMonth" }
}

words! {
    /// What is due for the days before the first of the month: a share, a whole period, or nothing.
    pub enum FirstPeriod { Prorate = "prorate", Full = "full", Free = "free" }
}

words! {
    /// The effect of a pause on invoices: the paid days and the invoices move, or invoices keep their dates and the
    /// next one is reduced.
    pub enum PauseBilling { Flexible = "flexible", Fixed = "fixed" }
}

words! {
    /// When a cancelled membership ends: with the period that is running after notice, or with the notice.
    pub enum CancellationEnd { PeriodEnd = "periodEnd", NoticeEnd = "noticeEnd" }
}

/// The seller on invoices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Seller {
    /// The legal name; the company's name where null.
    pub name: Option<Name<120>>,
    /// Postal address.
    pub address: Option<Address>,
    /// The VAT identification number, such as NL123456789B01.
    pub vat_number: Option<VatNumber>,
    /// Tax number other than a VAT number, such as a Steuernummer, an ABN or a GSTIN.
    pub tax_number: Option<Text<40>>,
    /// Reason for the VAT exemption, as required by law, such as exempt lessons or a small
    /// business.
    pub vat_exemption_reason: Option<Text<200>>,
    /// Company registration number.
    pub registration_number: Option<Text<40>>,
    /// IBAN to pay to.
    pub iban: Option<Iban>,
    /// BIC of the bank.
    pub bic: Option<Bic>,
    /// Email address of the seller.
    pub email: Option<Email>,
    /// Phone number.
    pub phone: Option<Phone>,
}

record! {
    /// The billing settings of a company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct FinanceSettings {
        /// The seller on invoices.
        pub seller: Json<Seller>,
        /// Days from the invoice date to the due date, unless it is collected.
        pub payment_days: i64,
        /// The date from which a membership's billing periods are counted.
        pub billing_anchor: BillingAnchor,
        /// How the days before the first of the month are billed.
        pub first_period: FirstPeriod,
        /// How a pause affects invoices.
        pub pause_billing: PauseBilling,
        /// Most days on which a membership can be paused in a calendar year.
        pub pause_days_a_year: i64,
        /// Whether a manager has to approve pauses.
        pub pause_needs_approval: bool,
        /// When a cancelled membership ends.
        pub cancellation_end: CancellationEnd,
        /// Whether a manager has to approve cancellations.
        pub cancellation_needs_approval: bool,
        /// Days after the first attempt on which what could not be collected is tried again.
        pub retry_days: Json<Vec<i64>>,
        /// Days after the due date on which the client is reminded.
        pub reminder_days: Json<Vec<i64>>,
        /// Days after the due date after which an invoice is written off and its membership ends.
        pub write_off_days: i64,
        /// VAT in fees for late cancellations and for not showing up.
        pub fee_vat_percentage: Percentage,
        /// Whether clients are mailed their invoices when they are issued.
        pub mail_invoices: bool,
        /// When it was last changed; null while everything is as it comes.
        pub updated_at: Option<Timestamp>,
    }
}

impl FinanceSettings {
    /// Asks ahead for the company's settings.
    pub fn ask_ahead(cx: &mut Read) -> Result<()> {
        cx.ask_ahead(FIND, params![])
    }

    /// The company's settings, or the defaults.
    pub fn find(cx: &mut Read) -> Result<Self> {
        Ok(cx.one_kept(FIND, params![])?.unwrap_or_else(|| Self {
            seller: Json(Seller::default()),
            payment_days: 14,
            billing_anchor: BillingAnchor::Start,
            first_period: FirstPeriod::Prorate,
            pause_billing: PauseBilling::Flexible,
            pause_days_a_year: 90,
            pause_needs_approval: false,
            cancellation_end: CancellationEnd::PeriodEnd,
            cancellation_needs_approval: false,
            retry_days: Json(vec![3, 5, 7]),
            reminder_days: Json(vec![1, 7, 14]),
            write_off_days: 30,
            fee_vat_percentage: Percentage::default(),
            mail_invoices: true,
            updated_at: None,
        }))
    }
}

answer!(SettingsAnswer { finance_settings: FinanceSettings });

fn get_finance_settings(cx: &mut Read) -> Result<SettingsAnswer> {
    Ok(SettingsAnswer { finance_settings: FinanceSettings::find(cx)? })
}

/// Changes of who sells.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct SellerChanges {
    /// The legal name; the company's name where null.
    name: Patch<Name<120>>,
    /// Postal address.
    address: Patch<Address>,
    /// The VAT identification number, such as NL123456789B01.
    vat_number: Patch<VatNumber>,
    /// Tax number other than a VAT number, such as a Steuernummer, an ABN or a GSTIN.
    tax_number: Patch<Text<40>>,
    /// Reason for the VAT exemption, as required by law, such as exempt lessons or a small
    /// business.
    vat_exemption_reason: Patch<Text<200>>,
    /// Company registration number.
    registration_number: Patch<Text<40>>,
    /// IBAN to pay to.
    iban: Patch<Iban>,
    /// BIC of the bank.
    bic: Patch<Bic>,
    /// Email address of the seller.
    email: Patch<Email>,
    /// Phone number.
    phone: Patch<Phone>,
}

/// The billing settings to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "FinanceSettingsChanges")]
struct SettingsChanges {
    /// The seller on invoices: present fields change.
    seller: Change<SellerChanges>,
    /// Days from the invoice date to the due date, unless it is collected.
    payment_days: Change<BoundedInteger<0, 90>>,
    /// The date from which a membership's billing periods are counted.
    billing_anchor: Change<BillingAnchor>,
    /// How the days before the first of the month are billed.
    first_period: Change<FirstPeriod>,
    /// How a pause affects invoices.
    pause_billing: Change<PauseBilling>,
    /// Most days on which a membership can be paused in a calendar year.
    pause_days_a_year: Change<BoundedInteger<0, 366>>,
    /// Whether a manager has to approve pauses.
    pause_needs_approval: Change<bool>,
    /// When a cancelled membership ends.
    cancellation_end: Change<CancellationEnd>,
    /// Whether a manager has to approve cancellations.
    cancellation_needs_approval: Change<bool>,
    /// Days after the first attempt on which what could not be collected is tried again: at most 10, 1 to 30,
    /// each later than the one before.
    retry_days: Change<Many<BoundedInteger<1, 30>, 0, 10>>,
    /// Days after the due date on which the client is reminded: at most 10, 1 to 60, each later than the one
    /// before.
    reminder_days: Change<Many<BoundedInteger<1, 60>, 0, 10>>,
    /// Days after the due date after which an invoice is written off and its membership ends.
    write_off_days: Change<BoundedInteger<1, 365>>,
    /// VAT in fees for late cancellations and for not showing up.
    fee_vat_percentage: Change<Percentage>,
    /// Whether clients are mailed their invoices when they are issued.
    mail_invoices: Change<bool>,
}

fn ascending<const MAX: i64>(
    field: &str,
    days: Many<BoundedInteger<1, MAX>, 0, 10>,
) -> Result<Json<Vec<i64>>> {
    let days: Vec<i64> = days.into_iter().map(Into::into).collect();
    if days.is_sorted_by(|a, b| a < b) {
        return Ok(Json(days));
    }
    Err(Problem::invalid(field, BillingRule::DaysNotRising))
}

fn update_finance_settings(
    cx: &mut Write,
    Body(change): Body<SettingsChanges>,
) -> Result<SettingsAnswer> {
    let before = FinanceSettings::find(cx)?;
    let mut settings = before.clone();
    if let Some(change) = change.seller.value() {
        let seller = &mut settings.seller.0;
        change.name.apply(&mut seller.name);
        change.address.apply(&mut seller.address);
        change.vat_number.apply(&mut seller.vat_number);
        change.tax_number.apply(&mut seller.tax_number);
        change.vat_exemption_reason.apply(&mut seller.vat_exemption_reason);
        change.registration_number.apply(&mut seller.registration_number);
        change.iban.apply(&mut seller.iban);
        change.bic.apply(&mut seller.bic);
        change.email.apply(&mut seller.email);
        change.phone.apply(&mut seller.phone);
    }
    change.payment_days.apply(&mut settings.payment_days);
    change.billing_anchor.apply(&mut settings.billing_anchor);
    change.first_period.apply(&mut settings.first_period);
    change.pause_billing.apply(&mut settings.pause_billing);
    change.pause_days_a_year.apply(&mut settings.pause_days_a_year);
    change.pause_needs_approval.apply(&mut settings.pause_needs_approval);
    change.cancellation_end.apply(&mut settings.cancellation_end);
    change.cancellation_needs_approval.apply(&mut settings.cancellation_needs_approval);
    if let Some(days) = change.retry_days.value() {
        settings.retry_days = ascending("retryDays", days)?;
    }
    if let Some(days) = change.reminder_days.value() {
        settings.reminder_days = ascending("reminderDays", days)?;
    }
    change.write_off_days.apply(&mut settings.write_off_days);
    change.fee_vat_percentage.apply(&mut settings.fee_vat_percentage);
    change.mail_invoices.apply(&mut settings.mail_invoices);
    let company = cx.company();
    if let Some(now) = cx.audit_fields("company", company, settings.changed(&before)) {
        settings.updated_at = Some(now);
        cx.defer(SAVE, &settings.params())?;
    }
    Ok(SettingsAnswer { finance_settings: settings })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/company/finance-settings", Manager, get_finance_settings)
            .summary("Get the billing settings")
            .describe(
                "Returns who the seller is, and how invoices, pauses and cancellations work.",
            ),
        operation!(app PATCH "/company/finance-settings", Manager, update_finance_settings)
            .summary("Update the billing settings")
            .describe(
                "Changes the fields that are sent. What was already sold or billed stays \
                 unchanged.",
            ),
    ])
}

statements! {
    FIND = "SELECT ", FinanceSettings::COLUMNS, " FROM finance_settings WHERE company_id = ?1";
    SAVE = "INSERT INTO finance_settings ", values!(FinanceSettings),
        " ON CONFLICT (company_id) DO UPDATE SET ", set!(FinanceSettings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_ascend() {
        let days =
            |json: &str| serde_json::from_str::<Many<BoundedInteger<1, 30>, 0, 10>>(json).unwrap();
        assert!(ascending("retryDays", days("[]")).is_ok());
        assert!(ascending("retryDays", days("[1, 3]")).is_ok());
        assert!(ascending("retryDays", days("[3, 3]")).is_err());
    }
}
