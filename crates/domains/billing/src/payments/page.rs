//! The payment page: the amount, the payee and their account, with a code that banking apps read (EPC069-12, version
//! 002).

use maud::{DOCTYPE, Markup, PreEscaped, html};
use spotter_company::company::Company;
use spotter_contract::{LinkedDocument, Read, ReaderDocument};
use spotter_invoice_pdf::transfer::{Transfer, grouped};
use spotter_kernel::{
    Result,
    id::ClientId,
    secret::{Credential, CredentialKind},
};
use spotter_people::clients::letter_reader;

use super::{
    payment::{Payment, PaymentSource, PaymentStatus},
    request::{PaymentRequest, PaymentRequestStatus},
};
use crate::{
    billing::texts,
    collecting::connection,
    settings::{FinanceSettings, Seller},
};

/// The page of a request to pay.
pub static PAGE: LinkedDocument = LinkedDocument {
    place: ("/pay/", ""),
    kind: CredentialKind::PayPage,
    media_type: "text/html; charset=utf-8",
    keep_seconds: 0,
    read,
};

fn read(cx: &mut Read, credential: &Credential) -> Result<Option<ReaderDocument>> {
    let Some(request) = PaymentRequest::opened_by(cx, credential)? else { return Ok(None) };
    let language = letter_reader::language_of(cx, request.client_id)?;
    let (company, settings) = (Company::find(cx)?.name, FinanceSettings::find(cx)?);
    let online = match connection::provider(cx)? {
        None => OnlinePayment::No,
        Some(_) => online(cx, &request)?,
    };
    let page = page(&request, &company, &settings.seller.0, &language, online);
    let reader = request.payment_request_id.0;
    Ok(Some(ReaderDocument { reader, content: page.into_string().into_bytes() }))
}

/// How far a request is paid on a provider's page.
fn online(cx: &mut Read, request: &PaymentRequest) -> Result<OnlinePayment> {
    let answering = Payment::answering(cx, request.payment_request_id)?;
    let payment = match (answering, request.invoice_id) {
        (None, Some(invoice)) => Payment::unfinished(cx, invoice)?,
        (found, _) => found,
    };
    let latest = Payment::latest_answering(cx, request.payment_request_id)?;
    Ok(match payment {
        Some(payment)
            if payment.status == PaymentStatus::Processing
                || payment.source != PaymentSource::Request =>
        {
            OnlinePayment::UnderWay
        }
        // A client who has turned back from the page can go there again.
        Some(_) => OnlinePayment::Opened,
        None if latest.is_some_and(|latest| latest.status == PaymentStatus::Failed) => {
            OnlinePayment::Failed
        }
        None => OnlinePayment::Yes,
    })
}

/// Whether a request can be paid on the page of a provider.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnlinePayment {
    /// The company collects by hand.
    No,
    /// It can.
    Yes,
    /// Its page was opened, and the result is not known yet.
    Opened,
    /// It was tried, and did not work.
    Failed,
    /// A payment for it is on its way.
    UnderWay,
}

impl OnlinePayment {
    /// Whether the provider's page can be opened.
    fn can_be_paid(self) -> bool {
        matches!(self, Self::Yes | Self::Opened | Self::Failed)
    }

    /// Whether the page reloads itself.
    fn is_waiting(self) -> bool {
        matches!(self, Self::Opened | Self::UnderWay)
    }
}

fn page(
    request: &PaymentRequest,
    company: &str,
    seller: &Seller,
    language: &str,
    online: OnlinePayment,
) -> Markup {
    let words = texts::pay_page(language);
    let amount = texts::amount(request.amount, request.currency, language);
    let ended = match request.status {
        PaymentRequestStatus::Open => None,
        PaymentRequestStatus::Paid => Some(words.paid),
        PaymentRequestStatus::Cancelled => Some(words.cancelled),
        PaymentRequestStatus::Expired => Some(words.expired),
    };
    let payee = seller.name.as_deref().unwrap_or(company);
    let looks_again = ended.is_none() && online.is_waiting();
    shell(
        language,
        words.title,
        company,
        looks_again,
        html! {
                    h1 { (amount) }
                    p { bdi { (request.description) } }
                    @if ended.is_none() && online == OnlinePayment::UnderWay { p.done { (words.under_way) } }
                    @if ended.is_none() && online == OnlinePayment::Failed { p role="alert" { (words.failed) } }
                    @if ended.is_none() && online == OnlinePayment::Opened { p.quiet { (words.opened) } }
                    @if ended.is_none() && online.can_be_paid() {
                        form method="post" { button { (words.online) } }
                    }
                    @match (ended, &seller.iban) {
                        (Some(ended), _) => { p.done { (ended) } },
                        (None, _) if online == OnlinePayment::UnderWay => {},
                        (None, Some(iban)) => {
                            @if online.can_be_paid() { p { (words.or_transfer) } }
                            dl.facts {
                                dt { (words.payee) } dd { (payee) }
                                dt { (words.account) } dd.account { (grouped(iban)) }
                                @if let Some(bic) = &seller.bic { dt { "BIC" } dd { (**bic) } }
                                dt { (words.reference) } dd { bdi { (request.description) } }
                            }
                            @if let Some(code) = code(request, payee, iban, seller.bic.as_deref()) {
                                figure.code {
                                    (code)
                                    figcaption.quiet { (words.scan) }
                                }
                            }
                        },
                        (None, None) if online.can_be_paid() => {},
                        (None, None) => { p { (words.ask_bank) } },
                    }
        },
    )
}

/// The page shown while the provider cannot be reached; `back` leads to where the client came from.
pub fn unavailable_page(cx: &mut Read, client: ClientId, back: &str) -> Result<String> {
    let language = letter_reader::language_of(cx, client)?;
    let (company, words) = (Company::find(cx)?.name, texts::pay_page(&language));
    let page = shell(
        &language,
        words.title,
        &company,
        false,
        html! {
            p role="alert" { (words.away) }
            p { a href=(back) { (words.back) } }
        },
    );
    Ok(page.into_string())
}

/// Seconds after which a page reloads itself.
const LOOK_AGAIN: u32 = 5;

/// A page of a company for paying or saving a method; it may reload itself.
pub fn shell(
    language: &str,
    title: &str,
    company: &str,
    looks_again: bool,
    main: Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(texts::language(language)) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                @if looks_again { meta http-equiv="refresh" content=(LOOK_AGAIN); }
                title { (title) " · " (company) }
                link rel="stylesheet" href="/page.css";
            }
            body { main { p.quiet { (company) } (main) } }
        }
    }
}

fn code(
    request: &PaymentRequest,
    payee: &str,
    iban: &str,
    bic: Option<&str>,
) -> Option<PreEscaped<String>> {
    let (amount, currency) = (request.amount, request.currency);
    let transfer = Transfer { payee, iban, bic, amount, currency, reference: &request.description };
    let code = transfer.code()?;
    let mut path = String::new();
    for (x, y) in code.modules() {
        path.push_str(&format!("M{} {}h1v1h-1z", x + 4, y + 4));
    }
    let side = code.width + 8;
    Some(PreEscaped(format!(
        "<svg viewBox=\"0 0 {side} {side}\" width=\"220\" height=\"220\" role=\"img\" \
         aria-label=\"QR\" shape-rendering=\"crispEdges\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/>\
         <path d=\"{path}\" fill=\"#000\"/></svg>"
    )))
}
