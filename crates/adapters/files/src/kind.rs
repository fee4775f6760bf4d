//! Whether a file is of its declared type, by its first bytes.

/// Whether a file that begins so can be of this media type. Of types that are not known by their
/// beginning, nothing is.
pub fn looks_like(media_type: &str, beginning: &[u8]) -> bool {
    // The library's names for two of them are those of before their registration.
    let known_as = match media_type {
        "audio/mp4" => "audio/m4a",
        "audio/wav" => "audio/x-wav",
        other => other,
    };
    infer::is_mime(beginning, known_as)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin() {
        let begin: &[(&str, &[u8])] = &[
            ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
            ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            ("image/webp", b"RIFF\x24\0\0\0WEBPVP8 "),
            ("image/gif", b"GIF89a\x01\0\x01\0"),
            ("video/mp4", b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41"),
            ("video/quicktime", b"\0\0\0\x14ftypqt  \0\0\0\0qt  "),
            ("video/webm", b"\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm"),
            ("audio/mpeg", b"ID3\x04\0\0\0\0\0\x23"),
            ("audio/mp4", b"\0\0\0\x20ftypM4A \0\0\0\0M4A mp42isom"),
            ("audio/ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0"),
            ("audio/wav", b"RIFF\x24\0\0\0WAVEfmt "),
            ("application/pdf", b"%PDF-1.7\n"),
        ];
        let long = |bytes: &[u8]| [bytes, &[0; 300]].concat();
        for (name, bytes) in begin {
            assert!(looks_like(name, &long(bytes)), "{name}");
            for (other, bytes) in begin.iter().filter(|(other, _)| other != name) {
                assert!(!looks_like(name, &long(bytes)), "{other} passes for {name}");
            }
            assert!(!looks_like(name, b"<html><script>") && !looks_like(name, b""), "{name}");
        }
    }
}
