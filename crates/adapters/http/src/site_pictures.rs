//! Pictures of public sites: logo and cover, for everybody who sees the site.

use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use spotter_company::{
    site::{self, Site},
    uploads::{MediaType, StoredFile, UploadId},
};
use spotter_contract::Read;
use spotter_kernel::{Id, Key, Result};
use spotter_store::Tx;

use crate::{server::State, uploads::file_store_problem};

/// A picture of a published site: its logo or its cover, for anybody.
pub async fn site_picture(state: &State, slug: String, id: String) -> Result<Response<Body>> {
    let wanted = Id::parse(&id.to_ascii_lowercase()).map(UploadId).ok_or(Key::NotFound)?;
    let now = state.env.clock.now();
    let look = move |tx: &mut Tx<'_>| {
        let caller = site::visitor(tx, &slug)?;
        let site = Site::of(&mut Read::new(tx, &caller, now))?;
        let own = [site.logo_id, site.cover_id].contains(&Some(wanted));
        own.then_some(caller.company).ok_or_else(|| Key::NotFound.into())
    };
    let company = state.db.read(look).await?;
    let stored = StoredFile { company, upload: wanted };
    let (size, chunks) = state.files.read(&stored.key()).await.map_err(file_store_problem)?;
    let mut response = Response::new(Body::from_stream(chunks));
    response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
    for (name, value) in [
        // Every picture that is stored for a site was re-encoded.
        (header::CONTENT_TYPE, MediaType::Jpeg.word()),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
