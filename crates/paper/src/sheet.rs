//! Sheets of A4: text in two weights, rules and dark squares, gathered page by page and drawn at the end.

use std::sync::OnceLock;

use krilla::{
    Data, Document, SerializeSettings,
    color::rgb,
    configure::{Archival, Configuration, ConfigurationBuilder, PdfVersion},
    embed::{AssociationKind, EmbeddedFile, MimeType},
    geom::{Path, PathBuilder, Point, Rect},
    metadata::{DateTime, Metadata},
    page::PageSettings,
    paint::Fill,
    text::{Font, TextDirection},
};
use skrifa::{
    FontRef, MetadataProvider,
    instance::{LocationRef, Size},
};
use spotter_kernel::Date;

/// The size of a page in points.
pub const WIDTH: f32 = 595.28;
/// The height of a page in points.
pub const HEIGHT: f32 = 841.89;

/// How heavy text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As most of it.
    Regular,
    /// What is to be seen first.
    Bold,
}

impl Weight {
    /// Noto Sans, under the SIL Open Font License.
    const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../fonts/NotoSans-Regular.ttf"),
            Self::Bold => include_bytes!("../fonts/NotoSans-Bold.ttf"),
        }
    }

    fn font(self) -> Option<Font> {
        static FONTS: [OnceLock<Option<Font>>; 2] = [const { OnceLock::new() }; 2];
        FONTS[self as usize].get_or_init(|| Font::new(Data::from(self.bytes()), 0)).clone()
    }

    fn read(self) -> Option<FontRef<'static>> {
        FontRef::new(self.bytes()).ok()
    }
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Its weight.
    pub weight: Weight,
    /// Its size in points.
    pub size: f32,
    /// Whether it stands back.
    pub quiet: bool,
}

impl Style {
    /// Text of a size.
    pub const fn regular(size: f32) -> Self {
        Self { weight: Weight::Regular, size, quiet: false }
    }

    /// Bold text of a size.
    pub const fn bold(size: f32) -> Self {
        Self { weight: Weight::Bold, size, quiet: false }
    }

    /// The same, standing back.
    pub const fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// A text as it can be set: what the font does not have is a question mark.
    pub fn clean(self, text: &str) -> String {
        let map = self.weight.read().map(|font| font.charmap());
        let has = |c: char| map.as_ref().is_some_and(|map| map.map(c).is_some());
        let is_mark = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        let set = text.chars().filter(|c| !is_mark(*c)).map(|c| match c {
            c if c.is_control() || c.is_whitespace() => ' ',
            '\u{e000}'..='\u{f8ff}' => '?',
            c if has(c) => c,
            _ => '?',
        });
        set.collect()
    }

    /// How wide a text is, in points.
    pub fn width(self, text: &str) -> f32 {
        let Some(font) = self.weight.read() else { return 0.0 };
        let metrics = font.glyph_metrics(Size::new(self.size), LocationRef::default());
        let map = font.charmap();
        let advance = |c| map.map(c).and_then(|glyph| metrics.advance_width(glyph)).unwrap_or(0.0);
        text.chars().map(advance).sum()
    }

    /// A text in lines that are no wider than this; words that are, are broken.
    pub fn wrapped(self, text: &str, width: f32) -> Vec<String> {
        let (mut lines, mut line) = (Vec::new(), String::new());
        for word in self.clean(text).split_whitespace() {
            let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&joined) <= width {
                line = joined;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for c in word.chars() {
                line.push(c);
                if self.width(&line) > width && line.chars().count() > 1 {
                    line.pop();
                    lines.push(std::mem::replace(&mut line, c.to_string()));
                }
            }
        }
        lines.push(line);
        lines
    }
}

/// Something on a page.
enum Mark {
    Text(Style, f32, f32, String),
    Path(Path, bool),
}

/// A document that is being made.
#[derive(Default)]
pub struct Sheets {
    pages: Vec<Vec<Mark>>,
}

/// What is said of a document.
pub struct About {
    /// What it is called.
    pub title: String,
    /// Who made it.
    pub author: String,
    /// The code of its language.
    pub language: &'static str,
    /// When it was made.
    pub date: Date,
}

impl Sheets {
    /// Begins a page.
    pub fn turn(&mut self) {
        self.pages.push(Vec::new());
    }

