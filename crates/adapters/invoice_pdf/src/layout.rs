//! The layout of an invoice.

use krilla::geom::Rect;

use crate::{
    einvoice,
    invoice::{Category, Kind, Line, PrintedInvoice, PrintedParty},
    metadata,
    sheet::{About, Cell, ElementRole, HEIGHT, Head, Sheets, Style, WIDTH},
    transfer::{Transfer, grouped},
    words::Language,
};

const LEFT: f32 = 56.0;
const RIGHT: f32 = WIDTH - 56.0;
/// The lowest line of a page, above its footer.
const BOTTOM: f32 = HEIGHT - 96.0;
const FOOT: f32 = HEIGHT - 48.0;
/// From one line to the next.
const LEADING: f32 = 13.5;
/// The same of small text.
const SMALL_LEADING: f32 = 11.0;
/// Where the columns of rates and of amounts without tax end.
const RATE: f32 = RIGHT - 190.0;
const NET: f32 = RIGHT - 95.0;

const TEXT: Style = Style::regular(9.5);
const STRONG: Style = Style::bold(9.5);
const LABEL: Style = Style::regular(9.5).quiet();
const SMALL: Style = Style::regular(8.0).quiet();

/// An invoice as a PDF in a language, with the electronic invoice inside where there can be one.
pub fn pdf(invoice: &PrintedInvoice, language: Language) -> Result<Vec<u8>, String> {
    let xml = einvoice::xml(invoice);
    let mut sheets = Sheets::default();
    sheets.begin_page();
    let mut y = head(&mut sheets, invoice, language);
    y = lines(&mut sheets, invoice, language, y);
    y = totals(&mut sheets, invoice, language, y);
    payment(&mut sheets, invoice, language, y);
    feet(&mut sheets, invoice, language);
    let about = About {
        title: invoice.number.clone(),
        author: invoice.seller.name.clone(),
        language: language.code(),
        date: invoice.issued,
    };
    let is_electronic = xml.is_some();
    let inside = xml.map(|xml| (metadata::FILE_NAME, xml));
    let bytes = sheets.finish(about, inside)?;
    match is_electronic {
        true => metadata::declared(bytes),
        false => Ok(bytes),
    }
}

fn address(party: &PrintedParty) -> Vec<String> {
    let mut lines = party.street.clone();
    let town: Vec<&str> =
        [&party.postal_code, &party.city].into_iter().flatten().map(String::as_str).collect();
    lines.push(town.join(" "));
    lines.extend(party.country.clone());
    lines.retain(|line| !line.trim().is_empty());
    lines
}

fn head(sheets: &mut Sheets, invoice: &PrintedInvoice, language: Language) -> f32 {
    let mut page = sheets.last();
    let title = match invoice.kind {
        Kind::Invoice => language.invoice(),
        Kind::CreditNote => language.credit_note(),
    };
    page.role(ElementRole::Title);
    page.text(Style::bold(20.0), LEFT, 84.0, title);
    page.role(ElementRole::Text);
    let seller = Style::bold(11.0).wrapped(&invoice.seller.name, 220.0);
    let mut y = 74.0;
    for line in &seller {
        page.text_until(Style::bold(11.0), RIGHT, y, line);
        y += LEADING;
    }
    let own = [&invoice.seller.email, &invoice.seller.phone];
    for line in address(&invoice.seller).iter().chain(own.into_iter().flatten()) {
        page.text_until(LABEL, RIGHT, y, line);
        y += LEADING;
    }
    let below_seller = y;
    let mut y = 148.0_f32.max(below_seller + LEADING);
    let top = y;
    page.text(LABEL, LEFT, y, language.billed_to());
    y += LEADING;
    for line in STRONG.wrapped(&invoice.buyer.name, 240.0) {
        page.text(STRONG, LEFT, y, &line);
        y += LEADING;
    }
    let buyer = &invoice.buyer;
    let vat = buyer.vat_number.as_ref();
    let vat = vat.map(|number| format!("{} {number}", language.vat_number()));
    for line in buyer.contact_name.iter().cloned().chain(address(buyer)).chain(vat) {
        page.text(TEXT, LEFT, y, &line);
        y += LEADING;
    }
    let mut facts = vec![
        (language.number(), invoice.number.clone()),
        (language.issued(), language.date(invoice.issued)),
    ];
    if invoice.kind == Kind::Invoice && invoice.due_amount() > 0 {
        facts.push((language.due(), language.date(invoice.due)));
    }
    if let Some((from, until)) = invoice.period {
        let last = until.plus_days(-1).unwrap_or(until);
        facts.push((
            language.period(),
            format!("{} \u{2013} {}", language.date(from), language.date(last)),
        ));
    }
    if let Some((number, _)) = &invoice.corrects {
        facts.push((language.corrects(), number.clone()));
    }
    let mut fact_y = top;
    for (row, (label, value)) in facts.into_iter().enumerate() {
        page.role(cell(FACTS, row, 0, Head::Row));
        page.text(LABEL, 320.0, fact_y, label);
        page.role(cell(FACTS, row, 1, Head::None));
        page.text_until(TEXT, RIGHT, fact_y, &value);
        fact_y += LEADING;
    }
    page.role(ElementRole::Text);
    y = y.max(fact_y) + LEADING;
    if let Some(reason) = &invoice.reason {
        let text = format!("{}: {reason}", language.reason());
        for line in TEXT.wrapped(&text, RIGHT - LEFT) {
            page.text(TEXT, LEFT, y, &line);
            y += LEADING;
        }
        y += LEADING;
    }
    y + LEADING
}

