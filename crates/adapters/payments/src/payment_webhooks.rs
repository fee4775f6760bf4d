//! Redirects of clients to providers' pages, and the endpoint for providers' notices.

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
use spotter_html::{display::language, page as html, words::Strings};
use spotter_http::State;
use spotter_kernel::{
    Id, Key, Problem, Result,
    id::{ClientId, CompanyId},
};

use crate::{Providers, sandbox};

/// The largest notice that is read, in bytes.
const NOTICE_MAX: usize = 256 << 10;

/// The state of these routes.
#[derive(Clone)]
pub(crate) struct PaymentRoutes {
    /// Who counts requests.
    pub state: Arc<State>,
    /// The providers.
    pub providers: Providers,
}

/// The routes of providers: the way to their pages, their notices, and the pages of the sandbox.
pub fn router(state: Arc<State>, providers: Providers) -> Router {
    Router::new()
        .route("/pay/{name}", post(pay))
        .route("/pay/methods/{name}", post(set_up))
        .route("/providers/{provider}/{company}", post(take_notice))
        .merge(sandbox::routes())
        .with_state(PaymentRoutes { state, providers })
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
    extract::State(routes): extract::State<PaymentRoutes>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    routes.visit(&request).page_or_error(routes.lead_to_payment(&name)).await
}

async fn set_up(
    extract::State(routes): extract::State<PaymentRoutes>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    routes.visit(&request).page_or_error(routes.lead_to_setup(&name)).await
}

async fn take_notice(
    extract::State(routes): extract::State<PaymentRoutes>,
    Path((provider, company)): Path<(String, String)>,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let notice = async {
        let read = Limited::new(body, NOTICE_MAX).collect().await;
        let bytes = read.map_err(|_| Problem::new(Key::RequestFailed).with_status(413))?.to_bytes();
        let text = std::str::from_utf8(&bytes).map_err(|_| Problem::new(Key::RequestInvalid))?;
        let company = Id::parse(&company).map(CompanyId).ok_or(Key::NotFound)?;
        routes.providers.take_notice(&provider, company, &parts.headers, text).await
    };
    let mut response = Response::new(Body::empty());
    if let Err(problem) = notice.await {
        // A stranger's guesses are counted like any other request without a credential.
        let counted = routes.state.count_address(&Request::from_parts(parts, Body::empty()));
        let status = counted.err().map_or(problem.status, |too_many| too_many.status);
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.body_mut() = Body::from(format!("{}\n", problem.message));
    }
    response
}

/// A counted request from someone without a credential, answered by a page in their language.
pub(crate) struct Visit {
    counted: Result<()>,
    t: Strings,
}

impl Visit {
    /// The answer to a counted request, or a page that shows the error.
    pub async fn page_or_error(
        self,
        answer: impl Future<Output = Result<Response<Body>>>,
    ) -> Response<Body> {
        let answered = match self.counted {
            Ok(()) => answer.await,
            Err(problem) => Err(problem),
        };
        answered.unwrap_or_else(|problem| html::problem(self.t, &problem))
    }
}

impl PaymentRoutes {
    /// Counts a request against its address.
    pub(crate) fn visit(&self, request: &Request<Body>) -> Visit {
        Visit {
            counted: self.state.count_address(request).map(drop),
            t: language(request.headers()),
        }
    }

    async fn lead_to_payment(&self, name: &str) -> Result<Response<Body>> {
        let (providers, none) = (&self.providers, || Problem::from(Key::NotFound));
        let credential = page::PAGE.credential(name).ok_or_else(none)?;
        let (company, back) =
            (credential.company, page::PAGE.address(&providers.env.address, &credential));
        let opened = credential.clone();
        let lead = providers.write(company, "lead_to_payment", &[], move |cx| {
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
                        let given_up =
                            providers.write(company, "lead_to_payment", &[], move |cx| {
                                charging::not_led(cx, payment)
                            });
                        given_up.await?;
                        return providers.unavailable(company, order.client, &back, &why).await;
                    }
                };
                let kept = url.clone();
                let noted = providers.write(company, "lead_to_payment", &[], move |cx| {
                    charging::record_redirect(cx, payment, &kept, &reference)
                });
                // A payment that was cancelled meanwhile leads nowhere.
                match noted.await? {
                    true => led_to(&url),
                    false => led_to(&back),
                }
            }
            // The page shows the status.
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
        // The page shows it for a request that is over or does not exist.
        let Some((account, order)) = request else { return led_to(&back) };
        let (url, reference) = match providers.setup_page(&account, &order, &back).await {
            Ok(opened) => opened,
            Err(why) => return providers.unavailable(company, order.client, &back, &why).await,
        };
        let setup = order.setup;
        let noted = providers.write(company, "lead_to_payment_setup", &[], move |cx| {
            setup::record_reference(cx, setup, &reference)
        });
        noted.await?;
        led_to(&url)
    }
}

impl Providers {
    /// The page for a provider that cannot be reached now.
    async fn unavailable(
        &self,
        company: CompanyId,
        client: ClientId,
        back: &str,
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

    /// Stores a notice about a company's account after verifying its sender.
    pub(crate) async fn take_notice(
        &self,
        provider: &str,
        company: CompanyId,
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
        // The account may be used for other purposes; notices about those are accepted and ignored.
        let Some(notice) = notice else { return Ok(()) };
        self.write(company, "take_notice", COLLECTS, move |cx| {
            notice::store(cx, account.provider, &notice)
        })
        .await
    }
}
