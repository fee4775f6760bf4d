//! What a letter says in a language, before it is laid out.

use maud::{Markup, html};

use super::{Language, Letter, bookings};

/// What a letter says, before it is laid out.
pub(super) struct LetterContent {
    pub(super) subject: String,
    pub(super) paragraphs: Vec<LetterParagraph>,
    pub(super) link: &'static str,
}

/// A paragraph, line by line.
pub(super) struct LetterParagraph {
    pub(super) heading: Option<String>,
    pub(super) lines: Vec<String>,
}

impl LetterParagraph {
    pub(super) fn plain<'p>(lines: impl IntoIterator<Item = &'p str>) -> Self {
        Self { heading: None, lines: lines.into_iter().map(str::to_owned).collect() }
    }

    pub(super) fn markup(&self) -> Markup {
        html! {
            @if let Some(heading) = &self.heading { strong { (heading) } br; }
            @for (number, line) in self.lines.iter().enumerate() {
                @if number > 0 { br; }
                (line)
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let lines = self.heading.iter().chain(&self.lines).map(String::as_str);
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl LetterContent {
    pub(super) fn of(
        letter: &Letter<'_>,
        language: &'static Language,
        values: &[(&str, &str)],
    ) -> Self {
        if let Letter::Bookings { news, .. } = letter {
            let company = values.iter().find(|(name, _)| *name == "company");
            let company = company.map_or("", |(_, company)| company);
            let texts = &language.bookings;
            return Self {
                subject: bookings::subject(news, texts, company),
                paragraphs: news.iter().map(|one| one.paragraph(texts)).collect(),
                link: texts.link,
            };
        }
        if let Letter::Announcement { subject, text } = letter {
            let lines = |part: &str| LetterParagraph::plain(part.lines());
            let paragraphs = text.split("\n\n").map(lines).collect();
            return Self { subject: (*subject).to_owned(), paragraphs, link: "" };
        }
        let texts = language.texts(letter.kind());
        let paragraphs = texts.map_or(&[][..], |texts| texts.paragraphs);
        Self {
            subject: texts.map_or_else(String::new, |texts| fill(texts.subject, values)),
            paragraphs: paragraphs
                .iter()
                .map(|text| LetterParagraph::plain([&*fill(text, values)]))
                .collect(),
            link: texts.map_or("", |texts| texts.link),
        }
    }
}

/// A text with its placeholders filled; inserted values are not expanded again.
pub(super) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        let value = values.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        filled.push_str(before);
        filled.push_str(value);
        rest = tail;
    }
    filled + rest
}
