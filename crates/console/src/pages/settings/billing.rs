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
    let say = cx.say;
    let words = |field: &str| -> Vec<(&str, &str)> {
        let words = cx.words_of("update_finance_settings", field);
        words.into_iter().map(|word| (word, say.term(word))).collect()
    };
    let seller = Form::with_key(cx, "seller", "update_finance_settings", vec![])
        .from(finance)
        .text("seller.name", say.name())
        .address("seller.address")
        .text("seller.vatNumber", say.vat_number())
        .text("seller.taxNumber", say.tax_number())
        .helped("seller.vatExemptionReason", say.vat_exemption_reason(), say.vat_exemption_help())
        .text("seller.registrationNumber", say.registration_number())
        .text("seller.iban", "IBAN")
        .text("seller.bic", "BIC")
        .text("seller.email", say.email())
        .text("seller.phone", say.phone());
    let by = Form::with_key(cx, "terms", "update_finance_settings", vec![])
        .from(finance)
        .text("paymentDays", say.payment_days())
        .check("mailInvoices", say.mails_invoices())
        .choice("billingAnchor", say.billed_from(), &words("billingAnchor"))
        .choice("firstPeriod", say.first_period(), &words("firstPeriod"))
        .choice("cancellationEnd", say.cancellation_end(), &words("cancellationEnd"))
        .check("cancellationNeedsApproval", say.cancellation_needs_approval())
        .check("pauseNeedsApproval", say.pause_needs_approval())
        .text("pauseDaysAYear", say.pause_days())
        .text("feeVatPercentage", say.fee_vat())
        .text("writeOffDays", say.write_off_days());
    let providers = [("sandbox", say.term("sandbox")), ("stripe", "Stripe")];
    let main = html! {
        (tabs(cx, "/invoices"))
        section.card { h2 { (say.who_bills()) } (seller.send(say.save())) }
        section.card { h2 { (say.terms_of_billing()) } (by.send(say.save())) }
        section.card {
            h2 { (say.payment_provider()) }
            @if provider.has("paymentProvider.provider") {
                (facts(vec![(say.kind(), html! { (say.term(provider.text("paymentProvider.provider"))) }), (say.notices_go_to(), html! { code { (provider.text("paymentProvider.noticeUrl")) } })]))
                @if cx.may("disconnect_payment_provider") { (disclosure(say.disconnect(), Form::of(cx, "disconnect_payment_provider").danger(say.disconnect()))) }
            } @else {
                p.quiet { (say.no_provider()) }
                @if cx.may("connect_payment_provider") {
                    (disclosure(say.connect_provider(), Form::of(cx, "connect_payment_provider").choice("provider", say.kind(), &providers)
                        .of_type("password", "secretKey", say.secret_key(), "off").of_type("password", "signingSecret", say.signing_secret(), "off").send(say.connect_provider())))
                }
            }
        }
    };
    Ok(View::new(say.settings(), main))
}
