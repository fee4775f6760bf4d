//! A4 pages: text in two weights, rules and dark squares, collected page by page and drawn at the end, with their
//! structure for screen readers (PDF/UA-1, ISO 14289-1).

use std::{collections::BTreeMap, num::NonZeroU16};

use krilla::{
    Data, Document, SerializeSettings,
    color::rgb,
    configure::{Accessibility, Archival, Configuration, ConfigurationBuilder, PdfVersion},
    destination::XyzDestination,
    embed::{AssociationKind, EmbeddedFile, MimeType},
    geom::{Path, PathBuilder, Point, Rect},
    metadata::{DateTime, Metadata},
    outline::{Outline, OutlineNode},
    page::PageSettings,
    paint::Fill,
    surface::Surface,
    tagging::{
        Artifact, ArtifactType, ContentTag, Identifier, SpanTag, TableHeaderScope, Tag, TagGroup,
        TagTree,
    },
    text::TextDirection,
};
use spotter_kernel::Date;

use crate::fonts::{FontWeight, TextRun};

/// The size of a page in points.
pub const WIDTH: f32 = 595.28;
/// The height of a page in points.
pub const HEIGHT: f32 = 841.89;

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Its weight.
    pub weight: FontWeight,
    /// Its size in points.
    pub size: f32,
    /// Whether it is less prominent.
    pub quiet: bool,
}

impl Style {
    /// Text of a size.
    pub const fn regular(size: f32) -> Self {
        Self { weight: FontWeight::Regular, size, quiet: false }
    }

    /// Bold text of a size.
    pub const fn bold(size: f32) -> Self {
        Self { weight: FontWeight::Bold, size, quiet: false }
    }

    /// The same, standing back.
    pub const fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// A text as it can be set: what the font does not have is a question mark.
    pub fn clean(self, text: &str) -> String {
        let is_mark = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        let set = text.chars().filter(|c| !is_mark(*c)).map(|c| match c {
            c if c.is_control() || c.is_whitespace() => ' ',
            '\u{e000}'..='\u{f8ff}' => '?',
            c if self.weight.has(c) => c,
            _ => '?',
        });
        set.collect()
    }

    /// How wide a text is, in points.
    pub fn width(self, text: &str) -> f32 {
        let parts = self.weight.parts(text);
        parts.iter().map(|part| self.weight.width(part, self.size)).sum()
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

/// The role of an element for screen readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementRole {
    /// Its title.
    Title,
    /// A line of text.
    #[default]
    Text,
    /// A cell of a table.
    Cell(Cell),
    /// An artifact that is not read: a rule, a page number, a repeated text.
    Aside,
}

/// The position of a table cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The number of its table.
    pub table: usize,
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// Of what it is the head.
    pub head: Head,
}

/// What a cell is the head of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Of its column.
    Column,
    /// Of its row.
    Row,
    /// Of nothing.
    None,
}

/// Something on a page.
enum Mark {
    Text(Style, f32, f32, String, ElementRole),
    /// Squares, with an alternative text if they need one.
    Path(Path, bool, Option<String>),
}

/// A document that is being made.
#[derive(Default)]
pub struct Sheets {
    pages: Vec<Vec<Mark>>,
}

/// The structure of a document as it is gathered, in the order in which it is read.
struct Structure {
    tree: TagTree,
    table: Option<(usize, Rows)>,
}

/// The cells of a table by row and column, each with what it consists of.
type Rows = BTreeMap<usize, BTreeMap<usize, (Head, Vec<Identifier>)>>;

impl Structure {
    fn add(&mut self, role: ElementRole, text: &str, part: Identifier) {
        if let ElementRole::Cell(Cell { table, row, column, head }) = role {
            if self.table.as_ref().is_some_and(|(own, _)| *own != table) {
                self.end_table();
            }
            let (_, rows) = self.table.get_or_insert_with(|| (table, Rows::new()));
            let cell = rows.entry(row).or_default().entry(column);
            cell.or_insert_with(|| (head, Vec::new())).1.push(part);
            return;
        }
        self.end_table();
        let mut group = match role {
            ElementRole::Title => TagGroup::new(Tag::Hn(NonZeroU16::MIN, Some(text.to_owned()))),
            _ => TagGroup::new(Tag::P),
        };
        group.push(part);
        self.tree.push(group);
    }

    fn end_table(&mut self) {
        let Some((_, rows)) = self.table.take() else { return };
        let mut table = TagGroup::new(Tag::Table);
        for columns in rows.into_values() {
            let mut row = TagGroup::new(Tag::TR);
            for (head, parts) in columns.into_values() {
                let mut cell = match head {
                    Head::Column => TagGroup::new(Tag::TH(TableHeaderScope::Column)),
                    Head::Row => TagGroup::new(Tag::TH(TableHeaderScope::Row)),
                    Head::None => TagGroup::new(Tag::TD),
                };
                parts.into_iter().for_each(|part| cell.push(part));
                row.push(cell);
            }
            table.push(row);
        }
        self.tree.push(table);
    }
}

