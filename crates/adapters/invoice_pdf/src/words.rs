//! The words on an invoice, by language: one table, in which a missing translation does not compile.

use spotter_kernel::{Date, money::Currency, number::grouped};

/// The languages that there are words in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Dutch.
    Dutch,
    /// German.
    German,
}

impl Language {
    /// The language of a code (ISO 639-1); English where there are no words in it.
    pub fn of(code: &str) -> Self {
        match code {
            "nl" => Self::Dutch,
            "de" => Self::German,
            _ => Self::English,
        }
    }

    /// Its code.
    pub const fn code(self) -> &'static str {
        self.pick(["en", "nl", "de"])
    }

    /// Of a text in every language, the one in this.
    pub const fn pick(self, [en, nl, de]: [&'static str; 3]) -> &'static str {
        match self {
            Self::English => en,
            Self::Dutch => nl,
            Self::German => de,
        }
    }

    /// An amount as people write it: `EUR 1,012.50`, `EUR 1.012,50`, `1.012,50 EUR`.
    pub fn amount(self, amount: i64, currency: Currency) -> String {
        let (code, number) = (currency.code(), self.grouped(&currency.decimal(amount)));
        match self {
            Self::English | Self::Dutch => format!("{code} {number}"),
            Self::German => format!("{number} {code}"),
        }
    }

    /// A decimal number in groups of three, pointed as the language does.
    fn grouped(self, decimal: &str) -> String {
        let (group, point) = match self {
            Self::English => (',', '.'),
            Self::Dutch | Self::German => ('.', ','),
        };
        grouped(decimal, group, point)
    }

    /// A date as people write it: `22 November 2026`, `22-11-2026`, `22.11.2026`.
    pub fn date(self, date: Date) -> String {
        date.0.strftime(self.pick(["%-d %B %Y", "%d-%m-%Y", "%d.%m.%Y"])).to_string()
    }

    /// A share as people write it: `21 %`, `5,5 %`.
    pub fn percent(self, rate: i64) -> String {
        let text = crate::invoice::percent(rate);
        match self {
            Self::English => format!("{text}%"),
            Self::Dutch | Self::German => format!("{} %", text.replace('.', ",")),
        }
    }

    pub(crate) const fn invoice(self) -> &'static str {
        self.pick(["Invoice", "Factuur", "Rechnung"])
    }

    pub(crate) const fn credit_note(self) -> &'static str {
        self.pick(["Credit note", "Creditfactuur", "Gutschrift"])
    }

    pub(crate) const fn number(self) -> &'static str {
        self.pick(["Number", "Nummer", "Nummer"])
    }

    pub(crate) const fn issued(self) -> &'static str {
        self.pick(["Date", "Datum", "Datum"])
    }

    pub(crate) const fn prepaid(self) -> &'static str {
        self.pick(["Paid before", "Eerder betaald", "Bereits bezahlt"])
    }

    pub(crate) const fn left_to_pay(self) -> &'static str {
        self.pick(["To pay", "Te betalen", "Zu zahlen"])
    }

    pub(crate) const fn paid(self) -> &'static str {
        self.pick([
            "This invoice is paid: there is nothing left to pay.",
            "Deze factuur is betaald: er hoeft niets meer betaald te worden.",
            "Diese Rechnung ist bezahlt: es ist nichts mehr zu zahlen.",
        ])
    }

    pub(crate) const fn due(self) -> &'static str {
        self.pick(["Due", "Te betalen uiterlijk", "Zahlbar bis"])
    }

    pub(crate) const fn collected(self) -> &'static str {
        self.pick([
            "It is collected from the payment method that you have left with us.",
            "Het wordt geïnd van de betaalmethode die je bij ons hebt achtergelaten.",
            "Der Betrag wird von der Zahlungsart eingezogen, die Sie bei uns hinterlegt haben.",
        ])
    }

    pub(crate) const fn reverse_charge(self) -> &'static str {
        self.pick([
            "VAT reverse-charged: to be accounted for by the recipient.",
            "Btw verlegd.",
            "Steuerschuldnerschaft des Leistungsempfängers.",
        ])
    }

    pub(crate) const fn tax_number(self) -> &'static str {
        self.pick(["Tax number", "Fiscaal nummer", "Steuernummer"])
    }

    pub(crate) const fn period(self) -> &'static str {
        self.pick(["Period", "Periode", "Zeitraum"])
    }

    pub(crate) const fn corrects(self) -> &'static str {
        self.pick(["Corrects", "Corrigeert", "Korrigiert"])
    }

    pub(crate) const fn reason(self) -> &'static str {
        self.pick(["Reason", "Reden", "Grund"])
    }

    pub(crate) const fn billed_to(self) -> &'static str {
        self.pick(["Billed to", "Gefactureerd aan", "Rechnung an"])
    }

    pub(crate) const fn description(self) -> &'static str {
        self.pick(["Description", "Omschrijving", "Beschreibung"])
    }

    pub(crate) const fn vat(self) -> &'static str {
        self.pick(["VAT", "Btw", "USt."])
    }

    pub(crate) const fn net(self) -> &'static str {
        self.pick(["Without VAT", "Excl. btw", "Netto"])
    }

    pub(crate) const fn gross(self) -> &'static str {
        self.pick(["With VAT", "Incl. btw", "Brutto"])
    }

    pub(crate) const fn total(self) -> &'static str {
        self.pick(["Total", "Totaal", "Gesamt"])
    }

    pub(crate) const fn account(self) -> &'static str {
        self.pick(["Account", "Rekening", "Konto"])
    }

    pub(crate) const fn reference(self) -> &'static str {
        self.pick(["Reference", "Omschrijving", "Verwendungszweck"])
    }

    pub(crate) const fn scan(self) -> &'static str {
        self.pick([
            "Pay with your banking app",
            "Betaal met de app van je bank",
            "Mit der App Ihrer Bank bezahlen",
        ])
    }

    pub(crate) const fn vat_number(self) -> &'static str {
        self.pick(["VAT number", "Btw-nummer", "USt-IdNr."])
    }

    pub(crate) const fn registration(self) -> &'static str {
        self.pick(["Registration number", "KvK-nummer", "Registernummer"])
    }

    pub(crate) const fn page(self) -> &'static str {
        self.pick(["Page", "Pagina", "Seite"])
    }
}
