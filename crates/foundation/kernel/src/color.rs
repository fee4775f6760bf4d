//! Shades of a color that can be read, on light and on dark ground (WCAG 2.2, success criterion 1.4.3).

use crate::text::Color;

/// The least contrast of text.
const CONTRAST: f64 = 4.5;
/// The darkest light ground and the lightest dark ground that text of the color stands on, in the style sheet of pages.
const LIGHT_GROUND: Rgb = Rgb([0xe9, 0xf2, 0xed]);
const DARK_GROUND: Rgb = Rgb([0x1d, 0x2a, 0x23]);
const WHITE: Rgb = Rgb([0xff; 3]);
const BLACK: Rgb = Rgb([0x0b; 3]);

/// A color of sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgb([u8; 3]);

impl Rgb {
    fn parse(color: &str) -> Option<Self> {
        let digits = Color::parse(color)?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self([part(1)?, part(3)?, part(5)?]))
    }

    /// Relative luminance, 0 to 1.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// A mixture with another color; 0 is this one.
    fn toward(self, other: Self, share: f64) -> Self {
        let mut mixed = self.0;
        for (part, goal) in mixed.iter_mut().zip(other.0) {
            let (from, to) = (f64::from(*part), f64::from(goal));
            *part = (from + (to - from) * share).round() as u8;
        }
        Self(mixed)
    }

    /// The nearest shade that can be read on a ground.
    fn readable_on(self, ground: Self, toward: Self) -> Self {
        let shades = (0..=50).map(|step| self.toward(toward, f64::from(step) / 50.0));
        shades.into_iter().find(|shade| shade.contrast(ground) >= CONTRAST).unwrap_or(toward)
    }

    /// White or near black, whichever is easier to read on it.
    fn ink(self) -> Self {
        if self.contrast(WHITE) >= self.contrast(BLACK) { WHITE } else { BLACK }
    }

    fn hex(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Shades of a color: for text and buttons on light and on dark ground, each with the ink on it, as `#rrggbb`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shades {
    /// On light ground.
    pub light: String,
    /// On dark ground.
    pub dark: String,
    /// What is written on the light page's shade.
    pub on_light: String,
    /// What is written on the dark page's shade.
    pub on_dark: String,
}

impl Shades {
    /// The shades of a color; nothing where it is none.
    pub fn of(color: &str) -> Option<Self> {
        let [light, dark, on_light, on_dark] = shades(color)?.map(Rgb::hex);
        Some(Self { light, dark, on_light, on_dark })
    }
}

/// Shades for light and for dark pages, and the inks on them.
fn shades(color: &str) -> Option<[Rgb; 4]> {
    let own = Rgb::parse(color)?;
    let light = own.readable_on(LIGHT_GROUND, BLACK);
    let dark = own.readable_on(DARK_GROUND, WHITE);
    Some([light, dark, light.ink(), dark.ink()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_color_can_be_read() {
        for step in (0..=0xff_ffff_u32).step_by(0x3_0d07) {
            let color = format!("#{step:06x}");
            let [light, dark, on_light, on_dark] = shades(&color).unwrap();
            assert!(light.contrast(LIGHT_GROUND) >= CONTRAST, "{color}");
            assert!(light.contrast(WHITE) >= CONTRAST, "{color}");
            assert!(dark.contrast(DARK_GROUND) >= CONTRAST, "{color}");
            assert!(on_light.contrast(light) >= CONTRAST, "{color}");
            assert!(on_dark.contrast(dark) >= CONTRAST, "{color}");
        }
    }

    #[test]
    fn a_color_that_can_be_read_stays() {
        let shades = Shades::of("#176B4D").unwrap();
        assert_eq!((&*shades.light, &*shades.on_light), ("#176b4d", "#ffffff"));
        assert_eq!(Shades::of("red"), None);
    }
}
