//! The content of an invoice or a credit note.

use spotter_kernel::{Date, money::Currency};

/// Invoice or credit note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It bills.
    Invoice,
    /// A credit note.
    CreditNote,
}

/// Who sells, or who is billed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedParty {
    /// Display name.
    pub name: String,
    /// The contact person.
    pub contact_name: Option<String>,
    /// Street and number, and other lines before the city.
    pub street: Vec<String>,
    /// The postal code.
    pub postal_code: Option<String>,
    /// The town.
    pub city: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// An address for mail.
    pub email: Option<String>,
    /// A telephone number.
    pub phone: Option<String>,
    /// The VAT identification number.
    pub vat_number: Option<String>,
    /// Tax number other than a VAT number, such as a Steuernummer, an ABN or a GSTIN.
    pub tax_number: Option<String>,
    /// Company registration number.
    pub registration_number: Option<String>,
}

/// The categories of VAT that a seller of services uses (BT-118, UNTDID 5305).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// At a rate.
    Standard,
    /// At a rate of nothing.
    Zero,
    /// Exempt by law.
    Exempt,
    /// The buyer accounts for it.
    ReverseCharge,
    /// By who is not registered for it.
    OutsideScope,
}

impl Category {
    /// Its code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Standard => "S",
            Self::Zero => "Z",
            Self::Exempt => "E",
            Self::ReverseCharge => "AE",
            Self::OutsideScope => "O",
        }
    }
}

/// A billed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub description: String,
    /// Number of units.
    pub quantity: i64,
    /// Without tax, in minor units.
    pub net: i64,
    /// With tax, in minor units.
    pub gross: i64,
    /// The rate in hundredths of a percent.
    pub rate: i64,
    /// The category of VAT.
    pub category: Category,
}

/// What it comes to at one rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedRate {
    /// The rate in hundredths of a percent.
    pub rate: i64,
    /// The category of VAT.
    pub category: Category,
    /// Why it bears no VAT, in the seller's words.
    pub exemption_reason: Option<String>,
    /// Without tax, in minor units.
    pub net: i64,
    /// The tax, in minor units.
    pub tax: i64,
}

/// Invoice or credit note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedInvoice {
    /// Invoice or credit note.
    pub kind: Kind,
    /// Its number.
    pub number: String,
    /// When it was issued.
    pub issued: Date,
    /// The last date on which it is paid in time.
    pub due: Date,
    /// The days that are billed; the second is the first that is not.
    pub period: Option<(Date, Date)>,
    /// The number and the date of what it corrects.
    pub corrects: Option<(String, Date)>,
    /// Why it was issued.
    pub reason: Option<String>,
    /// Of every amount.
    pub currency: Currency,
    /// Who bills.
    pub seller: PrintedParty,
    /// What the seller is called where nothing else names it: an id.
    pub seller_id: String,
    /// Who is billed.
    pub buyer: PrintedParty,
    /// What is charged, one entry per product, fee or correction.
    pub lines: Vec<Line>,
    /// Amounts by VAT rate.
    pub rates: Vec<PrintedRate>,
    /// Without tax, in minor units.
    pub net: i64,
    /// The tax, in minor units.
    pub tax: i64,
    /// With tax, in minor units.
    pub gross: i64,
    /// What of that was paid before it was issued (EN 16931's BT-113), in minor units.
    pub prepaid: i64,
    /// Whether it is collected automatically, so that the client need not transfer it.
    pub collected: bool,
    /// The account to pay to.
    pub iban: Option<String>,
    /// BIC of the bank.
    pub bic: Option<String>,
}

impl PrintedInvoice {
    /// The amount due, in minor units.
    pub const fn due_amount(&self) -> i64 {
        self.gross - self.prepaid
    }

    /// An amount with its decimals, as programs read it: `12.50`.
    pub fn decimal(&self, amount: i64) -> String {
        self.currency.decimal(amount)
    }
}

/// A rate in percent, without decimals that are none: `21`, `5.5`.
pub fn percent(rate: i64) -> String {
    let text = format!("{}.{:02}", rate / 100, rate % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
