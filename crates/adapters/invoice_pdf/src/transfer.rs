//! The code of a transfer that banking programs read (EPC069-12, version 002).

use qrcode::{Color, EcLevel, QrCode};
use spotter_kernel::money::Currency;

/// The transfer.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'t> {
    /// Who is paid.
    pub payee: &'t str,
    /// The account.
    pub iban: &'t str,
    /// Its bank.
    pub bic: Option<&'t str>,
    /// Amount in minor units.
    pub amount: i64,
    /// Euros alone can be sent by it.
    pub currency: Currency,
    /// What the payee knows it by.
    pub reference: &'t str,
}

/// A code: its width in modules, and where it is dark, row by row.
#[derive(Clone, Debug)]
pub struct PaymentCode {
    /// The width, and the height.
    pub width: usize,
    dark: Vec<bool>,
}

impl PaymentCode {
    /// The modules that are dark: column and row.
    pub fn modules(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let dark = self.dark.iter().enumerate().filter(|(_, dark)| **dark);
        dark.map(|(at, _)| (at % self.width, at / self.width))
    }
}

/// The largest amount of a transfer, in minor units.
const AMOUNT_MAX: i64 = 99_999_999_999;

impl Transfer<'_> {
    /// The content of the code; `None` where the transfer cannot be encoded.
    pub fn text(&self) -> Option<String> {
        if self.currency.code() != "EUR" || !(1..=AMOUNT_MAX).contains(&self.amount) {
            return None;
        }
        let cut = |text: &str, most: usize| {
            let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
            plain.take(most).collect::<String>()
        };
        let amount = format!("EUR{}", self.currency.decimal(self.amount));
        let (payee, reference) = (cut(self.payee, 70), cut(self.reference, 140));
        let bic = self.bic.unwrap_or_default();
        let lines = ["BCD", "002", "1", "SCT", bic, &payee, self.iban, &amount, "", "", &reference];
        Some(lines.join("\n"))
    }

    /// The code; nothing where there can be none.
    pub fn code(&self) -> Option<PaymentCode> {
        let code = QrCode::with_error_correction_level(self.text()?, EcLevel::M).ok()?;
        let dark = code.to_colors().into_iter().map(|color| color == Color::Dark).collect();
        Some(PaymentCode { width: code.width(), dark })
    }
}

/// An account number in groups of four, as people read it (ISO 13616).
pub fn grouped(iban: &str) -> String {
    let characters: Vec<char> = iban.chars().collect();
    let groups = characters.chunks(4).map(|group| group.iter().collect::<String>());
    groups.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_is_written_as_banks_read_it() {
        let euro = Currency::parse("EUR").unwrap();
        let mut transfer = Transfer {
            payee: "Gym\nBV",
            iban: "NL91ABNA0417164300",
            bic: None,
            amount: 1_205,
            currency: euro,
            reference: "INV-2026-000001",
        };
        let text = transfer.text().unwrap();
        assert_eq!(
            text,
            "BCD\n002\n1\nSCT\n\nGym BV\nNL91ABNA0417164300\nEUR12.05\n\n\nINV-2026-000001"
        );
        let code = transfer.code().unwrap();
        assert!(code.modules().all(|(x, y)| x < code.width && y < code.width));
        transfer.amount = 0;
        assert!(transfer.text().is_none());
        transfer.currency = Currency::parse("USD").unwrap();
        transfer.amount = 1;
        assert!(transfer.code().is_none());
        assert_eq!(grouped("NL91ABNA0417164300"), "NL91 ABNA 0417 1643 00");
    }
}
