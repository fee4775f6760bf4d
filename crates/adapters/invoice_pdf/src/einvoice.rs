//! The electronic invoice of EN 16931 in the syntax of UN/CEFACT's Cross Industry Invoice (D16B), as Factur-X
//! embeds it. Names of business terms (BT) and rules (BR) are those of EN 16931-1.

use std::fmt::Write;

use spotter_kernel::Date;

use crate::invoice::{Category, Kind, Line, PrintedInvoice, PrintedParty, percent};

/// What the guideline is called that it follows (BT-24).
const GUIDELINE: &str = "urn:cen.eu:en16931:2017";

/// The exemption reason of a seller without a VAT number (BT-120).
const OUTSIDE_VAT: &str = "Not subject to VAT";

/// The same where the buyer accounts for it.
const REVERSE_CHARGE: &str = "Reverse charge";

/// XML that is written element by element.
struct Xml(String);

impl Xml {
    fn open(&mut self, name: &str) {
        let _ = write!(self.0, "<{name}>");
    }

    fn close(&mut self, name: &str) {
        let _ = write!(self.0, "</{name}>");
    }

    /// An element within another.
    fn element(&mut self, name: &str, inner: impl FnOnce(&mut Self)) {
        self.open(name);
        inner(self);
        self.close(name);
    }

    /// An element with text.
    fn text(&mut self, name: &str, text: &str) {
        self.with(name, "", text);
    }

    /// The same with an attribute, such as ` schemeID="VA"`.
    fn with(&mut self, name: &str, attribute: &str, text: &str) {
        let _ = write!(self.0, "<{name}{attribute}>");
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                // XML 1.0 has no other control characters, and none of these.
                '\t' | '\n' | '\r' => self.0.push(' '),
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => self.0.push(' '),
                c => self.0.push(c),
            }
        }
        self.close(name);
    }

    fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.text(name, text);
        }
    }

    fn date(&mut self, name: &str, kind: &str, date: Date) {
        let text = date.0.strftime("%Y%m%d").to_string();
        self.element(name, |xml| xml.with(kind, " format=\"102\"", &text));
    }
}

/// The electronic invoice; `None` where it cannot be one: the seller's country is unknown, tax is billed without a
/// VAT number, or a category lacks a required number.
pub fn xml(invoice: &PrintedInvoice) -> Option<String> {
    let country = invoice.seller.country.as_deref()?;
    let is_registered = invoice.seller.vat_number.is_some();
    let taxes = invoice.rates.iter().any(|rate| rate.rate > 0);
    let has = |category| invoice.rates.iter().any(|rate| rate.category == category);
    let has_tax_number = is_registered || invoice.seller.tax_number.is_some();
    // Amounts have two decimals at most (BR-DEC), tax a seller who is registered for it (BR-S-02), an exemption one
    // who pays some (BR-E-02), and reverse charge two who are registered (BR-AE-02).
    let output = invoice.currency.decimals() <= 2
        && (is_registered || !taxes)
        && (has_tax_number || !has(Category::Exempt))
        && (is_registered && invoice.buyer.vat_number.is_some() || !has(Category::ReverseCharge))
        && !invoice.lines.is_empty()
        && !invoice.rates.is_empty();
    if !output {
        return None;
    }
    // Outside the scope of VAT, no VAT number is named (BR-O-02).
    let is_named = !has(Category::OutsideScope);
    let mut xml = Xml(String::with_capacity(4_096));
    xml.0.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.0.push_str(
        "<rsm:CrossIndustryInvoice \
         xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
         xmlns:ram=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\" \
         xmlns:udt=\"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100\" \
         xmlns:qdt=\"urn:un:unece:uncefact:data:standard:QualifiedDataType:100\">",
    );
    xml.element("rsm:ExchangedDocumentContext", |xml| {
        xml.element("ram:GuidelineSpecifiedDocumentContextParameter", |xml| {
            xml.text("ram:ID", GUIDELINE);
        });
    });
    xml.element("rsm:ExchangedDocument", |xml| {
        xml.text("ram:ID", &invoice.number);
        xml.text("ram:TypeCode", if invoice.kind == Kind::Invoice { "380" } else { "381" });
        xml.date("ram:IssueDateTime", "udt:DateTimeString", invoice.issued);
        if let Some(reason) = &invoice.reason {
            xml.element("ram:IncludedNote", |xml| xml.text("ram:Content", reason));
        }
    });
    xml.element("rsm:SupplyChainTradeTransaction", |xml| {
        for (at, line) in invoice.lines.iter().enumerate() {
            write_line(xml, invoice, (at + 1, line));
        }
        xml.element("ram:ApplicableHeaderTradeAgreement", |xml| {
            let id = Some(invoice.seller_id.as_str());
            xml.element("ram:SellerTradeParty", |xml| {
                party(xml, &invoice.seller, country, id, is_named)
            });
            xml.element("ram:BuyerTradeParty", |xml| {
                party(xml, &invoice.buyer, country, None, is_named);
            });
        });
        xml.element("ram:ApplicableHeaderTradeDelivery", |xml| {
            xml.element("ram:ActualDeliverySupplyChainEvent", |xml| {
                xml.date("ram:OccurrenceDateTime", "udt:DateTimeString", invoice.issued);
            });
        });
        xml.element("ram:ApplicableHeaderTradeSettlement", |xml| {
            settlement(xml, invoice);
        });
    });
    xml.close("rsm:CrossIndustryInvoice");
    Some(xml.0)
}

