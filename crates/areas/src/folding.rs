//! Words as people look for them: without accents or case.

use spotter_store::Value;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longest word that is kept, in characters.
const WORD_MAX: usize = 40;
/// Most words of a search that are looked at.
pub(crate) const SEARCH_WORDS_MAX: usize = 5;

/// Letters and digits in lower case, without accents, cut at everything else.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = String> {
    let plain: String = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let words: Vec<String> = plain.split(' ').filter(|word| !word.is_empty()).map(cut).collect();
    words.into_iter()
}

/// A word as it is kept.
pub(crate) fn cut(word: &str) -> String {
    word.chars().take(WORD_MAX).collect()
}

/// The words of several texts as one, with a space before each: a search for the beginnings of
/// words is a search for ` begin` in it.
pub(crate) fn haystack<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().flat_map(words_of).fold(String::new(), |all, word| all + " " + &word)
}

/// What to look for in a [`haystack`]; each must be found.
pub(crate) fn needles(search: &str) -> Vec<String> {
    words_of(search).take(SEARCH_WORDS_MAX).map(|word| format!(" {word}")).collect()
}

/// The conditions of a search in a list whose filter `search` looks into a [`haystack`].
pub(crate) fn searched(search: Option<&str>) -> Vec<(&'static str, Vec<Value<'static>>)> {
    let needles = search.map(needles).unwrap_or_default();
    let like = |needle: String| vec![Value::Text(format!("%{needle}%").into())];
    needles.into_iter().map(|needle| ("search", like(needle))).collect()
}

/// A text as a key within a list: its words with underscores between, or another where it has none.
pub(crate) fn slug(text: &str, otherwise: &str) -> String {
    let words: Vec<_> = words_of(text).collect();
    if words.is_empty() { otherwise.to_owned() } else { words.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_and_accents() {
        let words: Vec<_> = words_of("Zoë d'Árvíz-Núñez ÆON").collect();
        assert_eq!(words, ["zoe", "d", "arviz", "nunez", "æon"]);
    }

    #[test]
    fn searches_find_the_beginnings_of_words() {
        let hay = haystack(["Barbell Back-Squat", "Kniebeuge"]);
        let found = |search| needles(search).iter().all(|needle| hay.contains(needle));
        assert!(found("squat back") && found("KNIE") && found(""));
        assert!(!found("quat") && !found("squat front"));
        assert_eq!(slug("  Änd so: On ", "field"), "and_so_on");
        assert_eq!(slug("!!", "field"), "field");
    }
}
