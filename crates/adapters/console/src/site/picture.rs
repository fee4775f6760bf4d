//! Logo and cover of a site, for everybody who sees it.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, State as Given},
    http::{Request, Response},
    routing::get,
};
use spotter_http::{State, site_picture};

use super::{context::SiteContext, refused};
use crate::display;

/// The address of a picture of the site.
pub(super) fn address(cx: &SiteContext<'_, '_>, id: &str) -> String {
    format!("/site-pictures/{}/{id}", cx.slug)
}

/// The same with the installation's address.
pub(super) fn absolute(cx: &SiteContext<'_, '_>, id: &str) -> String {
    format!("{}{}", cx.state.env.address.trim_end_matches('/'), address(cx, id))
}

/// The route of pictures.
pub(super) fn routes(state: &Arc<State>) -> Router {
    Router::new().route("/site-pictures/{slug}/{id}", get(serve)).with_state(state.clone())
}

async fn serve(
    Given(state): Given<Arc<State>>,
    Path((slug, id)): Path<(String, String)>,
    request: Request<Body>,
) -> Response<Body> {
    let t = display::language(request.headers());
    let counted = state.count_visit(state.address(&request)).check();
    drop(request);
    let found = match counted {
        Ok(()) => site_picture(&state, slug, id).await,
        Err(refused) => Err(refused),
    };
    found.unwrap_or_else(|problem| refused(t, &problem))
}
