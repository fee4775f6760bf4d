//! Search: the sections that hold every word, those with the words in their headings first.

use crate::pages::{PAGES, Page};
use crate::render::Section;

/// Most sections that are shown.
const FOUND_MAX: usize = 30;

/// How much of a section's text is shown, in characters.
const EXCERPT: usize = 200;

/// A section that was found.
pub(crate) struct Found {
    pub(crate) page: &'static Page,
    pub(crate) section: &'static Section,
    pub(crate) excerpt: String,
}

/// The sections that hold every word, best first.
pub(crate) fn find(query: &str) -> Vec<Found> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let all =
        PAGES.iter().flat_map(|page| page.content().sections.iter().map(move |own| (page, own)));
    let mut found: Vec<(usize, &Page, &Section)> = all
        .filter_map(|(page, section)| Some((score(page, section, &words)?, page, section)))
        .collect();
    // In the order of the sidebar where nothing else tells them apart.
    found.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
    let shown = found.into_iter().take(FOUND_MAX);
    shown
        .map(|(_, page, section)| Found {
            page,
            section,
            excerpt: excerpt(&section.text, words[0]),
        })
        .collect()
}

/// How well a section fits; nothing if a word is missing.
fn score(page: &Page, section: &Section, words: &[&str]) -> Option<usize> {
    let (title, heading) = (page.content().title.to_lowercase(), section.heading.to_lowercase());
    let text = section.text.to_lowercase();
    words.iter().try_fold(0, |sum, word| {
        let of_text = text.matches(word).count().min(5);
        let of_heading = if heading.contains(word) { 20 } else { 0 };
        let of_title = if title.contains(word) { 8 } else { 0 };
        let own = of_text + of_heading;
        (own > 0).then_some(sum + own + of_title)
    })
}

/// What stands around a word.
fn excerpt(text: &str, word: &str) -> String {
    let at = text.to_lowercase().find(word).unwrap_or(0);
    // Lower case may be longer or shorter; the place is near enough.
    let before =
        text.char_indices().map(|(place, _)| place).take_while(|place| *place <= at).count();
    let start = before.saturating_sub(EXCERPT / 3);
    let shown: String = text.chars().skip(start).take(EXCERPT).collect();
    let (head, tail) = (
        if start > 0 { "… " } else { "" },
        if text.chars().count() > start + EXCERPT { " …" } else { "" },
    );
    format!("{head}{}{tail}", shown.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_by_every_word_and_headings_come_first() {
        let found = find("Verify SIGNATURES");
        assert_eq!(
            (found[0].page.name, found[0].section.heading.as_str()),
            ("webhooks", "Verify signatures")
        );
        assert!(find("restore backup").iter().any(|one| one.page.name == "operations"));
        assert!(find("xyzzy").is_empty() && find("  ").is_empty());
        assert!(find("e").len() <= FOUND_MAX);
        for odd in ["İstanbul", "<script>", "ﬁ", "'; --"] {
            find(odd);
        }
    }
}
