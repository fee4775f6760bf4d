//! The effects of billing operations, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of billing.
    pub enum BillingEffect {
        BilledMembershipEnds
            "The membership that it bills ends now."
            "Het lidmaatschap van deze factuur eindigt nu."
            "Die Mitgliedschaft dieser Rechnung endet jetzt."
        CancellationAsked
            "A manager is asked to cancel the membership."
            "Een manager krijgt de vraag om het lidmaatschap op te zeggen."
            "Ein Manager wird gebeten, die Mitgliedschaft zu kündigen."
        Charged { last4: String, amount: String }
            "The payment method ending in {last4} is charged {amount}."
            "Van de betaalmethode eindigend op {last4} wordt {amount} geïnd."
            "Die Zahlungsart mit der Endung {last4} wird mit {amount} belastet."
        CollectionStops
            "Nothing is collected automatically any more."
            "Er wordt niets meer automatisch geïnd."
            "Es wird nichts mehr automatisch eingezogen."
        CopySent { name: String, number: String }
            "{name} is sent a copy of the invoice {number} by mail."
            "{name} krijgt een kopie van factuur {number} per mail."
            "{name} erhält eine Kopie der Rechnung {number} per Mail."
        CreditNoteIssued { amount: String, number: String }
            "A credit note over {amount} is issued for {number}."
            "Er komt een creditnota van {amount} voor {number}."
            "Eine Gutschrift über {amount} wird für {number} ausgestellt."
        CreditsGiven { name: String, amount: i64 }
            "{name} is given {amount} credits."
            "{name} krijgt {amount} credits."
            "{name} erhält {amount} Credits."
        CreditsTaken { amount: i64, name: String }
            "{amount} credits of {name} are taken back."
            "{amount} credits van {name} worden teruggenomen."
            "{amount} Credits von {name} werden zurückgenommen."
        FeeCharged { amount: String, code: String, what: String }
            "A fee of {amount} {code} {what} is due with the client's next invoice."
            "Een vergoeding van {amount} {code} {what} komt op de volgende factuur van de klant."
            "Eine Gebühr von {amount} {code} {what} steht auf der nächsten Rechnung des Kunden."
        InvoiceIssued { number: String, total: String, name: String }
            "The invoice {number} over {total} is issued to {name}."
            "De factuur {number} van {total} wordt aan {name} gestuurd."
            "Die Rechnung {number} über {total} wird an {name} ausgestellt."
        InvoiceWrittenOff { number: String }
            "The invoice {number} is written off; no more reminders are sent."
            "De factuur {number} wordt afgeboekt; er gaan geen herinneringen meer uit."
            "Die Rechnung {number} wird ausgebucht; es gehen keine Erinnerungen mehr hinaus."
        MembershipEnds { name: String, end: String, bills: String }
            "The membership {name} ends on {end}; bills until then: {bills}."
            "Het lidmaatschap {name} eindigt op {end}; facturen tot dan: {bills}."
            "Die Mitgliedschaft {name} endet am {end}; Rechnungen bis dahin: {bills}."
        MembershipEndsBefore { date: String }
            "The membership ends: its last day is the one before {date}."
            "Het lidmaatschap eindigt: de laatste dag is die voor {date}."
            "Die Mitgliedschaft endet: ihr letzter Tag ist der vor {date}."
        MembershipEndsToday { name: String }
            "The membership {name} ends today."
            "Het lidmaatschap {name} eindigt vandaag."
            "Die Mitgliedschaft {name} endet heute."
        MembershipsEndByTerms
            "Their memberships end by their terms, as if cancelled today, and are billed until then."
            "Hun lidmaatschappen eindigen volgens de voorwaarden, alsof vandaag opgezegd, en worden tot dan gefactureerd."
            "Ihre Mitgliedschaften enden nach ihren Bedingungen, wie heute gekündigt, und werden bis dahin berechnet."
        MembershipsEndNow
            "Their memberships end now, without notice; bills stay due."
            "Hun lidmaatschappen eindigen nu, zonder opzegtermijn; facturen blijven openstaan."
            "Ihre Mitgliedschaften enden jetzt, ohne Frist; Rechnungen bleiben fällig."
        MembershipsStay { total: i64 }
            "{total} memberships of it go on, and are billed as before."
            "{total} lidmaatschappen ervan lopen door en worden gefactureerd als voorheen."
            "{total} Mitgliedschaften davon laufen weiter und werden wie bisher berechnet."
        MethodRemoved { last4: String }
            "The payment method ending in {last4} is not charged any more."
            "Van de betaalmethode eindigend op {last4} wordt niets meer geïnd."
            "Die Zahlungsart mit der Endung {last4} wird nicht mehr belastet."
        PauseAsked { from: String, until: String }
            "A manager is asked to pause the membership from {from} until {until}."
            "Een manager krijgt de vraag om het lidmaatschap te pauzeren van {from} tot {until}."
            "Ein Manager wird gebeten, die Mitgliedschaft vom {from} bis {until} zu pausieren."
        Paused { from: String, until: String }
            "The membership is paused from {from} until {until}."
            "Het lidmaatschap wordt gepauzeerd van {from} tot {until}."
            "Die Mitgliedschaft pausiert vom {from} bis {until}."
        PaymentRecorded { amount: String, name: String }
            "A payment of {amount} is recorded for {name}."
            "Een betaling van {amount} wordt genoteerd voor {name}."
            "Eine Zahlung von {amount} wird für {name} erfasst."
        PaymentRequestCancelled
            "The request is cancelled: its page takes no payment any more."
            "Het verzoek vervalt: op de pagina kan niet meer worden betaald."
            "Die Aufforderung entfällt: auf ihrer Seite kann nicht mehr gezahlt werden."
        PaymentRequested { name: String, amount: String }
            "{name} is asked to pay {amount}."
            "{name} krijgt het verzoek om {amount} te betalen."
            "{name} wird um {amount} gebeten."
        Refunded { amount: String, name: String }
            "{amount} is refunded to {name}."
            "{amount} gaat terug naar {name}."
            "{amount} wird an {name} erstattet."
        RefusedWhileOwing
            "Refused while they owe something, or a membership, a payment or a dispute is under way."
            "Geweigerd zolang er iets openstaat, of een lidmaatschap, betaling of geschil loopt."
            "Abgelehnt, solange etwas offen ist oder eine Mitgliedschaft, Zahlung oder ein Streitfall läuft."
        Reminded { name: String, number: String }
            "{name} is reminded of the invoice {number} by mail."
            "{name} krijgt een herinnering van factuur {number} per mail."
            "{name} wird per Mail an die Rechnung {number} erinnert."
        SaleReversed { name: String }
            "{name} is taken back: it ends today, and its credits are gone."
            "{name} wordt teruggenomen: het eindigt vandaag, en de credits vervallen."
            "{name} wird zurückgenommen: es endet heute, und die Credits verfallen."
        OrderCancelled
            "The order is cancelled, and its held seat is given back."
            "De bestelling wordt geannuleerd en de vastgehouden plaats komt vrij."
            "Die Bestellung wird storniert, und der gehaltene Platz wird frei."
        OrderFulfilled
            "What was ordered is sold once the payment has come, and its class is booked."
            "Wat is besteld, wordt verkocht zodra de betaling er is, en de les wordt geboekt."
            "Was bestellt wurde, wird verkauft, sobald die Zahlung eingegangen ist, und der Kurs wird gebucht."
        Sold { name: String, client: String, gross: String }
            "{name} is sold to {client}, for {gross}."
            "{name} wordt verkocht aan {client}, voor {gross}."
            "{name} wird an {client} verkauft, für {gross}."
    }
}
