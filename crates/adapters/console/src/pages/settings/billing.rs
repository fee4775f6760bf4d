//! Billing settings: the seller, the terms and the payment provider.

use maud::html;
use spotter_kernel::Result;

use super::tabs;
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::facts,
        shell::View,
    },
};

/// `/console/settings/invoices`: who bills, and by which terms.
pub(in crate::pages) fn terms(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_finance_settings())?;
    let finance = answer.finance_settings();
    let answer = cx.call_or_empty(api::get_payment_provider())?;
    let provider = answer.payment_provider();
    let t = cx.strings;
    let words = |field: &str| -> Vec<(&str, &str)> {
        let words = cx.words_of("update_finance_settings", field);
        words.into_iter().map(|word| (word, t.term_of(field, word))).collect()
    };
    let seller = Form::with_key(cx, "seller", api::update_finance_settings())
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
    let by = Form::with_key(cx, "terms", api::update_finance_settings())
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
            @if let Some(provider) = provider {
                (facts(vec![
                    (t.kind(), html! { (t.term(provider.provider())) }),
                    (t.notices_go_to(), html! { code { (provider.notice_url()) } }),
                ]))
                @if cx.may(api::DisconnectPaymentProvider) {
                    (disclosure(
                        t.disconnect(),
                        Form::of(cx, api::disconnect_payment_provider()).danger(t.disconnect()),
                    ))
                }
            } @else {
                p.quiet { (t.no_provider()) }
                @if cx.may(api::ConnectPaymentProvider) {
                    (disclosure(
                        t.connect_provider(),
                        Form::of(cx, api::connect_payment_provider())
                            .choice("provider", t.kind(), &providers)
                            .of_type("password", "secretKey", t.secret_key(), "off")
                            .of_type("password", "signingSecret", t.signing_secret(), "off")
                            .send(t.connect_provider()),
                    ))
                }
            }
        }
    };
    Ok(View::new(t.settings(), main))
}
