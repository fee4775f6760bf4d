//! A text as a code that phones read (ISO/IEC 18004).

use maud::{Markup, html};
use qrcode::{Color, QrCode};

/// The light border around a code, in modules (ISO/IEC 18004, section 6.3.8).
const BORDER: usize = 4;

/// The code of a text, drawn; nothing where the text is too long for one.
pub(crate) fn qr(label: &str, text: &str) -> Markup {
    let Ok(code) = QrCode::new(text) else { return Markup::default() };
    let (width, colors) = (code.width(), code.to_colors());
    let dark = colors.iter().enumerate().filter(|(_, color)| **color == Color::Dark);
    let path: String = dark
        .map(|(at, _)| format!("M{} {}h1v1h-1z", at % width + BORDER, at / width + BORDER))
        .collect();
    let size = width + 2 * BORDER;
    html! {
        div.qr {
            svg
                viewBox={ "0 0 " (size) " " (size) }
                role="img"
                aria-label=(label)
                shape-rendering="crispEdges"
            {
                rect width=(size) height=(size) fill="#fff" {}
                path d=(path) fill="#000" {}
            }
        }
    }
}
