//! Telephone numbers as people write them, and the two ways in which others look for them: as the
//! country dials them, and as the world does (ITU-T E.164).

/// Country calling codes by ISO 3166-1 country, as E.164 assigns them.
const CODES: &str = "AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AX358 AZ994 BA387 \
    BB1 BD880 BE32 BF226 BG359 BH973 BI257 BJ229 BL590 BM1 BN673 BO591 BQ599 BR55 BS1 BT975 BW267 BY375 BZ501 \
    CA1 CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56 CM237 CN86 CO57 CR506 CU53 CV238 CW599 CX61 CY357 CZ420 \
    DE49 DJ253 DK45 DM1 DO1 DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500 FM691 FO298 FR33 \
    GA241 GB44 GD1 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502 GU1 GW245 GY592 HK852 \
    HN504 HR385 HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964 IR98 IS354 IT39 JE44 JM1 JO962 JP81 KE254 \
    KG996 KH855 KI686 KM269 KN1 KP850 KR82 KW965 KY1 KZ7 LA856 LB961 LC1 LI423 LK94 LR231 LS266 LT370 LU352 \
    LV371 LY218 MA212 MC377 MD373 ME382 MF590 MG261 MH692 MK389 ML223 MM95 MN976 MO853 MP1 MQ596 MR222 MS1 \
    MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NC687 NE227 NF672 NG234 NI505 NL31 NO47 NP977 NR674 NU683 \
    NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92 PL48 PM508 PR1 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 \
    RU7 RW250 SA966 SB677 SC248 SD249 SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 \
    ST239 SV503 SX1 SY963 SZ268 TC1 TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1 TV688 TW886 \
    TZ255 UA380 UG256 US1 UY598 UZ998 VA39 VC1 VE58 VG1 VI1 VN84 VU678 WF681 WS685 XK383 YE967 YT262 ZA27 \
    ZM260 ZW263";

/// The calling code of a country.
fn code_of(country: &str) -> Option<&'static str> {
    CODES.split(' ').find_map(|entry| entry.strip_prefix(country)).filter(|_| country.len() == 2)
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// A number with its country code, without the trunk zero that is not dialled then.
fn international(written: &str) -> Option<String> {
    let start = written.trim_start();
    let rest = start.strip_prefix('+').or_else(|| start.strip_prefix("00"))?;
    Some(digits_of(&rest.replace("(0)", "")))
}

/// The significant number within a country: its digits without the prefix of calls inside it (ITU's
/// list of dialling procedures).
fn significant<'d>(digits: &'d str, code: &str) -> &'d str {
    match code {
        // The zero is part of the number.
        "39" | "378" => digits,
        "1" => digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(digits),
        "7" => digits.strip_prefix('8').filter(|rest| rest.len() == 10).unwrap_or(digits),
        "36" => digits.strip_prefix("06").unwrap_or(digits),
        "370" => digits.strip_prefix(['8', '0']).unwrap_or(digits),
        _ => digits.strip_prefix('0').unwrap_or(digits),
    }
}

/// The terms that a number is found by, in a company of this country: with its code and without, and
/// by its last nine, eight, six and four digits.
pub(super) fn terms(written: &str, country: Option<&str>) -> Vec<String> {
    let code = country.and_then(code_of);
    let whole = international(written);
    let digits = whole.clone().unwrap_or_else(|| digits_of(written));
    let mut terms = Vec::new();
    match (whole, code) {
        (Some(whole), code) => {
            terms.extend(code.and_then(|code| whole.strip_prefix(code)).map(str::to_owned));
            terms.push(whole);
        }
        (None, code) => {
            let own = significant(&digits, code.unwrap_or_default());
            terms.extend(code.map(|code| format!("{code}{own}")));
            terms.push(own.to_owned());
        }
    }
    let tails = [9, 8, 6, 4].map(|length| digits.get(digits.len().saturating_sub(length)..));
    terms.extend(tails.into_iter().flatten().map(str::to_owned));
    terms.retain(|term| !term.is_empty());
    terms
}

/// Whether a word of a search is part of a phone number: digits and separators.
pub(super) fn is_number(piece: &str) -> bool {
    piece.chars().all(|c| c.is_ascii_digit() || "+().-/".contains(c))
}

/// The prefix of search terms for a phone number; `None` where no digits are left.
pub(super) fn search_digits(written: &str, country: Option<&str>) -> Option<String> {
    let code = country.and_then(code_of).unwrap_or_default();
    let digits = digits_of(written);
    let sought = match international(written) {
        Some(whole) => whole,
        None => significant(&digits, code).to_owned(),
    };
    if sought.is_empty() { Some(digits).filter(|digits| !digits.is_empty()) } else { Some(sought) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_last_eight_digits() {
        for written in ["06 12345678", "+31 6 1234 5678"] {
            assert!(terms(written, Some("NL")).contains(&"12345678".to_owned()), "{written}");
        }
    }

    fn finds(search: &str, written: &str, country: &str) -> bool {
        let sought = search_digits(search, Some(country)).unwrap();
        terms(written, Some(country)).iter().any(|term| term.starts_with(&sought))
    }

    #[test]
    fn a_number_is_found_however_it_is_written() {
        let ways = [
            (
                "NL",
                vec![
                    "+31 6 12345678",
                    "06 - 12345678",
                    "0612345678",
                    "+31 (0)6 12345678",
                    "0031 612345678",
                ],
            ),
            ("US", vec!["+1 (555) 123-4567", "(555) 123-4567", "555.123.4567", "1-555-123-4567"]),
            ("IT", vec!["+39 06 6982 1234", "06 6982 1234"]),
            ("HU", vec!["+36 30 123 4567", "06 30 123 4567"]),
            ("RU", vec!["+7 495 123-45-67", "8 (495) 123-45-67"]),
            ("ES", vec!["+34 912 34 56 78", "912345678"]),
        ];
        for (country, ways) in ways {
            for written in &ways {
                for search in &ways {
                    assert!(finds(search, written, country), "{search} in {written}");
                }
                let digits = digits_of(written);
                assert!(finds(&digits[digits.len() - 6..], written, country), "{written}");
            }
        }
    }

    #[test]
    fn other_numbers_are_not_found() {
        assert!(!finds("06 87654321", "06 12345678", "NL"));
        assert!(!finds("+32 6 12345678", "06 12345678", "NL"));
        assert!(!finds("0", "06 12345678", "NL"));
        assert_eq!(search_digits("()", Some("NL")), None);
        assert_eq!(
            (code_of("NL"), code_of("ZW"), code_of("XX"), code_of("N")),
            (Some("31"), Some("263"), None, None)
        );
    }
}
