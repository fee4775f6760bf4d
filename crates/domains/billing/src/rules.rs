//! The rules of billing, each with its figures, in every language.

use spotter_kernel::{Date, phrases};

phrases! {
    /// A rule of billing that a request broke.
    pub enum BillingRule {
        AfterEnd { end: Date }
            "must be before the end on {end}"
            "moet voor het einde op {end} liggen"
            "muss vor dem Ende am {end} liegen"
        AfterStartsOn
            "must not be after startsOn"
            "mag niet na de startdatum liggen"
            "darf nicht nach dem Startdatum liegen"
        AfterTerm { end: Date }
            "must be before its term ends on {end}"
            "moet voor het einde van de looptijd op {end} liggen"
            "muss vor dem Ende der Laufzeit am {end} liegen"
        AnchoredPartialMonths
            "must be start for a membership whose period is no whole number of months"
            "moet bij de start liggen als de periode niet uit hele maanden bestaat"
            "muss beim Beginn liegen, wenn der Zeitraum nicht aus ganzen Monaten besteht"
        AnchoredTwice
            "cannot be combined with billingAnchor or firstPeriod"
            "kan niet samen met de facturering van het bedrijf of het eerste deel van de periode"
            "nicht zusammen mit der Abrechnung des Unternehmens oder dem ersten Teil des Zeitraums möglich",
            page "cannot be combined with the company's billing rules"
        BeforeFirstDay
            "must not be before the membership's first day"
            "mag niet voor de eerste dag van het lidmaatschap liggen"
            "darf nicht vor dem ersten Tag der Mitgliedschaft liegen"
        BeyondTenYears
            "must be at most ten years from today"
            "mag hoogstens tien jaar na vandaag liggen"
            "darf höchstens zehn Jahre nach heute liegen"
        CashOnly
            "must be absent unless it is paid in cash"
            "mag alleen bij contante betaling"
            "nur bei Barzahlung möglich"
        CreditExpiry
            "must be after today, and applies to added credits only"
            "moet na vandaag liggen, en is alleen voor credits die je geeft"
            "muss nach heute liegen, und gilt nur für vergebene Credits"
        CreditsForPack
            "must be at least 1 for a credit pack"
            "moet minstens 1 zijn voor een creditpakket"
            "muss bei einem Credit-Paket mindestens 1 sein"
        CreditsNotAssigned
            "must be true if credits are set"
            "moet aan staan als er credits zijn"
            "muss an sein, wenn es Credits gibt"
        CreditsRequired
            "must be at least 1 if credits are assigned and there is no pool"
            "moet minstens 1 zijn als het credits geeft"
            "muss mindestens 1 sein, wenn es Credits gibt"
        DaysNotRising
            "must be days in ascending order"
            "moeten dagen zijn, elk later dan de vorige"
            "müssen Tage sein, jeder später als der vorige"
        DisputeOpen
            "must not have an open dispute"
            "er loopt nog een terugboeking"
            "eine Rückbuchung ist noch offen"
        Ended "must not have ended" "mag niet voorbij zijn" "darf nicht beendet sein"
        EndsAlready { end: Date }
            "must not be cancelled already: it ends on {end}"
            "is al opgezegd: het eindigt op {end}"
            "ist schon gekündigt: sie endet am {end}"
        EndsByItself { end: Date }
            "must be true: it ends automatically on {end}"
            "moet aan staan: het eindigt vanzelf op {end}"
            "muss an sein: sie endet von selbst am {end}"
        EndsImmediately
            "must be absent if it ends immediately"
            "moet leeg zijn als het meteen eindigt"
            "muss leer sein, wenn sie sofort endet"
        InPause
            "must not be in another pause"
            "mag niet in een andere pauze vallen"
            "darf nicht in eine andere Pause fallen"
        InvoicesOwed
            "must not have open invoices: collect, credit or write them off first"
            "er staan facturen open: betaal, crediteer of boek ze eerst af"
            "es sind Rechnungen offen: zahlen, gutschreiben oder ausbuchen"
        IsMembership
            "must not be a membership: those are sold under memberships"
            "mag geen lidmaatschap zijn: die verkoop je onder lidmaatschappen"
            "darf keine Mitgliedschaft sein: die werden unter Mitgliedschaften verkauft"
        LanguageRequired
            "is required if the name is in several languages and none of them is the company's"
            "is verplicht: de naam heeft meer talen, en niet die van je bedrijf"
            "muss angegeben werden: der Name hat mehrere Sprachen, nicht aber die Ihres Unternehmens"
        LessThanDue { least: String }
            "must be at least what is due: {least}"
            "moet minstens zijn wat er te betalen is: {least}"
            "muss mindestens der fällige Betrag sein: {least}"
        MembershipRuns
            "must not have a membership that is active or still to be invoiced"
            "er loopt nog een lidmaatschap, of er moet nog een worden gefactureerd"
            "eine Mitgliedschaft läuft noch oder ist noch abzurechnen"
        MembershipWithoutRenewal
            "must not be None for a membership"
            "mag niet ‘geen’ zijn voor een lidmaatschap"
            "darf bei einer Mitgliedschaft nicht „keine“ sein"
        MoneyUnderWay
            "must not have a payment or refund in progress: wait until it is finished, or cancel the open payment requests"
            "er lopen nog betalingen: wacht tot ze klaar zijn, of annuleer de open betaalverzoeken"
            "es laufen noch Zahlungen: warten Sie, bis sie erledigt sind, oder brechen Sie offene Zahlungsaufforderungen ab"
        MoreThan { most: String }
            "must be at most {most}"
            "mag hoogstens {most} zijn"
            "darf höchstens {most} sein"
        NegativeCredits
            "must be at least 1 where negative credits are allowed, else 0"
            "moet minstens 1 zijn als de stand negatief mag worden, en anders 0"
            "muss mindestens 1 sein, wenn die Credits negativ werden dürfen, sonst 0"
        NoEmailOfClient
            "is required: the client has no e-mail address"
            "is niet bekend van deze klant"
            "ist von diesem Kunden nicht bekannt"
        NoMailSent
            "must be set up: this installation sends no mail"
            "deze installatie verstuurt geen mail"
            "diese Installation verschickt keine Mail"
        NoMembership
            "must have a membership that has not ended"
            "moet een lidmaatschap hebben dat niet voorbij is"
            "muss eine Mitgliedschaft haben, die nicht vorbei ist"
        NoPaymentMethod
            "is required: the client has no default payment method that can be charged"
            "is verplicht: de klant heeft geen betaalmethode"
            "muss angegeben werden: der Kunde hat keine Zahlungsart"
        NoProvider
            "must be connected: the company collects money by hand"
            "verbind eerst een betaaldienst: er wordt nu met de hand geïnd"
            "verbinden Sie zuerst einen Zahlungsdienst: es wird von Hand kassiert"
        NoText
            "must have a text in at least one language"
            "moet een tekst in minstens één taal hebben"
            "muss in mindestens einer Sprache einen Text haben"
        NoMethodOnFile
            "must be another way: the client has no card or account on file"
            "moet anders: de klant heeft geen betaalmethode"
            "muss anders sein: der Kunde hat keine Zahlungsart hinterlegt"
        NotAfterFrom "must be after from" "moet na het begin liggen" "muss nach dem Beginn liegen"
        NotBic
            "must be a BIC of 8 or 11 characters, such as ABNANL2A"
            "moet een BIC van 8 of 11 tekens zijn"
            "muss eine BIC aus 8 oder 11 Zeichen sein"
        NotCancelled
            "must be cancelled, with an end in the future"
            "moet opgezegd zijn, met een einde dat nog komt"
            "muss gekündigt sein, mit einem Ende, das noch kommt"
        NotChargeable
            "must be a payment method that can be charged"
            "moet een betaalmethode zijn waarmee kan worden geïnd"
            "muss eine Zahlungsart sein, die belastet werden kann"
        NotChargeableByItself
            "must be a payment method that can be charged automatically"
            "moet een betaalmethode zijn waarmee automatisch kan worden geïnd"
            "muss eine Zahlungsart sein, die automatisch belastet werden kann"
        NotFirstItems
            "must be the currency of the first item"
            "moet de valuta van het eerste artikel zijn"
            "muss die Währung des ersten Artikels sein"
        NotForWalkIns
            "must be of the type Other for a walk-in customer: passes and credits need a client"
            "moet van het type overig zijn voor een passant: passen en credits gaan naar een klant"
            "muss für Laufkundschaft vom Typ Sonstiges sein: Karten und Credits gehören einem Kunden"
        NotIban
            "must be an IBAN whose check digits are right"
            "moet een IBAN met kloppende controlecijfers zijn"
            "muss eine IBAN mit richtigen Prüfziffern sein"
        NotInvoice "must be invoice" "moet een factuur zijn" "muss eine Rechnung sein"
        NotInvoices
            "must be the invoice's own"
            "moet van deze factuur zijn"
            "muss zu dieser Rechnung gehören"
        NotMembership
            "must be a membership: everything else is sold under products"
            "moet een lidmaatschap zijn"
            "muss eine Mitgliedschaft sein"
        NotOfProductType
            "must match the product's type"
            "past niet bij dit soort product"
            "passt nicht zu dieser Produktart"
        NotOpen "must be open" "moet open zijn" "muss offen sein"
        NotOpenOrOverdue
            "must be open or overdue"
            "moet open of te laat zijn"
            "muss offen oder überfällig sein"
        NotOpenRequest
            "must be an open request to the client"
            "moet een open verzoek aan de klant zijn"
            "muss eine offene Aufforderung an den Kunden sein"
        NotOverdue "must be overdue" "moet te laat zijn" "muss überfällig sein"
        NotPending "must be pending" "moet nog open staan" "muss noch offen sein"
        NotPendingOrProcessing "must be pending or processing" "moet nog lopen" "muss noch laufen"
        NotPeriodStart { next: Date }
            "must be where a period counted from anchorDate begins, such as {next}"
            "moet het begin van een periode zijn, zoals {next}"
            "muss der Beginn eines Zeitraums sein, etwa {next}"
        NotProviderPayment
            "must be a payment through a provider"
            "moet een betaling via een betaaldienst zijn"
            "muss eine Zahlung über einen Zahlungsdienst sein"
        NotRequestedAmount { amount: String }
            "must be {amount}, the requested amount"
            "moet {amount} zijn, zoals gevraagd"
            "muss {amount} sein, wie verlangt"
        NotRequestsInvoice
            "must be the invoice of the request"
            "moet de factuur van het verzoek zijn"
            "muss die Rechnung der Aufforderung sein"
        NotSandbox
            "must be the sandbox"
            "kan alleen in de proefomgeving"
            "geht nur in der Testumgebung"
        ClassGone
            "must be a class that can still be booked"
            "moet een les zijn die nog kan worden geboekt"
            "muss ein Kurs sein, der noch gebucht werden kann"
        ClassNotCovered
            "does not pay for the class"
            "betaalt de les niet"
            "bezahlt den Kurs nicht"
        NotOffered
            "must be a way to pay that the company offers"
            "moet een betaalwijze zijn die het bedrijf aanbiedt"
            "muss eine Zahlungsart sein, die das Unternehmen anbietet"
        RelationshipNotActive
            "must be a client whose relationship is active"
            "moet een klant zijn met een actieve relatie"
            "muss ein Kunde mit aktiver Beziehung sein"
        TooManyOrders { max: i64 }
            "at most {max} orders may wait for their payment"
            "er mogen hoogstens {max} bestellingen op betaling wachten"
            "höchstens {max} Bestellungen dürfen auf ihre Zahlung warten"
        TrialUsed
            "is for people who try the business, and was bought before"
            "is om kennis te maken en is al eerder gekocht"
            "ist zum Kennenlernen und wurde schon gekauft"
        NotSold
            "must be a product that is for sale"
            "moet een product zijn dat te koop is"
            "muss ein angebotenes Produkt sein"
        NotStripeKey
            "must begin with sk_ or rk_"
            "moet met sk_ of rk_ beginnen"
            "muss mit sk_ oder rk_ beginnen"
        NotStripeWebhookSecret
            "must begin with whsec_"
            "moet met whsec_ beginnen"
            "muss mit whsec_ beginnen"
        NotSucceeded "must be succeeded" "moet gelukt zijn" "muss gelungen sein"
        NotVatNumber
            "must be two letters of the country and the number, such as NL123456789B01; another number is a taxNumber"
            "moet een btw-nummer zijn, zoals NL123456789B01; een ander nummer is een belastingnummer"
            "muss eine USt-IdNr. sein, etwa DE123456789; eine andere Nummer ist eine Steuernummer"
        NotWholeShelf
            "must contain every product of the category that is not archived, exactly once"
            "moet elk niet gearchiveerd product van de categorie één keer noemen"
            "muss jedes nicht archivierte Produkt der Kategorie einmal nennen"
        NothingToBill
            "must not be empty if there is no outstanding fee"
            "mag niet leeg zijn als er geen vergoeding openstaat"
            "darf nicht leer sein, wenn keine Gebühr offen ist"
        NothingToCredit
            "must be an invoice with an amount left to credit"
            "er is niets meer te crediteren"
            "es ist nichts mehr gutzuschreiben"
        NothingToPay
            "must be an invoice with an amount due"
            "er is niets meer te betalen"
            "es ist nichts mehr zu zahlen"
        OnlyForMemberships
            "must be false unless the product is a membership"
            "moet uit staan voor wat geen lidmaatschap is"
            "muss aus sein, wenn es keine Mitgliedschaft ist"
        OtherClientsInvoice
            "must be an invoice of the client"
            "moet een factuur van deze klant zijn"
            "muss eine Rechnung dieses Kunden sein"
        OtherLanguage
            "must be one of the name's languages"
            "moet een van de talen van de naam zijn"
            "muss eine der Sprachen des Namens sein"
        OtherPaymentMethod
            "must be a payment method of the client"
            "moet een betaalmethode van deze klant zijn"
            "muss eine Zahlungsart dieses Kunden sein"
        OtherProvider
            "must be the provider of the payment: connect it again"
            "moet de betaaldienst van de betaling zijn: verbind die opnieuw"
            "muss der Zahlungsdienst der Zahlung sein: verbinden Sie ihn erneut"
        OtherSales
            "must not be another sale's"
            "hoort bij een andere verkoop"
            "gehört zu einem anderen Verkauf"
        OtherStripeAccount
            "must be a key of the same account: a payment is in progress"
            "moet een sleutel van hetzelfde account zijn: er loopt een betaling"
            "muss ein Schlüssel desselben Kontos sein: eine Zahlung läuft"
        PastDue
            "must not be past due"
            "mag geen betaalachterstand hebben"
            "darf nicht im Zahlungsrückstand sein"
        PauseBeyondEnd { end: Date }
            "must leave the paid days before the end on {end}"
            "moet de betaalde dagen voor het einde op {end} laten"
            "muss die bezahlten Tage vor dem Ende am {end} lassen"
        PauseTooLong
            "must be at most a year after from, and that at most ten years from today"
            "mag hoogstens een jaar na het begin liggen, en hoogstens tien jaar na vandaag"
            "darf höchstens ein Jahr nach dem Beginn und zehn Jahre nach heute liegen"
        PausedTooLong { days_a_year: i64, year: i16, all: i64 }
            "must leave at most {days_a_year} days of pause in {year}, not {all}"
            "mag in {year} hoogstens {days_a_year} dagen pauze geven, niet {all}"
            "darf {year} höchstens {days_a_year} Tage Pause ergeben, nicht {all}"
        PayingNow
            "must not be in progress: the client is paying on a page; cancel the payment request first"
            "de klant betaalt nu: annuleer eerst het betaalverzoek"
            "der Kunde zahlt gerade: brechen Sie zuerst die Zahlungsaufforderung ab"
        PaymentRuns
            "must not have a payment in progress"
            "er loopt nog een betaling"
            "eine Zahlung läuft noch"
        PaymentUnderWay
            "must not be a payment in progress for the invoice"
            "er loopt al een betaling van deze factuur"
            "es läuft schon eine Zahlung dieser Rechnung"
        PoolTaken
            "must not be the name of another pool"
            "is al de naam van een andere soort credits"
            "ist schon der Name einer anderen Art von Credits"
        RenewalForMembership
            "must be None unless the product is a membership"
            "moet ‘geen’ zijn voor wat geen lidmaatschap is"
            "muss „keine“ sein, wenn es keine Mitgliedschaft ist"
        RequestWaits
            "must not have a pending request of this kind"
            "er wacht al zo’n verzoek op antwoord"
            "eine solche Anfrage wartet schon auf Antwort"
        RequiredWithoutInvoice
            "is required without an invoice"
            "is verplicht zonder factuur"
            "muss ohne Rechnung angegeben werden"
        ReverseChargeVatNumber
            "is required if reverseCharge is true"
            "is verplicht als de btw verlegd is"
            "ist nötig, wenn die Steuerschuld übergeht"
        SaleStart
            "must be at most 31 days ago and at most 366 days ahead"
            "mag hoogstens 31 dagen geleden en 366 dagen vooruit zijn"
            "darf höchstens 31 Tage zurück und 366 Tage voraus liegen"
        SandboxAlone
            "must be `sandbox` in a test environment, where no money moves"
            "moet in een testomgeving `sandbox` zijn: daar wordt geen geld verplaatst"
            "muss in einer Testumgebung `sandbox` sein: dort fließt kein Geld",
            page "choose the sandbox: in a test environment no money moves"
        SandboxKeys
            "must be absent: the sandbox has keys of its own"
            "moet leeg zijn: de proefomgeving heeft eigen sleutels"
            "muss leer sein: die Testumgebung hat eigene Schlüssel"
        SellerVatNumber
            "needs the seller's vatNumber in the company's finance settings"
            "heeft het btw-nummer van je bedrijf nodig (instellingen, facturen)"
            "braucht die USt-IdNr. Ihres Unternehmens (Einstellungen, Rechnungen)",
            page "needs your VAT number (settings, invoices)"
        ShareOrAmount
            "must have either a percentage or an amount"
            "moet een percentage of een bedrag zijn, niet beide"
            "muss entweder ein Prozentsatz oder ein Betrag sein"
        StripeKeyRequired
            "is required for Stripe"
            "is verplicht bij Stripe"
            "muss bei Stripe angegeben werden"
        TooEarly { earliest: Date }
            "must be {earliest} or later"
            "moet {earliest} of later zijn"
            "muss am {earliest} oder später sein"
        TooFarAhead { days: i64 }
            "must be at most {days} days from now"
            "mag hoogstens {days} dagen na nu liggen"
            "darf höchstens {days} Tage von jetzt liegen"
        TooFarFromToday { days: i64 }
            "must be at most {days} days away"
            "mag hoogstens {days} dagen weg zijn"
            "darf höchstens {days} Tage entfernt sein"
        TooFresh
            "must be at least a day old: until then its outcome is requested from the provider"
            "moet een dag oud zijn: tot dan wordt het aan de betaaldienst gevraagd"
            "muss einen Tag alt sein: bis dahin wird der Zahlungsdienst gefragt"
        TooManyMethods { max: usize }
            "must be at most {max} of one client"
            "een klant kan er hoogstens {max} hebben"
            "ein Kunde kann höchstens {max} haben"
        TooManyPools { max: usize }
            "must be at most {max}"
            "mag hoogstens {max} zijn"
            "darf höchstens {max} sein"
        TooManyTaken { there: i64 }
            "must leave 0 or more: at most {there} can be removed"
            "er kunnen hoogstens {there} terug"
            "es können höchstens {there} zurück"
        TooManyUnits { max: i64 }
            "must be at most {max} units in all"
            "mogen samen hoogstens {max} stuks zijn"
            "dürfen zusammen höchstens {max} Stück sein"
        UnknownPool
            "must be a credit pool of a product"
            "moet een soort credits zijn die een product geeft"
            "muss eine Art von Credits sein, die ein Produkt gibt"
        ValueForMembership
            "must have the value 0 unless the product is a membership"
            "moet 0 zijn voor wat geen lidmaatschap is"
            "muss 0 sein, wenn es keine Mitgliedschaft ist"
        VisitsForPass
            "must be at least 1 for a pass and 0 for anything else"
            "moet minstens 1 zijn voor een pas, en anders 0"
            "muss bei einer Karte mindestens 1 sein, sonst 0"
        WalkInPaysNow
            "must be cash or card: a walk-in customer pays at once"
            "moet contant of met de kaart: een passant betaalt meteen"
            "muss bar oder mit Karte sein: Laufkundschaft zahlt sofort"
        Zero "must not be 0" "mag niet 0 zijn" "darf nicht 0 sein"
    }
}