    /// How many pages there are.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// Goes on with a page that was begun.
    pub fn on(&mut self, page: usize) -> OnPage<'_> {
        OnPage { marks: &mut self.pages[page] }
    }

    /// The last page.
    pub fn last(&mut self) -> OnPage<'_> {
        let at = self.pages.len() - 1;
        self.on(at)
    }

    /// The document as a PDF/A-3b, with a file inside.
    pub fn finish(self, about: About, inside: Option<(&str, String)>) -> Result<Vec<u8>, String> {
        let configuration: Configuration = ConfigurationBuilder::new()
            .with_version(PdfVersion::Pdf17)
            .with_archival_validator(Archival::A3_B)
            .finish()
            .map_err(|error| format!("{error:?}"))?;
        let settings = SerializeSettings { configuration, ..SerializeSettings::default() };
        let mut document = Document::new_with(settings);
        for marks in self.pages {
            let settings = PageSettings::from_wh(WIDTH, HEIGHT).ok_or("a page without a size")?;
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            for mark in marks {
                match mark {
                    Mark::Text(style, x, y, text) => {
                        let font = style.weight.font().ok_or("the font cannot be read")?;
                        surface.set_fill(Some(ink(style.quiet)));
                        let at = Point::from_xy(x, y);
                        let size = style.size;
                        surface.draw_text(at, font, size, &text, false, TextDirection::LeftToRight);
                    }
                    Mark::Path(path, quiet) => {
                        surface.set_fill(Some(ink(quiet)));
                        surface.draw_path(&path);
                    }
                }
            }
            surface.finish();
            page.finish();
        }
        let (year, month, day) = (about.date.0.year(), about.date.0.month(), about.date.0.day());
        let unsigned = |part: i8| u8::try_from(part).unwrap_or(1);
        let made = DateTime::new(u16::try_from(year).unwrap_or(1))
            .month(unsigned(month))
            .day(unsigned(day))
            .hour(0)
            .minute(0)
            .second(0)
            .utc_offset_hour(0)
            .utc_offset_minute(0);
        let metadata = Metadata::new()
            .title(about.title.clone())
            .authors(vec![about.author])
            .language(about.language.to_owned())
            .creator("Spotter".to_owned())
            .document_id(about.title)
            .creation_date(made);
        document.set_metadata(metadata);
        if let Some((name, xml)) = inside {
            let file = EmbeddedFile {
                path: name.to_owned(),
                mime_type: MimeType::new("text/xml"),
                description: Some("The invoice as programs read it (EN 16931)".to_owned()),
                association_kind: AssociationKind::Alternative,
                data: Data::from(xml.into_bytes()),
                modification_date: Some(made),
                compress: Some(true),
                location: None,
            };
            document.embed_file(file).ok_or("a file is inside already")?;
        }
        document.finish().map_err(|error| format!("{error:?}"))
    }
}

/// A page that is being made.
pub struct OnPage<'s> {
    marks: &'s mut Vec<Mark>,
}

impl OnPage<'_> {
    /// Text whose line begins here.
    pub fn text(&mut self, style: Style, x: f32, y: f32, text: &str) {
        let text = style.clean(text);
        if !text.trim().is_empty() {
            self.marks.push(Mark::Text(style, x, y, text));
        }
    }

    /// Text whose line ends here.
    pub fn text_until(&mut self, style: Style, right: f32, y: f32, text: &str) {
        let width = style.width(&style.clean(text));
        self.text(style, right - width, y, text);
    }

    /// A rule across the page.
    pub fn rule(&mut self, left: f32, right: f32, y: f32) {
        self.squares(true, [Rect::from_ltrb(left, y, right, y + 0.6)]);
    }

    /// Dark squares, in one go.
    pub fn squares(&mut self, quiet: bool, squares: impl IntoIterator<Item = Option<Rect>>) {
        let mut path = PathBuilder::new();
        squares.into_iter().flatten().for_each(|square| path.push_rect(square));
        self.marks.extend(path.finish().map(|path| Mark::Path(path, quiet)));
    }
}

fn ink(quiet: bool) -> Fill {
    let color = if quiet { rgb::Color::new(96, 100, 112) } else { rgb::Color::new(20, 22, 28) };
    Fill { paint: color.into(), ..Fill::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_where_that_is_possible() {
        let style = Style::regular(10.0);
        let lines = style.wrapped("Ten classes in the big hall, with a towel", 80.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| style.width(line) <= 80.0), "{lines:?}");
        assert_eq!(lines.join(" "), "Ten classes in the big hall, with a towel");
        let long = style.wrapped(&"m".repeat(60), 80.0);
        assert!(long.len() > 3 && long.iter().all(|line| style.width(line) <= 80.0));
        assert_eq!(style.wrapped("", 80.0), [""]);
    }

    #[test]
    fn what_the_font_does_not_have_is_no_box() {
        let clean = |text| Style::regular(10.0).clean(text);
        assert_eq!(clean("Zoë Łukasz Ελένη Юлия"), "Zoë Łukasz Ελένη Юлия");
        assert_eq!(clean("健身 💪\u{feff}\u{202e}\u{e000}\n"), "?? ?? ");
    }
}
