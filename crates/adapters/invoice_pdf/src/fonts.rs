//! Fonts: one for each family of scripts, in two weights, and the order of text runs on a line.

use std::sync::LazyLock;

use krilla::{Data, text::Font};
use rustybuzz::{Direction, Face, UnicodeBuffer};
use unicode_bidi::{BidiInfo, Level};

/// How heavy text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FontWeight {
    /// As most of it.
    Regular,
    /// Emphasized.
    Bold,
}

/// A font, as it is measured and as it is set.
pub(crate) struct Typeface {
    pub(crate) set: Font,
    measured: Face<'static>,
}

impl Typeface {
    /// Whether it has a glyph for a character. A control character may map to `.notdef`, which cannot be set.
    fn has(&self, c: char) -> bool {
        self.measured.glyph_index(c).is_some_and(|glyph| glyph.0 != 0)
    }
}

/// Noto Sans for the scripts of Europe, Arabic, Hebrew, Devanagari and Thai, under the SIL Open Font License.
macro_rules! typefaces {
    ($weight:literal) => {
        [
            include_bytes!(concat!("../fonts/NotoSans-", $weight, ".ttf")).as_slice(),
            include_bytes!(concat!("../fonts/NotoSansArabic-", $weight, ".ttf")),
            include_bytes!(concat!("../fonts/NotoSansHebrew-", $weight, ".ttf")),
            include_bytes!(concat!("../fonts/NotoSansDevanagari-", $weight, ".ttf")),
            include_bytes!(concat!("../fonts/NotoSansThai-", $weight, ".ttf")),
        ]
    };
}

fn read(all: [&'static [u8]; 5]) -> Vec<Typeface> {
    let typeface = |bytes: &'static [u8]| {
        let (set, measured) = (Font::new(Data::from(bytes), 0)?, Face::from_slice(bytes, 0)?);
        Some(Typeface { set, measured })
    };
    all.into_iter().filter_map(typeface).collect()
}

static REGULAR: LazyLock<Vec<Typeface>> = LazyLock::new(|| read(typefaces!("Regular")));
static BOLD: LazyLock<Vec<Typeface>> = LazyLock::new(|| read(typefaces!("Bold")));

impl FontWeight {
    /// The fonts of this weight, the one for most of the text first.
    pub(crate) fn typefaces(self) -> &'static [Typeface] {
        match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
        }
    }

    /// Which font has a character.
    fn typeface_of(self, c: char) -> Option<usize> {
        self.typefaces().iter().position(|face| face.has(c))
    }

    /// Whether any font has a character.
    pub(crate) fn has(self, c: char) -> bool {
        self.typeface_of(c).is_some()
    }

    /// A line of text as it is set, from left to right: parts that are of one font and one direction.
    pub(crate) fn parts(self, line: &str) -> Vec<TextRun> {
        if is_plain(line) {
            return vec![TextRun { typeface: 0, is_rtl: false, text: line.to_owned() }];
        }
        let bidi = BidiInfo::new(line, Some(Level::ltr()));
        let Some(paragraph) = bidi.paragraphs.first() else { return Vec::new() };
        let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
        let mut parts = Vec::new();
        for run in runs {
            let is_rtl = levels.get(run.start).is_some_and(|level| level.is_rtl());
            let mut own = self.by_typeface(&line[run], is_rtl);
            if is_rtl {
                own.reverse();
            }
            parts.extend(own);
        }
        parts
    }

    /// Text of one direction, by font: spaces belong to the word before them.
    fn by_typeface(self, text: &str, is_rtl: bool) -> Vec<TextRun> {
        let mut parts: Vec<TextRun> = Vec::new();
        for c in text.chars() {
            let own = self.typeface_of(c).unwrap_or(0);
            match parts.last_mut() {
                Some(last) if last.typeface == own || last.takes(self, c) => last.text.push(c),
                _ => parts.push(TextRun { typeface: own, is_rtl, text: c.to_string() }),
            }
        }
        parts
    }

    /// How wide a part is, in points, at a size.
    pub(crate) fn width(self, part: &TextRun, size: f32) -> f32 {
        let Some(Typeface { measured, .. }) = self.typefaces().get(part.typeface) else {
            return 0.0;
        };
        let in_points = |units: i64| units as f32 * size / measured.units_per_em() as f32;
        if part.typeface == 0 && is_plain(&part.text) {
            let glyphs = part.text.chars().filter_map(|c| measured.glyph_index(c));
            let advances = glyphs.filter_map(|glyph| measured.glyph_hor_advance(glyph));
            return in_points(advances.map(i64::from).sum());
        }
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(&part.text);
        buffer.guess_segment_properties();
        buffer.set_direction(match part.is_rtl {
            true => Direction::RightToLeft,
            false => Direction::LeftToRight,
        });
        let shaped = rustybuzz::shape(measured, &[], buffer);
        in_points(shaped.glyph_positions().iter().map(|glyph| i64::from(glyph.x_advance)).sum())
    }
}

/// Whether a text uses European scripts only, whose letters are set one after the other.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c < '\u{590}')
}

/// A part of a line that is of one font and one direction.
#[derive(Debug, PartialEq)]
pub(crate) struct TextRun {
    /// Its place among the fonts of its weight.
    pub(crate) typeface: usize,
    pub(crate) is_rtl: bool,
    pub(crate) text: String,
}

impl TextRun {
    /// Whether a character that is no letter can be set in this font, too.
    fn takes(&self, weight: FontWeight, c: char) -> bool {
        let own = weight.typefaces().get(self.typeface);
        !c.is_alphanumeric() && own.is_some_and(|own| own.has(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_to_left_names_keep_their_order() {
        let parts = |text| -> Vec<(usize, bool, String)> {
            let parts = FontWeight::Regular.parts(text);
            parts.into_iter().map(|part| (part.typeface, part.is_rtl, part.text)).collect()
        };
        assert_eq!(parts("Ann"), [(0, false, "Ann".into())]);
        assert_eq!(parts("فاطمة حسن"), [(1, true, "فاطمة حسن".into())]);
        // The second of two right-to-left names is on the left of the first.
        assert_eq!(
            parts("Ann שרה فاطمة"),
            [(0, false, "Ann ".into()), (1, true, "فاطمة".into()), (2, true, "שרה ".into()),]
        );
        assert_eq!(parts("प्रिया")[0].0, 3);
        assert_eq!(parts("สมชาย")[0].0, 4);
    }

    #[test]
    fn letters_that_join_are_measured_joined() {
        let width = |text: &str| {
            let parts = FontWeight::Regular.parts(text);
            parts.iter().map(|part| FontWeight::Regular.width(part, 10.0)).sum::<f32>()
        };
        let apart: f32 = "فاطمة".chars().map(|c| width(&c.to_string())).sum();
        assert!(width("فاطمة") < apart, "{} {apart}", width("فاطمة"));
    }
}
