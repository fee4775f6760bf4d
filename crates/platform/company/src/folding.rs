//! Words as people look for them: without accents or case.

use spotter_store::Value;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longest stored word, in characters.
const WORD_MAX: usize = 40;
/// Most words of a search.
pub const SEARCH_WORDS_MAX: usize = 5;

/// Letters and digits in lower case, without accents, cut at everything else.
pub fn words_of(text: &str) -> impl Iterator<Item = String> {
    let plain = if text.is_ascii() { folded_ascii(text) } else { folded(text) };
    let words: Vec<String> = plain.split(' ').filter(|word| !word.is_empty()).map(cut).collect();
    words.into_iter()
}

/// The same as [`folded`] for most texts, which have nothing to normalize.
fn folded_ascii(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    text.chars().map(plain).collect()
}

/// A text in lower case, without accents, with a space for everything that is no letter or digit.
fn folded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match without_accent(c) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(if c.is_alphanumeric() { c } else { ' ' }),
        }
    }
    plain
}

/// The words of a name in every way in which people type it: as it is written, with neighbours in one word (obrien,
/// annemarie), and with the two letters that German has for an umlaut (loewenthal).
pub fn spellings(name: &str) -> Vec<String> {
    let with_two_letters = || -> String {
        let letters = name.nfc().flat_map(char::to_lowercase);
        let spelled = letters.map(|c| match c {
            'ä' => "ae".to_owned(),
            'ö' => "oe".to_owned(),
            'ü' => "ue".to_owned(),
            c => c.to_string(),
        });
        spelled.collect()
    };
    let umlauts = (!name.is_ascii()).then(with_two_letters);
    let mut all = Vec::new();
    for way in [Some(name), umlauts.as_deref()].into_iter().flatten() {
        let words: Vec<String> = words_of(way).collect();
        all.extend(words.windows(2).map(|pair| cut(&pair.concat())));
        all.extend(words);
    }
    all
}

/// Whether names are written without a space between their parts, as in Chinese, Japanese and Korean.
pub fn is_unspaced(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
    })
}

/// Letters that have no accent to lose, as people without them on their keyboards write them.
fn without_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ς' => "σ",
        'ı' => "i",
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'þ' => "th",
        'æ' => "ae",
        'œ' => "oe",
        // Joiners within a word, which people leave out when they look for it.
        '\u{200c}' | '\u{200d}' => "",
        // The combining dot that lower-casing a capital dotted I leaves.
        '\u{307}' => "",
        _ => return None,
    })
}

/// The stored form of a word.
pub fn cut(word: &str) -> String {
    word.chars().take(WORD_MAX).collect()
}

/// The words of several texts as one, with a space before each: a search for the beginnings of
/// words is a search for ` begin` in it.
pub fn haystack<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().flat_map(words_of).fold(String::new(), |all, word| all + " " + &word)
}

/// The same for words that may be written as one, as two, or with a hyphen: adjacent words are also joined.
pub fn joined_haystack<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut all = String::new();
    for text in texts {
        let words: Vec<_> = words_of(text).collect();
        let pairs = words.windows(2).map(<[String]>::concat);
        for word in words.iter().cloned().chain(pairs) {
            all = all + " " + &word;
        }
    }
    all
}

/// A word without the ending of its plural, as far as English forms it by rule.
pub fn singular(word: &str) -> &str {
    match word.strip_suffix("es").filter(|stem| stem.ends_with(['s', 'x']) || stem.ends_with("ch"))
    {
        Some(stem) => stem,
        None => word
            .strip_suffix('s')
            .filter(|stem| stem.len() > 1 && !stem.ends_with('s'))
            .unwrap_or(word),
    }
}

/// What to look for in a [`haystack`]; each must be found. A search without a letter or a digit in it
/// finds nothing.
pub fn needles(search: &str) -> Vec<String> {
    let mut needles: Vec<_> =
        words_of(search).take(SEARCH_WORDS_MAX).map(|word| format!(" {word}")).collect();
    if needles.is_empty() {
        // No haystack holds two spaces.
        needles.push("  ".to_owned());
    }
    needles
}

/// The conditions of a search in a column that holds a [`haystack`].
pub fn searched(search: &str) -> Vec<Vec<Value<'static>>> {
    looked_for(needles(search))
}

/// The conditions for these needles.
pub fn looked_for(needles: Vec<String>) -> Vec<Vec<Value<'static>>> {
    needles.into_iter().map(|needle| vec![Value::Text(format!("%{needle}%").into())]).collect()
}

/// A key within a list made of a text: its words joined by underscores; for a text without words, its code points.
pub fn slug(text: &str, otherwise: &str) -> String {
    let words: Vec<_> = words_of(text).collect();
    if !words.is_empty() {
        return words.join("_");
    }
    let numbers = text.chars().filter(|c| !c.is_whitespace()).map(|c| format!("_{:x}", c as u32));
    cut(&numbers.fold(otherwise.to_owned(), |key, number| key + &number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_folded_like_any_text() {
        for c in '\0'..='\x7f' {
            let text = format!("Ab{c}9 {c}");
            assert_eq!(folded_ascii(&text), folded(&text), "{c:?}");
        }
    }

    #[test]
    fn names_are_found_as_people_type_them() {
        for (name, typed) in [
            ("Löwenthal", "loewenthal"),
            ("Löwenthal", "lowenthal"),
            ("Lo\u{308}wenthal", "loewenthal"),
            ("O'Brien", "obrien"),
            ("Anne Marie", "annemarie"),
            ("Anne-Marie", "annemarie"),
            ("van der Berg", "vander"),
        ] {
            assert!(spellings(name).iter().any(|word| word == typed), "{name} as {typed}");
        }
        assert_eq!(spellings("Ann"), ["ann"]);
        assert!(is_unspaced("王小明") && is_unspaced("김민준") && !is_unspaced("Łukasz"));
    }

    #[test]
    fn words_lose_case_and_accents() {
        let words: Vec<_> = words_of("Zoë d'Árvíz-Núñez ÆON").collect();
        assert_eq!(words, ["zoe", "d", "arviz", "nunez", "aeon"]);
        for (one, other) in [
            ("Straße", "STRASSE"),
            ("ΣΊΣΥΦΟΣ", "Σίσυφος"),
            ("Işık", "ISIK"),
            ("İstanbul", "istanbul"),
            ("Łukasz", "lukasz"),
            ("Søren", "soren"),
            ("Đorđe", "dorde"),
        ] {
            assert_eq!(slug(one, "x"), slug(other, "x"), "{one}");
        }
    }

    #[test]
    fn searches_find_the_beginnings_of_words() {
        let hay = haystack(["Barbell Back-Squat", "Kniebeuge"]);
        let found = |search| needles(search).iter().all(|needle| hay.contains(needle));
        assert!(found("squat back") && found("KNIE"));
        for (plural, word) in [
            ("squats", "squat"),
            ("presses", "press"),
            ("boxes", "box"),
            ("ups", "up"),
            ("press", "press"),
            ("biceps", "bicep"),
            ("us", "us"),
        ] {
            assert_eq!(singular(plural), word);
        }
        assert!(joined_haystack(["Push-Up", "Skull Crusher"]).contains(" pushup"));
        assert!(!found("quat") && !found("squat front") && !found("%") && !found("💪"));
        assert_eq!(slug("  Änd so: On ", "field"), "and_so_on");
        assert_eq!(slug("!!", "field"), "field_21_21");
        assert_ne!(slug("💪", "item"), slug("🔥", "item"));
    }
}
