//! Text files of unknown encoding.

/// What Windows-1252 has where ISO 8859-1 has control characters (0x80 to 0x9f), as the Encoding Standard maps them.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a file as spreadsheets save them: UTF-8, UTF-16 with its mark, else Windows-1252. The mark is left out.
pub fn decoded(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        String::from_utf16_lossy(&units.collect::<Vec<_>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            Err(_) => bytes.iter().map(|byte| letter(*byte)).collect(),
        },
    }
}

fn letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_of_spreadsheets_are_texts() {
        assert_eq!(decoded("\u{feff}Zoë €".as_bytes()), "Zoë €");
        assert_eq!(decoded(b"Zo\xeb \x80"), "Zoë €");
        assert_eq!(decoded(&[0xff, 0xfe, 0x5a, 0, 0xac, 0x20]), "Z€");
        assert_eq!(decoded(&[0xfe, 0xff, 0, 0x5a, 0x20, 0xac, 0]), "Z€");
        assert_eq!(decoded(&[]), "");
    }

    proptest! {
        #[test]
        fn utf_8_stays_as_it_is(text in "[^\u{feff}].{0,40}") {
            prop_assert_eq!(decoded(text.as_bytes()), text);
        }
    }
}