/// Goes to the next page where so much does not fit on this one.
fn room(sheets: &mut Sheets, y: f32, height: f32) -> f32 {
    if y + height <= BOTTOM {
        return y;
    }
    sheets.begin_page();
    84.0
}

/// The tables of an invoice.
const FACTS: usize = 0;
const LINES: usize = 1;
const TOTALS: usize = 2;
const TRANSFER: usize = 3;

fn cell(table: usize, row: usize, column: usize, head: Head) -> ElementRole {
    ElementRole::Cell(Cell { table, row, column, head })
}

/// The heads of the columns, which are read once.
fn columns(sheets: &mut Sheets, language: Language, y: f32) -> f32 {
    let is_first = sheets.count() == 1;
    let mut page = sheets.last();
    let mut head = |column: usize, style: Style, x: f32, text: &str| {
        page.role(match is_first {
            true => cell(LINES, 0, column, Head::Column),
            false => ElementRole::Aside,
        });
        match column {
            0 => page.text(style, x, y, text),
            _ => page.text_until(style, x, y, text),
        }
    };
    head(0, LABEL, LEFT, language.description());
    head(1, LABEL, RATE, language.vat());
    head(2, LABEL, NET, language.net());
    head(3, LABEL, RIGHT, language.gross());
    page.rule(LEFT, RIGHT, y + 5.0);
    y + 20.0
}

fn lines(sheets: &mut Sheets, invoice: &PrintedInvoice, language: Language, y: f32) -> f32 {
    let mut y = columns(sheets, language, y);
    for (number, line) in invoice.lines.iter().enumerate() {
        let Line { description, quantity, net, gross, rate, .. } = line;
        let own = |column: usize| cell(LINES, number + 1, column, Head::None);
        let text = match quantity {
            1 => description.clone(),
            many => format!("{many} \u{d7} {description}"),
        };
        let text = TEXT.wrapped(&text, RATE - LEFT - 60.0);
        let pages = sheets.count();
        y = room(sheets, y, LEADING * text.len() as f32);
        if sheets.count() > pages {
            y = columns(sheets, language, y);
        }
        let mut page = sheets.last();
        page.role(own(1));
        page.text_until(TEXT, RATE, y, &language.percent(*rate));
        page.role(own(2));
        page.text_until(TEXT, NET, y, &amount(invoice, language, *net));
        page.role(own(3));
        page.text_until(TEXT, RIGHT, y, &amount(invoice, language, *gross));
        page.role(own(0));
        for line in text {
            page.text(TEXT, LEFT, y, &line);
            y += LEADING;
        }
        y += 3.0;
    }
    y
}

/// An amount without its currency, which is printed beside the total.
fn amount(invoice: &PrintedInvoice, language: Language, amount: i64) -> String {
    let text = language.amount(amount, invoice.currency);
    text.replace(invoice.currency.code(), "").trim().to_owned()
}

fn totals(sheets: &mut Sheets, invoice: &PrintedInvoice, language: Language, y: f32) -> f32 {
    let height = LEADING * (invoice.rates.len() as f32 + 8.0);
    let mut y = room(sheets, y, height);
    let mut page = sheets.last();
    page.rule(LEFT, RIGHT, y - 6.0);
    y += 10.0;
    let mut number = 0;
    let mut row = |style: Style, label: &str, value: &str| {
        page.role(cell(TOTALS, number, 0, Head::Row));
        // A long value takes the space that it needs.
        let end = NET.min(RIGHT - style.width(value) - 12.0);
        page.text_until(if style.weight == TEXT.weight { LABEL } else { style }, end, y, label);
        page.role(cell(TOTALS, number, 1, Head::None));
        page.text_until(style, RIGHT, y, value);
        (y, number) = (y + LEADING, number + 1);
    };
    row(TEXT, language.net(), &amount(invoice, language, invoice.net));
    for rate in &invoice.rates {
        let label = format!("{} {}", language.vat(), language.percent(rate.rate));
        row(TEXT, &label, &amount(invoice, language, rate.tax));
    }
    let total = language.amount(invoice.gross, invoice.currency);
    row(Style::bold(12.0), language.total(), &total);
    if invoice.prepaid > 0 {
        row(TEXT, language.prepaid(), &amount(invoice, language, -invoice.prepaid));
        let left = language.amount(invoice.due_amount(), invoice.currency);
        row(Style::bold(12.0), language.left_to_pay(), &left);
    }
    page.role(ElementRole::Text);
    for reason in exemptions(invoice, language) {
        for line in TEXT.wrapped(&reason, RIGHT - LEFT) {
            y += LEADING;
            page.text(TEXT, LEFT, y, &line);
        }
    }
    y + LEADING
}

