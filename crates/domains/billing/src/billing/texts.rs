//! The texts of invoices in each language: one table, in which a missing translation does not compile.

use spotter_contract::entitlement::ForfeitReason;
use spotter_invoice_pdf::words::Language;
use spotter_kernel::{
    Date,
    money::{Currency, Percentage},
};

/// The name of a fee as a line of an invoice.
pub fn fee(kind: ForfeitReason, language: &str) -> &'static str {
    let [en, nl, de] = match kind {
        ForfeitReason::LateCancellation => [
            "Fee for a late cancellation",
            "Kosten van te late annulering",
            "Gebühr für späte Stornierung",
        ],
        ForfeitReason::NoShow => {
            ["Fee for not showing up", "Kosten van wegblijven", "Gebühr für Nichterscheinen"]
        }
    };
    pick(language, [en, nl, de])
}

/// The name of the client who stands for walk-in customers.
pub fn walk_in(language: &str) -> &'static str {
    pick(language, ["Walk-in customer", "Passant", "Laufkundschaft"])
}

/// A line of an invoice with the discount in it: `Towel, 10% discount (birthday)`.
pub fn discounted(
    what: &str,
    percentage: Option<Percentage>,
    reason: &str,
    language: &str,
) -> String {
    let word = pick(language, ["discount", "korting", "Rabatt"]);
    match percentage {
        Some(share) => {
            let share = Language::of(language).percent(share.hundredths());
            format!("{what}, {share} {word} ({reason})")
        }
        None => format!("{what}, {word} ({reason})"),
    }
}

/// The line of a credit note that corrects an invoice.
pub fn correction(of: &str, language: &str) -> String {
    let text = pick(language, ["Correction of", "Correctie van", "Korrektur von"]);
    format!("{text} {of}")
}

/// An amount, as people of a language write it: `EUR 12.50`, `EUR 12,50`, `12,50 EUR`.
pub fn amount(amount: i64, currency: Currency, language: &str) -> String {
    Language::of(language).amount(amount, currency)
}

/// A date, as people of a language write it: `22 November 2026`, `22-11-2026`, `22.11.2026`.
pub fn date(date: Date, language: &str) -> String {
    Language::of(language).date(date)
}

/// The language of these texts that is used for a person's language.
pub fn language(language: &str) -> &'static str {
    Language::of(language).code()
}

/// The words of the page where something is paid.
pub struct PayPage {
    /// The title of the page.
    pub title: &'static str,
    /// Before who is paid.
    pub payee: &'static str,
    /// Before the account.
    pub account: &'static str,
    /// Before the name of a reference.
    pub reference: &'static str,
    /// Below the code.
    pub scan: &'static str,
    /// Where no account is known.
    pub ask_bank: &'static str,
    /// What leads to the provider's page.
    pub online: &'static str,
    /// Before the account, where there is another way to pay.
    pub or_transfer: &'static str,
    /// The provider's page was opened, and the result is not known yet.
    pub opened: &'static str,
    /// It was tried there, and did not work.
    pub failed: &'static str,
    /// The provider does not answer.
    pub away: &'static str,
    /// What leads to where the client came from.
    pub back: &'static str,
    /// A payment is on its way.
    pub under_way: &'static str,
    /// It is paid.
    pub paid: &'static str,
    /// Label of a cancelled payment.
    pub cancelled: &'static str,
    /// It was not paid in time.
    pub expired: &'static str,
}