fn write_line(xml: &mut Xml, invoice: &PrintedInvoice, (at, line): (usize, &Line)) {
    // A price is never below nothing (BR-27): what takes something off has a negative quantity.
    let (price, quantity) = match line.net {
        ..0 => (-line.net, -line.quantity),
        _ => (line.net, line.quantity),
    };
    xml.element("ram:IncludedSupplyChainTradeLineItem", |xml| {
        xml.element("ram:AssociatedDocumentLineDocument", |xml| {
            xml.text("ram:LineID", &at.to_string());
        });
        xml.element("ram:SpecifiedTradeProduct", |xml| xml.text("ram:Name", &line.description));
        xml.element("ram:SpecifiedLineTradeAgreement", |xml| {
            xml.element("ram:NetPriceProductTradePrice", |xml| {
                xml.text("ram:ChargeAmount", &invoice.decimal(price));
                // The price is that of all units: what one costs without VAT need not be whole cents.
                if line.quantity > 1 {
                    xml.with("ram:BasisQuantity", " unitCode=\"C62\"", &line.quantity.to_string());
                }
            });
        });
        xml.element("ram:SpecifiedLineTradeDelivery", |xml| {
            xml.with("ram:BilledQuantity", " unitCode=\"C62\"", &quantity.to_string());
        });
        xml.element("ram:SpecifiedLineTradeSettlement", |xml| {
            xml.element("ram:ApplicableTradeTax", |xml| {
                xml.text("ram:TypeCode", "VAT");
                xml.text("ram:CategoryCode", line.category.code());
                rate(xml, line.rate, line.category);
            });
            xml.element("ram:SpecifiedTradeSettlementLineMonetarySummation", |xml| {
                xml.text("ram:LineTotalAmount", &invoice.decimal(line.net));
            });
        });
    });
}

fn rate(xml: &mut Xml, rate: i64, category: Category) {
    // Outside the scope of VAT, there is no rate (BR-O-05).
    if category != Category::OutsideScope {
        xml.text("ram:RateApplicablePercent", &percent(rate));
    }
}

fn party(xml: &mut Xml, party: &PrintedParty, country: &str, id: Option<&str>, has_vat: bool) {
    let vat_number = party.vat_number.as_ref().filter(|_| has_vat);
    // The seller has at least one identifier (BR-CO-26).
    let is_identified = vat_number.is_some() || party.registration_number.is_some();
    xml.optional("ram:ID", id.filter(|_| !is_identified));
    xml.text("ram:Name", &party.name);
    if let Some(number) = &party.registration_number {
        xml.element("ram:SpecifiedLegalOrganization", |xml| xml.text("ram:ID", number));
    }
    if let Some(name) = &party.contact_name {
        xml.element("ram:DefinedTradeContact", |xml| xml.text("ram:PersonName", name));
    }
    xml.element("ram:PostalTradeAddress", |xml| {
        xml.optional("ram:PostcodeCode", party.postal_code.as_deref());
        let names = ["ram:LineOne", "ram:LineTwo", "ram:LineThree"];
        for (name, line) in names.into_iter().zip(&party.street) {
            xml.optional(name, Some(line));
        }
        xml.optional("ram:CityName", party.city.as_deref());
        xml.text("ram:CountryID", party.country.as_deref().unwrap_or(country));
    });
    if let Some(email) = &party.email {
        xml.element("ram:URIUniversalCommunication", |xml| {
            xml.with("ram:URIID", " schemeID=\"EM\"", email);
        });
    }
    let tax_number = party.tax_number.as_ref().filter(|_| has_vat);
    for (scheme, number) in [("FC", tax_number), ("VA", vat_number)] {
        let Some(number) = number else { continue };
        xml.element("ram:SpecifiedTaxRegistration", |xml| {
            xml.with("ram:ID", &format!(" schemeID=\"{scheme}\""), number);
        });
    }
}