/// Legal texts for lines without VAT.
fn exemptions(invoice: &PrintedInvoice, language: Language) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for rate in &invoice.rates {
        let reason = match rate.category {
            Category::ReverseCharge => Some(language.reverse_charge().to_owned()),
            _ => rate.exemption_reason.clone(),
        };
        reasons.extend(reason);
    }
    reasons.dedup();
    reasons
}

fn payment(sheets: &mut Sheets, invoice: &PrintedInvoice, language: Language, y: f32) {
    let (Kind::Invoice, 1..) = (invoice.kind, invoice.gross) else { return };
    if invoice.due_amount() == 0 {
        let y = room(sheets, y, 2.0 * LEADING);
        sheets.last().text(TEXT, LEFT, y + LEADING, language.paid());
        return;
    }
    if invoice.collected {
        let y = room(sheets, y, 2.0 * LEADING);
        sheets.last().text(TEXT, LEFT, y + LEADING, language.collected());
        return;
    }
    let Some(iban) = &invoice.iban else { return };
    let side = 92.0;
    let y = room(sheets, y, side + LEADING);
    let mut page = sheets.last();
    let mut line = y + LEADING;
    let account = grouped(iban);
    let mut number = 0;
    let mut row = |label: &str, value: &str| {
        page.role(cell(TRANSFER, number, 0, Head::Row));
        page.text(LABEL, LEFT, line, label);
        page.role(cell(TRANSFER, number, 1, Head::None));
        page.text(TEXT, LEFT + 110.0, line, value);
        (line, number) = (line + LEADING, number + 1);
    };
    row(language.account(), &account);
    if let Some(bic) = &invoice.bic {
        row("BIC", bic);
    }
    row(language.reference(), &invoice.number);
    row(language.due(), &language.date(invoice.due));
    let transfer = Transfer {
        payee: &invoice.seller.name,
        iban,
        bic: invoice.bic.as_deref(),
        amount: invoice.due_amount(),
        currency: invoice.currency,
        reference: &invoice.number,
    };
    let Some(code) = transfer.code() else { return };
    let module = side / code.width as f32;
    let left = RIGHT - side;
    let squares = code.modules().map(|(x, row)| {
        let (x, top) = (left + x as f32 * module, y + row as f32 * module);
        Rect::from_xywh(x, top, module, module)
    });
    page.squares(false, squares, Some(language.scan()));
    page.role(ElementRole::Text);
    page.text_until(SMALL, RIGHT, y + side + 12.0, language.scan());
}

fn feet(sheets: &mut Sheets, invoice: &PrintedInvoice, language: Language) {
    let seller = &invoice.seller;
    let mut facts = vec![seller.name.clone()];
    let numbers = [
        (language.registration(), &seller.registration_number),
        (language.vat_number(), &seller.vat_number),
        (language.tax_number(), &seller.tax_number),
    ];
    for (label, number) in numbers {
        facts.extend(number.as_ref().map(|number| format!("{label} {number}")));
    }
    let text = facts.join("  \u{b7}  ");
    // Required numbers are never cut off: the last line is at the bottom of the page, the others above it.
    let lines = SMALL.wrapped(&text, RIGHT - LEFT - 60.0);
    let top = FOOT - SMALL_LEADING * (lines.len() as f32 - 1.0);
    let count = sheets.count();
    for at in 0..count {
        let mut page = sheets.on(at);
        page.rule(LEFT, RIGHT, top - 14.0);
        page.role(if at == 0 { ElementRole::Text } else { ElementRole::Aside });
        for (number, line) in lines.iter().enumerate() {
            page.text(SMALL, LEFT, top + SMALL_LEADING * number as f32, line);
        }
        page.role(ElementRole::Aside);
        let number = format!("{} {} / {count}", language.page(), at + 1);
        page.text_until(SMALL, RIGHT, FOOT, &number);
    }
}