/// The words of the page where something is paid, in a language.
pub fn pay_page(language: &str) -> PayPage {
    let text = |texts| pick(language, texts);
    PayPage {
        title: text(["Pay", "Betalen", "Bezahlen"]),
        payee: text(["To", "Aan", "An"]),
        account: text(["Account", "Rekening", "Konto"]),
        reference: text(["Reference", "Omschrijving", "Verwendungszweck"]),
        scan: text([
            "Scan this with your banking app.",
            "Scan dit met de app van je bank.",
            "Scannen Sie dies mit der App Ihrer Bank.",
        ]),
        ask_bank: text([
            "Please ask how you can pay.",
            "Vraag hoe je kunt betalen.",
            "Bitte fragen Sie, wie Sie zahlen können.",
        ]),
        online: text(["Pay now", "Nu betalen", "Jetzt bezahlen"]),
        or_transfer: text([
            "Or transfer it from your bank account:",
            "Of maak het over van je bankrekening:",
            "Oder überweisen Sie es von Ihrem Bankkonto:",
        ]),
        opened: text([
            "If you have just paid, this page shows it in a moment.",
            "Heb je net betaald, dan zie je het zo op deze pagina.",
            "Falls Sie gerade bezahlt haben, zeigt diese Seite es gleich an.",
        ]),
        failed: text([
            "That did not work: your bank has declined the payment. Please try another way.",
            "Dat is niet gelukt: je bank heeft de betaling geweigerd. Probeer het op een andere manier.",
            "Das hat nicht geklappt: Ihre Bank hat die Zahlung abgelehnt. Bitte versuchen Sie es anders.",
        ]),
        away: text([
            "The payment provider does not answer. Nothing was charged or saved. Please try again a little later.",
            "De betaaldienst antwoordt niet. Er is niets afgeschreven of bewaard. Probeer het straks nog eens.",
            "Der Zahlungsdienst antwortet nicht. Es wurde nichts abgebucht oder hinterlegt. Bitte versuchen Sie es \
             später noch einmal.",
        ]),
        back: text(["Back", "Terug", "Zurück"]),
        under_way: text([
            "Your payment is on its way. This page shows it once it is there.",
            "Je betaling is onderweg. Zodra ze er is, zie je het op deze pagina.",
            "Ihre Zahlung ist unterwegs. Sobald sie da ist, zeigt diese Seite es an.",
        ]),
        paid: text([
            "This is paid. Thank you!",
            "Dit is betaald. Dank je wel!",
            "Das ist bezahlt. Vielen Dank!",
        ]),
        cancelled: text([
            "This request was taken back: there is nothing to pay.",
            "Dit verzoek is ingetrokken: er valt niets te betalen.",
            "Diese Anforderung wurde zurückgezogen: Es ist nichts zu zahlen.",
        ]),
        expired: text([
            "This request has expired. Please ask for a new one.",
            "Dit verzoek is verlopen. Vraag om een nieuw.",
            "Diese Anforderung ist abgelaufen. Bitte fragen Sie nach einer neuen.",
        ]),
    }
}

/// The words of the page that leads to where a card or an account is left.
pub struct SetupPage {
    /// The title of the page.
    pub title: &'static str,
    /// The mandate that the client agrees to.
    pub mandate: &'static str,
    /// What leads on.
    pub go: &'static str,
    /// It is done.
    pub done: &'static str,
    /// It was not done in time.
    pub expired: &'static str,
}

/// The words of that page, in a language.
pub fn setup_page(language: &str) -> SetupPage {
    let text = |texts| pick(language, texts);
    SetupPage {
        title: text(["A way to pay", "Een manier om te betalen", "Eine Zahlungsart"]),
        mandate: text([
            "You leave a card or an account with the payment provider, and allow us to collect what you owe us \
             from it. You can take that back at any time. We never see the number.",
            "Je laat een kaart of rekening achter bij de betaaldienst en staat ons toe daarvan te innen wat je ons \
             verschuldigd bent. Je kunt dat altijd intrekken. Het nummer zien wij nooit.",
            "Sie hinterlegen eine Karte oder ein Konto beim Zahlungsdienst und erlauben uns, davon einzuziehen, \
             was Sie uns schulden. Sie können das jederzeit widerrufen. Die Nummer sehen wir nie.",
        ]),
        go: text(["Continue", "Verder", "Weiter"]),
        done: text([
            "It is saved. Thank you!",
            "Het is bewaard. Dank je wel!",
            "Es ist hinterlegt. Vielen Dank!",
        ]),
        expired: text([
            "This page has expired. Please ask for a new one.",
            "Deze pagina is verlopen. Vraag om een nieuwe.",
            "Diese Seite ist abgelaufen. Bitte fragen Sie nach einer neuen.",
        ]),
    }
}

fn pick(language: &str, texts: [&'static str; 3]) -> &'static str {
    Language::of(language).pick(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_dates_are_written_as_people_do() {
        let (euro, yen) = (Currency::parse("EUR").unwrap(), Currency::parse("JPY").unwrap());
        assert_eq!(amount(-1_205, euro, "en"), "EUR -12.05");
        assert_eq!(amount(1_250, euro, "nl"), "EUR 12,50");
        assert_eq!(amount(5, euro, "de"), "0,05 EUR");
        assert_eq!(amount(1_250, yen, "fr"), "JPY 1,250");
        let day = Date::parse("2026-11-02").unwrap();
        assert_eq!(date(day, "en"), "2 November 2026");
        assert_eq!((date(day, "nl"), date(day, "de")), ("02-11-2026".into(), "02.11.2026".into()));
    }
}
