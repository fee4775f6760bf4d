//! How the business bills: who it is on paper, by which terms, and through whom money is collected.

use maud::html;
use spotter_kernel::Result;

use super::tabs;
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::facts,
        shell::View,
    },
};

/// `/console/settings/invoices`: who bills, and by which terms.
pub(in crate::pages) fn terms(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(ApiCall::of("get_finance_settings"))?;
    let finance = answer.at("financeSettings");
    let provider = cx.call_if_allowed(ApiCall::of("get_payment_provider"))?.unwrap_or_default();
    let t = cx.strings;
    let words = |field: &str| -> Vec<(&str, &str)> {
        let words = cx.words_of("update_finance_settings", field);
        words.into_iter().map(|word| (word, t.term(word))).collect()
    };
    let seller = Form::with_key(cx, "seller", "update_finance_settings", vec![])
        .from(finance)
        .text("seller.name", t.name())
        .address("seller.address")
        .text("seller.vatNumber", t.vat_number())
        .text("seller.taxNumber", t.tax_number())
        .helped("seller.vatExemptionReason", t.vat_exemption_reason(), t.vat_exemption_help())
        .text("seller.registrationNumber", t.registration_number())
        .text("seller.iban", "IBAN")
        .text("seller.bic", "BIC")
        .text("seller.email", t.email())
        .text("seller.phone", t.phone());
    let by = Form::with_key(cx, "terms", "update_finance_settings", vec![])
        .from(finance)
        .text("paymentDays", t.payment_days())
        .check("mailInvoices", t.mails_invoices())
        .choice("billingAnchor", t.billed_from(), &words("billingAnchor"))
        .choice("firstPeriod", t.first_period(), &words("firstPeriod"))
        .choice("cancellationEnd", t.cancellation_end(), &words("cancellationEnd"))
        .check("cancellationNeedsApproval", t.cancellation_needs_approval())
        .check("pauseNeedsApproval", t.pause_needs_approval())
        .text("pauseDaysAYear", t.pause_days())
        .text("feeVatPercentage", t.fee_vat())
        .text("writeOffDays", t.write_off_days());
    let providers = [("sandbox", t.term("sandbox")), ("stripe", "Stripe")];
    let main = html! {
        (tabs(cx, "/invoices"))
        section.card { h2 { (t.who_bills()) } (seller.send(t.save())) }
        section.card { h2 { (t.terms_of_billing()) } (by.send(t.save())) }
        section.card {
            h2 { (t.payment_provider()) }
            @if provider.has("paymentProvider.provider") {
                (facts(vec![(t.kind(), html! { (t.term(provider.text("paymentProvider.provider"))) }), (t.notices_go_to(), html! { code { (provider.text("paymentProvider.noticeUrl")) } })]))
                @if cx.may("disconnect_payment_provider") { (disclosure(t.disconnect(), Form::of(cx, "disconnect_payment_provider").danger(t.disconnect()))) }
            } @else {
                p.quiet { (t.no_provider()) }
                @if cx.may("connect_payment_provider") {
                    (disclosure(t.connect_provider(), Form::of(cx, "connect_payment_provider").choice("provider", t.kind(), &providers)
                        .of_type("password", "secretKey", t.secret_key(), "off").of_type("password", "signingSecret", t.signing_secret(), "off").send(t.connect_provider())))
                }
            }
        }
    };
    Ok(View::new(t.settings(), main))
}