fn settlement(xml: &mut Xml, invoice: &PrintedInvoice) {
    let code = invoice.currency.code();
    xml.text("ram:PaymentReference", &invoice.number);
    xml.text("ram:InvoiceCurrencyCode", code);
    let is_transferred =
        invoice.kind == Kind::Invoice && !invoice.collected && invoice.due_amount() > 0;
    if let Some(iban) = invoice.iban.as_ref().filter(|_| is_transferred) {
        xml.element("ram:SpecifiedTradeSettlementPaymentMeans", |xml| {
            // A transfer of SEPA (UNTDID 4461).
            xml.text("ram:TypeCode", "58");
            xml.element("ram:PayeePartyCreditorFinancialAccount", |xml| {
                xml.text("ram:IBANID", iban);
            });
            if let Some(bic) = &invoice.bic {
                xml.element("ram:PayeeSpecifiedCreditorFinancialInstitution", |xml| {
                    xml.text("ram:BICID", bic);
                });
            }
        });
    }
    for total in &invoice.rates {
        let category = total.category;
        xml.element("ram:ApplicableTradeTax", |xml| {
            xml.text("ram:CalculatedAmount", &invoice.decimal(total.tax));
            xml.text("ram:TypeCode", "VAT");
            let reason = total.exemption_reason.as_deref();
            match category {
                Category::Standard | Category::Zero => {}
                Category::Exempt => xml.optional("ram:ExemptionReason", reason),
                Category::ReverseCharge => xml.text("ram:ExemptionReason", REVERSE_CHARGE),
                Category::OutsideScope => {
                    xml.text("ram:ExemptionReason", reason.unwrap_or(OUTSIDE_VAT));
                }
            }
            xml.text("ram:BasisAmount", &invoice.decimal(total.net));
            xml.text("ram:CategoryCode", category.code());
            rate(xml, total.rate, category);
        });
    }
    if let Some((from, until)) = invoice.period {
        xml.element("ram:BillingSpecifiedPeriod", |xml| {
            xml.date("ram:StartDateTime", "udt:DateTimeString", from);
            // Its last day (BT-74), where ours is the first that is not billed.
            let last = until.plus_days(-1).unwrap_or(until);
            xml.date("ram:EndDateTime", "udt:DateTimeString", last);
        });
    }
    xml.element("ram:SpecifiedTradePaymentTerms", |xml| {
        xml.date("ram:DueDateDateTime", "udt:DateTimeString", invoice.due);
    });
    xml.element("ram:SpecifiedTradeSettlementHeaderMonetarySummation", |xml| {
        let [net, tax, gross] =
            [invoice.net, invoice.tax, invoice.gross].map(|amount| invoice.decimal(amount));
        xml.text("ram:LineTotalAmount", &net);
        xml.text("ram:TaxBasisTotalAmount", &net);
        xml.with("ram:TaxTotalAmount", &format!(" currencyID=\"{code}\""), &tax);
        xml.text("ram:GrandTotalAmount", &gross);
        if invoice.prepaid > 0 {
            xml.text("ram:TotalPrepaidAmount", &invoice.decimal(invoice.prepaid));
        }
        xml.text("ram:DuePayableAmount", &invoice.decimal(invoice.due_amount()));
    });
    if let Some((number, date)) = &invoice.corrects {
        xml.element("ram:InvoiceReferencedDocument", |xml| {
            xml.text("ram:IssuerAssignedID", number);
            xml.date("ram:FormattedIssueDateTime", "qdt:DateTimeString", *date);
        });
    }
}
