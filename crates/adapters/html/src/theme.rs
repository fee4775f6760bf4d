//! A company's color on its pages: its shades as a style sheet at an address of its own.

use axum::{
    body::Body,
    extract::Path,
    http::{HeaderValue, Response, StatusCode, header},
};
use spotter_kernel::{color::Shades, text::Color};

/// The route of style sheets by color: six digits and `.css`.
pub const ROUTE: &str = "/theme/{name}";

/// The address of the style sheet of a color; nothing where it is no color.
pub fn address(color: &str) -> Option<String> {
    let color = Color::parse(color)?.to_lowercase();
    Some(format!("/theme/{}.css", color.strip_prefix('#')?))
}

/// Serves the style sheet of a color.
pub async fn serve(Path(name): Path<String>) -> Response<Body> {
    let color = name.strip_suffix(".css").map(|digits| format!("#{digits}"));
    let Some(shades) = color.and_then(|color| Shades::of(&color)) else {
        let mut lost = Response::new(Body::empty());
        *lost.status_mut() = StatusCode::NOT_FOUND;
        return lost;
    };
    let Shades { light, dark, on_light, on_dark } = shades;
    let mut response = Response::new(Body::from(format!(
        ":root {{ --main: light-dark({light}, {dark}); --on-main: light-dark({on_light}, {on_dark}); }}\n"
    )));
    for (name, value) in [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_has_an_address() {
        assert_eq!(address("#176B4D").as_deref(), Some("/theme/176b4d.css"));
        assert_eq!(address("red"), None);
    }
}
