//! Tests of the rules of text.

use super::*;

#[test]
fn texts_are_trimmed_and_bounded() {
    assert_eq!(&*Text::<5>::parse("  ab ").unwrap(), "ab");
    assert_eq!(Text::<5>::parse("abcdef").unwrap_err().0, Key::FieldTooLong);
    assert_eq!(Text::<5>::parse("  ").unwrap_err().0, Key::RequestInvalid);
    assert_eq!(Text::<5>::parse("\u{1}\u{1f}").unwrap_err().0, Key::RequestInvalid);
    assert_eq!(Text::<5>::parse("a\0").unwrap_err().0, Key::RequestInvalid);
    assert!(Text::<2>::parse("éé").is_ok(), "characters count, not bytes");
    assert!(Text::<9>::parse("\u{200b}\u{feff}\u{2800}").is_err(), "there is nothing to see");
    assert_eq!(&*Text::<9>::parse("👨\u{200d}👩").unwrap(), "👨\u{200d}👩");
}

#[test]
fn names_hide_no_other_columns() {
    assert_eq!(&*Name::<9>::parse("\u{202e}An\u{200b}n\u{2069} ").unwrap(), "Ann");
    for (submitted, kept) in [
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("क्\u{200d}ष", "क्\u{200d}ष"),
        ("👩\u{200d}👧", "👩\u{200d}👧"),
        ("A\u{200d}n\u{200c}n", "Ann"),
        ("\u{200c}مریم\u{200c} \u{200d}", "مریم"),
    ] {
        assert_eq!(&*Name::<9>::parse(submitted).unwrap(), kept);
    }
    assert!(Name::<9>::parse("\u{200b}\u{202e}").is_err());
}

#[test]
fn formats_take_and_refuse() {
    for good in ["a@b.io", "first.last+tag@sub.example-x.com", "pat.o'brien@b.ie", "a@b.xn--p1ai"] {
        assert!(Email::parse(good).is_some(), "{good}");
    }
    for bad in [
        "", "a@b", "@b.io", "a@-b.io", "a b@c.io", "a@b..io", "a@b.i0", ".a@b.io", "a@b.xn--",
        "a&b@c.io",
    ] {
        assert!(Email::parse(bad).is_none(), "{bad}");
    }
    for good in [
        "+31 20 123 4567",
        "0201234567",
        "+1 (555) 123-4567",
        "(555) 123-4567",
        "+31 (0)6 12345678",
        "06 - 12345678",
        "030/123456",
    ] {
        assert!(Phone::parse(good).is_some(), "{good}");
    }
    for bad in ["", "1234", "+", "12+3456", "phone", "12345 x6", "1234567890123456"] {
        assert!(Phone::parse(bad).is_none(), "{bad}");
    }
    assert!(WallTime::parse("23:59").is_some() && WallTime::parse("24:00").is_none());
    let closing = |text: &str| serde_json::from_value::<ClosingTime>(text.into());
    assert_eq!(&*closing("24:00").unwrap().0, "00:00");
    assert!(closing("24:01").is_err() && closing("17:30").is_ok());
    assert!(WebUrl::parse("https://example.com:8443/a?b=c").is_some());
    assert!(WebUrl::parse("javascript:alert(1)").is_none());
}

#[test]
fn quoted_secrets_end_at_the_quote() {
    let name = "Ann\u{201d} is archived.\nNext: \u{201c}Bea";
    assert_eq!(quoted(name), "\u{201c}Ann' is archived. Next: 'Bea\u{201d}");
    assert_eq!(quoted(&"x".repeat(500)).chars().count(), 203);
}

#[test]
fn names_stand_on_one_line() {
    let name = |text| Name::<80>::parse(text).unwrap();
    assert_eq!(&*name("Ann\r\nBcc: eve@e.example"), "Ann  Bcc: eve@e.example");
    assert!(Name::<80>::parse("A\0").is_err(), "NUL is refused");
}
