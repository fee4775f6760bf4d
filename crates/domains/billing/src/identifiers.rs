//! Identifiers of a company at banks and tax offices.

use crate::rules::BillingRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Key, problem::refuse};

/// A text that is read by a rule and kept without its spaces.
macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $rule:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
        #[schemars(transparent, inline)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Reads one, with or without spaces.
            pub fn parse(text: &str) -> Option<Self> {
                let text: String = text.chars().filter(|c| *c != ' ').collect();
                Self::is_one(&text).then_some(Self(text))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(d)?;
                Self::parse(&text).ok_or_else(|| refuse::<D::Error>(Key::RequestInvalid, $rule))
            }
        }
    };
}

identifier!(
    /// An International Bank Account Number (ISO 13616) in its electronic form.
    Iban,
    BillingRule::NotIban
);

identifier!(
    /// A Business Identifier Code of a bank (ISO 9362).
    Bic,
    BillingRule::NotBic
);

identifier!(
    /// A VAT identification number: the letters of its country, and what that has given, such as NL123456789B01.
    VatNumber,
    BillingRule::NotVatNumber
);

fn upper(text: &str, range: std::ops::Range<usize>) -> bool {
    text.get(range).is_some_and(|part| part.bytes().all(|c| c.is_ascii_uppercase()))
}

fn upper_or_digits(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

impl Iban {
    /// Checks the digits by ISO 7064, MOD 97-10.
    fn is_one(text: &str) -> bool {
        let shaped = (15..=34).contains(&text.len())
            && upper_or_digits(text)
            && upper(text, 0..2)
            && text[2..4].bytes().all(|c| c.is_ascii_digit());
        let digits = |c: char| c.to_digit(36).unwrap_or(0);
        let rest = |rest: u32, c: char| match digits(c) {
            one @ 0..10 => (rest * 10 + one) % 97,
            two => (rest * 100 + two) % 97,
        };
        shaped && text[4..].chars().chain(text[..4].chars()).fold(0, rest) == 1
    }
}

impl Bic {
    fn is_one(text: &str) -> bool {
        matches!(text.len(), 8 | 11) && upper(text, 0..6) && upper_or_digits(text)
    }
}

/// Prefixes of VAT numbers: the member states, Northern Ireland, and other European countries.
const VAT_COUNTRIES: &[&str] = &[
    "AL", "AT", "BA", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GB",
    "GR", "HR", "HU", "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MD", "ME", "MK", "MT", "NL", "NO",
    "PL", "PT", "RO", "RS", "SE", "SI", "SK", "SM", "TR", "UA", "XI", "XK",
];

impl VatNumber {
    /// The shape that the member states' numbers have in common (Directive 2006/112/EC, article 215); Greece
    /// writes EL, and some numbers have a plus or an asterisk.
    fn is_one(text: &str) -> bool {
        let rest = text.get(2..).unwrap_or_default();
        let own = rest.bytes().all(|c| {
            c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, b'+' | b'*' | b'.' | b'-')
        });
        text.get(..2).is_some_and(|country| VAT_COUNTRIES.contains(&country))
            && own
            && (2..=18).contains(&rest.len())
            && rest.contains(|c: char| c.is_ascii_digit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_numbers_are_checked() {
        assert_eq!(&*Iban::parse("NL91 ABNA 0417 1643 00").unwrap(), "NL91ABNA0417164300");
        assert!(Iban::parse("DE89370400440532013000").is_some());
        for wrong in [
            "NL91ABNA0417164301",
            "nl91ABNA0417164300",
            "NL91",
            "",
            "NL\u{e9}1ABNA0417164300",
            "9191ABNA0417164300",
        ] {
            assert!(Iban::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn banks_and_tax_numbers_have_their_shape() {
        for (right, kept) in [("ABNA NL 2A", "ABNANL2A"), ("DEUTDEFF500", "DEUTDEFF500")] {
            assert_eq!(&*Bic::parse(right).unwrap(), kept);
        }
        for wrong in
            ["", "ABNANL2", "abnanl2a", "12345678", "ABNANL2A5", "\u{e9}\u{e9}\u{e9}\u{e9}"]
        {
            assert!(Bic::parse(wrong).is_none(), "{wrong}");
        }
        for right in
            ["NL123456789B01", "DE 136695976", "EL094259216", "IE6388047V", "CHE-123.456.788"]
        {
            assert!(VatNumber::parse(right).is_some(), "{right}");
        }
        for wrong in
            ["", "NL", "123456789", "nl123456789B01", "none", "\u{e9}1234", "ABN51824753556"]
        {
            assert!(VatNumber::parse(wrong).is_none(), "{wrong}");
        }
    }
}
