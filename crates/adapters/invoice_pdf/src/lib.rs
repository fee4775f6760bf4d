//! Invoices as files: a PDF/A-3 (ISO 19005-3) for people with the electronic invoice of EN 16931 embedded for
//! programs, as in Factur-X 1.0 (ZUGFeRD 2). The same facts always make the same bytes.
//!
//! [`invoice`] has the facts, [`words`] the texts. [`einvoice`] writes the XML, [`sheet`] draws, [`fonts`] chooses
//! fonts, [`layout`] places everything, [`transfer`] is the code for banking apps, and [`metadata`] declares the
//! embedded invoice.

pub mod einvoice;
mod fonts;
pub mod invoice;
mod layout;
mod metadata;
mod sheet;
pub mod transfer;
pub mod words;

pub use invoice::PrintedInvoice;
pub use layout::pdf;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::{Date, money::Currency};

    use super::{
        invoice::{Category, Kind, Line, PrintedInvoice, PrintedParty, PrintedRate},
        words::Language,
    };

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    pub(crate) fn sample() -> PrintedInvoice {
        let line = |description: &str, net, gross, rate| Line {
            description: description.into(),
            quantity: 1,
            net,
            gross,
            rate,
            category: Category::Standard,
        };
        let rate = |rate, net, tax| PrintedRate {
            rate,
            category: Category::Standard,
            exemption_reason: None,
            net,
            tax,
        };
        PrintedInvoice {
            kind: Kind::Invoice,
            number: "INV-2026-000042".into(),
            issued: date("2026-11-23"),
            due: date("2026-12-07"),
            period: Some((date("2026-11-23"), date("2026-12-23"))),
            corrects: None,
            reason: None,
            currency: Currency::parse("EUR").unwrap(),
            seller: PrintedParty {
                name: "Riverside Coaching B.V.".into(),
                street: vec!["Kade 1".into()],
                postal_code: Some("3011 AA".into()),
                city: Some("Rotterdam".into()),
                country: Some("NL".into()),
                email: Some("hello@riverside.example".into()),
                phone: None,
                contact_name: None,
                tax_number: None,
                vat_number: Some("NL123456789B01".into()),
                registration_number: Some("12345678".into()),
            },
            seller_id: "65a1b2c3d4e5f6a7b8c9d0e1".into(),
            buyer: PrintedParty {
                name: "Zoë <Łukasz> & 健身".into(), ..PrintedParty::default()
            },
            lines: vec![
                line("Gold membership", 4_050, 4_900, 2_100),
                line("Towel", 917, 1_000, 900),
                line("Days of a pause", -331, -400, 2_100),
            ],
            rates: vec![rate(900, 917, 83), rate(2_100, 3_719, 781)],
            net: 4_636,
            tax: 864,
            gross: 5_500,
            prepaid: 0,
            collected: false,
            iban: Some("NL91ABNA0417164300".into()),
            bic: Some("ABNANL2A".into()),
        }
    }

    #[test]
    fn the_same_facts_make_the_same_bytes() {
        let invoice = sample();
        let made = super::pdf(&invoice, Language::Dutch).unwrap();
        assert_eq!(made, super::pdf(&invoice, Language::Dutch).unwrap());
        assert!(made.starts_with(b"%PDF-1.7") && made.ends_with(b"%%EOF"));
        assert!(made.len() < 60_000, "{} bytes", made.len());
        // Factur-X requires this in the metadata that the last table refers to.
        let text: String = made.iter().map(|byte| char::from(*byte)).collect();
        assert!(text.contains("<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>"));
        if let Ok(path) = std::env::var("SPOTTER_PAPER_SAMPLE") {
            std::fs::write(path, made).unwrap();
        }
    }

    #[test]
    fn names_of_many_scripts_are_set() {
        let mut invoice = sample();
        invoice.seller.name = "صالة فاطمة للياقة".into();
        invoice.buyer.name = "Ann فاطمة حسن (שרה כהן) प्रिया สมชาย".into();
        (invoice.net, invoice.gross) = (123_456_700, 123_457_564);
        let made = super::pdf(&invoice, Language::English).unwrap();
        let text: String = made.iter().map(|byte| char::from(*byte)).collect();
        for font in ["NotoSansArabic", "NotoSansHebrew", "NotoSansDevanagari", "NotoSansThai"] {
            assert!(text.contains(font), "{font}");
        }
        if let Ok(path) = std::env::var("SPOTTER_PAPER_SAMPLE") {
            std::fs::write(format!("{path}.scripts.pdf"), made).unwrap();
        }
    }

    fn at_no_rate(own: &mut PrintedInvoice, category: Category) {
        own.rates.truncate(1);
        own.rates[0] = PrintedRate { rate: 0, category, exemption_reason: None, net: 100, tax: 0 };
        own.lines.truncate(1);
        (own.lines[0].rate, own.lines[0].category) = (0, category);
    }

    #[test]
    fn inexpressible_invoices_have_no_electronic_part() {
        let output = |change: fn(&mut PrintedInvoice)| {
            let mut invoice = sample();
            change(&mut invoice);
            super::pdf(&invoice, Language::English).unwrap();
            super::einvoice::xml(&invoice)
        };
        assert!(output(|_| ()).is_some());
        assert!(output(|own| own.seller.vat_number = None).is_none());
        assert!(output(|own| own.seller.country = None).is_none());
        assert!(output(|own| own.currency = Currency::parse("KWD").unwrap()).is_none());
        let free = output(|own| {
            own.seller.vat_number = None;
            at_no_rate(own, Category::OutsideScope);
        });
        let free = free.unwrap();
        assert!(free.contains("<ram:CategoryCode>O<") && !free.contains("RateApplicablePercent"));
        // An exemption needs a number of the seller's, and reverse charge the VAT numbers of both.
        assert!(
            output(|own| {
                at_no_rate(own, Category::Exempt);
                own.seller.vat_number = None;
            })
            .is_none()
        );
        assert!(output(|own| at_no_rate(own, Category::ReverseCharge)).is_none());
        let exempt = output(|own| {
            at_no_rate(own, Category::Exempt);
            own.seller.vat_number = None;
            own.seller.tax_number = Some("12/345".into());
            own.rates[0].exemption_reason = Some("§ 4 Nr. 21 UStG".into());
        });
        let exempt = exempt.unwrap();
        assert!(exempt.contains("<ram:ExemptionReason>§ 4 Nr. 21 UStG<"), "{exempt}");
        assert!(exempt.contains("<ram:ID schemeID=\"FC\">12/345<"), "{exempt}");
        let xml = output(|own| own.buyer.name = "A\u{1}<b>".into()).unwrap();
        assert!(xml.contains("<ram:Name>A &lt;b&gt;</ram:Name>"), "{xml}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn arbitrary_text_is_valid_output(
            texts in prop::collection::vec("\\PC{0,120}", 4..40),
            odd in any::<String>(),
        ) {
            let mut invoice = sample();
            invoice.buyer.name = odd.clone();
            invoice.reason = Some(odd);
            invoice.seller.street = texts.iter().take(3).cloned().collect();
            let like = invoice.lines[0].clone();
            let line = |text: &String| Line { description: text.clone(), ..like.clone() };
            invoice.lines = texts.iter().map(line).collect();
            let made = super::pdf(&invoice, Language::German);
            prop_assert!(made.is_ok(), "{made:?}");
        }
    }
}
