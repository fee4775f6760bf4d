//! Where clients are led to a provider's page, and where providers tell what has become of payments.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{self, Path},
    http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header},
    routing::post,
};
use http_body_util::{BodyExt, Limited};
use spotter_billing::{
    COLLECTS,
    collecting::{charging, connection, notice, setup},
    payments::{page, request::PaymentRequest},
};
use spotter_html::page as html;
use spotter_http::State;
use spotter_kernel::{
    Id, Key, Problem, Result,
    id::{ClientId, CompanyId},
};

use crate::{Providers, sandbox};

/// The largest notice that is read, in bytes.
const NOTICE_MAX: usize = 256 << 10;

/// What the doors share.
#[derive(Clone)]
pub(crate) struct Door {
    /// Who counts requests.
    pub state: Arc<State>,
    /// Who is asked.
    pub providers: Providers,
}

/// The routes of providers: the way to their pages, their notices, and the pages of the sandbox.
pub fn router(state: Arc<State>, providers: Providers) -> Router {
    Router::new()
        .route("/pay/{name}", post(pay))
        .route("/pay/methods/{name}", post(set_up))
        .route("/providers/{provider}/{company}", post(take_notice))
        .merge(sandbox::routes())
        .with_state(Door { state, providers })
}

/// Leads elsewhere.
pub(crate) fn led_to(url: &str) -> Result<Response<Body>> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let place = HeaderValue::from_str(url).map_err(Problem::internal)?;
    response.headers_mut().insert(header::LOCATION, place);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn pay(
    extract::State(door): extract::State<Door>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let counted = door.state.count_address(&request);
    page_or_error(counted.map(drop), door.lead_to_payment(&name)).await
}

async fn set_up(
    extract::State(door): extract::State<Door>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let counted = door.state.count_address(&request);
    page_or_error(counted.map(drop), door.lead_to_setup(&name)).await
}

/// The answer to somebody who was counted, or the page that says why there is none.
pub(crate) async fn page_or_error(
    counted: Result<()>,
    answer: impl Future<Output = Result<Response<Body>>>,
) -> Response<Body> {
    let notice = match counted {
        Ok(()) => answer.await,
        Err(problem) => Err(problem),
    };
    notice.unwrap_or_else(|problem| html::problem(&problem))
}

async fn take_notice(
    extract::State(door): extract::State<Door>,
    Path((provider, company)): Path<(String, String)>,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let notice = async {
        let read = Limited::new(body, NOTICE_MAX).collect().await;
        let bytes = read.map_err(|_| Problem::new(Key::RequestFailed).with_status(413))?.to_bytes();
        let text = std::str::from_utf8(&bytes).map_err(|_| Problem::new(Key::RequestInvalid))?;
        let company = Id::parse(&company).map(CompanyId).ok_or(Key::NotFound)?;
        door.providers.take_notice((&provider, company), &parts.headers, text).await
    };
    let mut response = Response::new(Body::empty());
    if let Err(problem) = notice.await {
        // A stranger's guesses are counted like any other request without a credential.
        let counted = door.state.count_address(&Request::from_parts(parts, Body::empty()));
        let status = counted.err().map_or(problem.status, |too_many| too_many.status);
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.body_mut() = Body::from(format!("{}\n", problem.message));
    }
    response
}

impl Door {
    async fn lead_to_payment(&self, name: &str) -> Result<Response<Body>> {
        let (providers, none) = (&self.providers, || Problem::from(Key::NotFound));
        let credential = page::PAGE.credential(name).ok_or_else(none)?;
        let (company, back) =
            (credential.company, page::PAGE.address(&providers.env.address, &credential));
        let opened = credential.clone();
        let what = ("lead_to_payment", &[][..]);
        let lead = providers.write(company, what, move |cx| {
            match PaymentRequest::opened_by(cx, &opened)? {
                Some(request) => charging::redirect(cx, &request).map(Some),
                None => Ok(None),
            }
        });
        match lead.await?.ok_or_else(none)? {
            charging::PaymentRedirect::To(url) => led_to(&url),
            charging::PaymentRedirect::Ask(account, order) => {
                let requested = providers.pay_page(&account, &order, &back).await;
                let payment = order.payment;
                let (url, reference) = match requested {
                    Ok(opened) => opened,
                    Err(why) => {
                        let given_up = providers
                            .write(company, what, move |cx| charging::not_led(cx, payment));
                        given_up.await?;
                        return providers.unavailable(company, (order.client, &back), &why).await;
                    }
                };
                let kept = url.clone();
                let noted = providers.write(company, what, move |cx| {
                    charging::record_redirect(cx, payment, (&kept, &reference))
                });
                // One that was called off meanwhile leads nowhere.
                match noted.await? {
                    true => led_to(&url),
                    false => led_to(&back),
                }
            }
            // The page says how it stands.
            charging::PaymentRedirect::UnderWay | charging::PaymentRedirect::Nowhere => {
                led_to(&back)
            }
        }
    }

    async fn lead_to_setup(&self, name: &str) -> Result<Response<Body>> {
        let (providers, none) = (&self.providers, || Problem::from(Key::NotFound));
        let credential = setup::PAGE.credential(name).ok_or_else(none)?;
        let (company, back) =
            (credential.company, setup::PAGE.address(&providers.env.address, &credential));
        let request = providers.read(company, move |cx| setup::to_ask(cx, &credential)).await?;
        // Of one that is over, or of none, the page says so.
        let Some((account, order)) = request else { return led_to(&back) };
        let (url, reference) = match providers.setup_page(&account, &order, &back).await {
            Ok(opened) => opened,
            Err(why) => return providers.unavailable(company, (order.client, &back), &why).await,
        };
        let setup = order.setup;
        let what = ("lead_to_payment_setup", &[][..]);
        let noted = providers
            .write(company, what, move |cx| setup::record_reference(cx, setup, &reference));
        noted.await?;
        led_to(&url)
    }
}

impl Providers {
    /// The page that says that a provider's cannot be opened now.
    async fn unavailable(
        &self,
        company: CompanyId,
        (client, back): (ClientId, &str),
        why: &str,
    ) -> Result<Response<Body>> {
        tracing::warn!(%company, why, "a payment provider does not respond");
        let back = back.to_owned();
        let page = self.read(company, move |cx| page::unavailable_page(cx, client, &back)).await?;
        let mut response = Response::new(Body::from(page));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        for (name, value) in [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }

    /// Keeps what a provider tells of a company's account, if it is the provider who tells it.
    pub(crate) async fn take_notice(
        &self,
        (provider, company): (&str, CompanyId),
        headers: &HeaderMap,
        body: &str,
    ) -> Result<()> {
        let account = self.read(company, connection::account).await?;
        let account = account.filter(|account| account.provider.word() == provider);
        let account = account.ok_or(Key::NotFound)?;
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let notice = self.read_notice(&account, header, body).map_err(|why| {
            Problem::with_message(Key::RequestInvalid, format!("The notice is not taken: {why}."))
        })?;
        // An account may be used for more than this; what is not ours is taken and forgotten.
        let Some(notice) = notice else { return Ok(()) };
        let what = ("take_notice", COLLECTS);
        self.write(company, what, move |cx| notice::store(cx, account.provider, &notice)).await
    }
}
