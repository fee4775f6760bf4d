//! The bank's pages, on which people choose what their card does.

use axum::{
    Router,
    body::Body,
    extract::{self, Path},
    http::{Request, Response, StatusCode},
    routing::get,
};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};
use spotter_billing::collecting::methods::SandboxToken;
use spotter_contract::vault::same;
use spotter_html::page;
use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId};
use spotter_store::Tx;

use super::{
    Bank,
    books::{self, BankPayment, BankState},
};
use crate::payment_webhooks::{PaymentRoutes, led_to};

/// The routes of the bank's pages.
pub(crate) fn routes() -> Router<PaymentRoutes> {
    Router::new()
        .route("/sandbox-bank/payments/{company}/{reference}/{seal}", get(show_payment).post(pay))
        .route("/sandbox-bank/setups/{company}/{reference}/{seal}", get(show_setup).post(leave))
}

/// The path of a page: company, reference, and a proof that the visitor was redirected there.
type PagePath = Path<(String, String, String)>;

const TITLE: &str = "Sandbox bank";

impl Bank {
    fn admitted(
        &self,
        kind: &str,
        Path((company, reference, seal)): PagePath,
    ) -> Result<(CompanyId, String)> {
        let company = Id::parse(&company).map(CompanyId).ok_or(Key::NotFound)?;
        let own = self.seal(kind, company, &reference)?;
        match same(own.as_bytes(), seal.as_bytes()) {
            true => Ok((company, reference)),
            false => Err(Key::NotFound.into()),
        }
    }
}

/// A choice on a page.
enum Choice {
    /// They leave a card or an account that does so.
    Token(SandboxToken),
    /// They turn back.
    Back,
    /// Nothing that is known.
    Nothing,
}

async fn chosen(request: Request<Body>) -> Result<Choice> {
    let read = Limited::new(request.into_body(), 4_096).collect().await;
    let bytes = read.map_err(|_| Problem::new(Key::RequestFailed).with_status(413))?.to_bytes();
    let submitted = |wanted: &str| {
        form_urlencoded::parse(&bytes).find(|(name, _)| name == wanted).map(|(_, value)| value)
    };
    if submitted("turn").is_some() {
        return Ok(Choice::Back);
    }
    let token = submitted("token").and_then(|token| SandboxToken::parse(&token));
    Ok(token.map_or(Choice::Nothing, Choice::Token))
}

/// What each token does, as people read it.
const fn meaning(token: SandboxToken) -> &'static str {
    match token {
        SandboxToken::Ok => "Card that pays",
        SandboxToken::Declined => "Card that is declined",
        SandboxToken::Insufficient => "Card without enough money",
        SandboxToken::Expired => "Card that has expired",
        SandboxToken::Action => "Card that asks for its holder",
        SandboxToken::SlowOk => "Account that pays after some seconds",
        SandboxToken::SlowFail => "Account that fails after some seconds",
        SandboxToken::LostAnswer => "Card that pays while the answer is lost",
        SandboxToken::Chargeback => "Card that pays, and whose holder disputes it",
        SandboxToken::ChargebackWon => "Card that pays, and whose holder disputes it in vain",
        SandboxToken::Return => "Account that pays, and whose bank returns it",
    }
}

fn choices() -> Markup {
    html! {
        @for (at, token) in SandboxToken::ALL.iter().enumerate() {
            label.module {
                input type="radio" name="token" value=(token.word()) checked[at == 0];
                span { (meaning(*token)) " " code { (token.word()) } }
            }
        }
    }
}

async fn show_payment(
    extract::State(door): extract::State<PaymentRoutes>,
    place: PagePath,
    request: Request<Body>,
) -> Response<Body> {
    let visit = door.visit(&request);
    let answer = async {
        let bank = door.providers.bank();
        let (company, reference) = bank.admitted("payments", place)?;
        let found = bank.db.read(move |tx| books::payment(tx, company, &reference)).await?;
        Ok(payment_page(&found.ok_or(Key::NotFound)?))
    };
    visit.page_or_error(answer).await
}

fn payment_page(payment: &BankPayment) -> Response<Body> {
    let (code, number) = (payment.currency.code(), payment.currency.decimal(payment.amount));
    let main = html! {
        p.quiet { (TITLE) ". No money moves here." }
        h1 { (code) " " (number) }
        p { bdi { (payment.description) } }
        @if payment.state == BankState::Waiting {
            form method="post" {
                (choices())
                div.buttons {
                    button { "Pay" }
                    button.plain name="turn" value="back" { "Turn back" }
                }
            }
        } @else {
            p.done { "This is over: " (payment.state.word()) "." }
            @if let Some(back) = &payment.return_url {
                p { a href=(back) { "Back to the company" } }
            }
        }
    };
    page::page(StatusCode::OK, TITLE, "", main)
}

async fn pay(
    extract::State(door): extract::State<PaymentRoutes>,
    place: PagePath,
    request: Request<Body>,
) -> Response<Body> {
    let visit = door.visit(&request);
    let answer = async {
        let bank = door.providers.bank();
        let (company, reference) = bank.admitted("payments", place)?;
        let here = bank.page_address("payments", company, &reference)?;
        let (choice, now) = (chosen(request).await?, bank.env.clock.now());
        if let Choice::Nothing = choice {
            return led_to(&here);
        }
        let paid = move |tx: &mut Tx<'_>| {
            let found = books::payment(tx, company, &reference)?;
            let mut payment = found.ok_or(Key::NotFound)?;
            if payment.state == BankState::Waiting {
                match choice {
                    Choice::Token(token) => payment.take(token, true, now),
                    Choice::Back | Choice::Nothing => {
                        payment.state = BankState::Cancelled;
                        (payment.next, payment.next_at) = (None, None);
                    }
                }
                payment.save(tx, company)?;
            }
            Ok(payment.return_url)
        };
        let back = bank.db.write(paid).await?;
        led_to(&back.ok_or(Key::NotFound)?)
    };
    visit.page_or_error(answer).await
}

async fn show_setup(
    extract::State(door): extract::State<PaymentRoutes>,
    place: PagePath,
    request: Request<Body>,
) -> Response<Body> {
    let visit = door.visit(&request);
    let answer = async {
        let bank = door.providers.bank();
        let (company, reference) = bank.admitted("setups", place)?;
        let found = bank.db.read(move |tx| books::setup(tx, company, &reference)).await?;
        let setup = found.ok_or(Key::NotFound)?;
        let main = html! {
            p.quiet { (TITLE) ". No money moves here." }
            h1 { "Leave a card or an account" }
            @if setup.token().is_none() {
                form method="post" { (choices()) div.buttons { button { "Leave it" } } }
            } @else {
                p.done { "It was left." }
                p { a href=(setup.return_url) { "Back to the company" } }
            }
        };
        Ok(page::page(StatusCode::OK, TITLE, "", main))
    };
    visit.page_or_error(answer).await
}

async fn leave(
    extract::State(door): extract::State<PaymentRoutes>,
    place: PagePath,
    request: Request<Body>,
) -> Response<Body> {
    let visit = door.visit(&request);
    let answer = async {
        let bank = door.providers.bank();
        let (company, reference) = bank.admitted("setups", place)?;
        let choice = chosen(request).await?;
        let left = move |tx: &mut Tx<'_>| {
            let setup = books::setup(tx, company, &reference)?.ok_or(Key::NotFound)?;
            if let Choice::Token(token) = choice {
                books::leave(tx, company, &reference, token)?;
            }
            Ok(setup.return_url)
        };
        let back = bank.db.write(left).await?;
        led_to(&back)
    };
    visit.page_or_error(answer).await
}