/// Draws a mark; what it is of the document is added to its structure.
fn draw(surface: &mut Surface<'_>, structure: &mut Structure, mark: Mark) {
    let aside = || ContentTag::Artifact(Artifact::with_kind(ArtifactType::Other));
    match mark {
        Mark::Text(style, x, y, text, role) => {
            let tag = match role {
                ElementRole::Aside => aside(),
                _ => ContentTag::Span(SpanTag::empty()),
            };
            let part = surface.start_tagged(tag);
            surface.set_fill(Some(ink(style.quiet)));
            let mut x = x;
            for part in style.weight.parts(&text) {
                draw_part(surface, style, &mut x, y, &part);
            }
            surface.end_tagged();
            if role != ElementRole::Aside {
                structure.add(role, &text, part);
            }
        }
        Mark::Path(path, quiet, shows) => {
            let tag = if shows.is_some() { ContentTag::Other } else { aside() };
            let part = surface.start_tagged(tag);
            surface.set_fill(Some(ink(quiet)));
            surface.draw_path(&path);
            surface.end_tagged();
            if let Some(shows) = shows {
                structure.end_table();
                let mut figure = TagGroup::new(Tag::Figure(Some(shows)));
                figure.push(part);
                structure.tree.push(figure);
            }
        }
    }
}

fn draw_part(surface: &mut Surface<'_>, style: Style, x: &mut f32, y: f32, part: &TextRun) {
    let Some(typeface) = style.weight.typefaces().get(part.typeface) else { return };
    let direction = match part.is_rtl {
        true => TextDirection::RightToLeft,
        false => TextDirection::LeftToRight,
    };
    let (at, font) = (Point::from_xy(*x, y), typeface.set.clone());
    surface.draw_text(at, font, style.size, &part.text, false, direction);
    *x += style.weight.width(part, style.size);
}

/// The properties of a document.
pub struct About {
    /// Display name.
    pub title: String,
    /// Who made it.
    pub author: String,
    /// The code of its language.
    pub language: &'static str,
    /// When it was created.
    pub date: Date,
}

impl Sheets {
    /// Begins a page.
    pub fn begin_page(&mut self) {
        self.pages.push(Vec::new());
    }

    /// How many pages there are.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// Goes on with a page that was begun.
    pub fn on(&mut self, page: usize) -> PageWriter<'_> {
        PageWriter { marks: &mut self.pages[page], role: ElementRole::Text }
    }

    /// The last page.
    pub fn last(&mut self) -> PageWriter<'_> {
        let at = self.pages.len() - 1;
        self.on(at)
    }

    /// The document as a PDF/A-3a that is PDF/UA-1, too, with a file inside.
    pub fn finish(self, about: About, inside: Option<(&str, String)>) -> Result<Vec<u8>, String> {
        let configuration: Configuration = ConfigurationBuilder::new()
            .with_version(PdfVersion::Pdf17)
            .with_archival_validator(Archival::A3_A)
            .with_accessibility_validator(Accessibility::UA1)
            .finish()
            .map_err(|error| format!("{error:?}"))?;
        let settings = SerializeSettings { configuration, ..SerializeSettings::default() };
        let mut document = Document::new_with(settings);
        let mut structure = Structure { tree: TagTree::new(), table: None };
        for marks in self.pages {
            let settings = PageSettings::from_wh(WIDTH, HEIGHT).ok_or("a page without a size")?;
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            for mark in marks {
                draw(&mut surface, &mut structure, mark);
            }
            surface.finish();
            page.finish();
        }
        structure.end_table();
        document.set_tag_tree(structure.tree.with_lang(Some(about.language.to_owned())));
        let mut outline = Outline::new();
        let top = XyzDestination::new(0, Point::from_xy(0.0, 0.0));
        outline.push_child(OutlineNode::new(about.title.clone(), top));
        document.set_outline(outline);
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
pub struct PageWriter<'s> {
    marks: &'s mut Vec<Mark>,
    role: ElementRole,
}

impl PageWriter<'_> {
    /// What the texts that follow are of the document.
    pub fn role(&mut self, role: ElementRole) {
        self.role = role;
    }

    /// Text that starts at a position.
    pub fn text(&mut self, style: Style, x: f32, y: f32, text: &str) {
        let text = style.clean(text);
        if !text.trim().is_empty() {
            self.marks.push(Mark::Text(style, x, y, text, self.role));
        }
    }

    /// Text that ends at a position.
    pub fn text_until(&mut self, style: Style, right: f32, y: f32, text: &str) {
        let width = style.width(&style.clean(text));
        self.text(style, right - width, y, text);
    }

    /// A rule across the page.
    pub fn rule(&mut self, left: f32, right: f32, y: f32) {
        self.squares(true, [Rect::from_ltrb(left, y, right, y + 0.6)], None);
    }

    /// Dark squares as one element, with an alternative text if they need one.
    pub fn squares(
        &mut self,
        quiet: bool,
        squares: impl IntoIterator<Item = Option<Rect>>,
        shows: Option<&str>,
    ) {
        let mut path = PathBuilder::new();
        squares.into_iter().flatten().for_each(|square| path.push_rect(square));
        let shows = shows.map(str::to_owned);
        self.marks.extend(path.finish().map(|path| Mark::Path(path, quiet, shows)));
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
    fn missing_glyphs_are_replaced() {
        let clean = |text| Style::regular(10.0).clean(text);
        assert_eq!(clean("Zoë Łukasz Ελένη Юлия"), "Zoë Łukasz Ελένη Юлия");
        assert_eq!(clean("a\u{ffff}b"), "a?b");
        assert_eq!(clean("فاطمة שרה प्रिया สมชาย"), "فاطمة שרה प्रिया สมชาย");
        assert_eq!(clean("健身 💪\u{feff}\u{202e}\u{e000}\n"), "?? ?? ");
    }
}
