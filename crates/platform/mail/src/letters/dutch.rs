//! Every letter in Dutch.

use super::{Language, Texts, bookings::BookingTexts};

pub(super) const DUTCH: Language = Language {
    code: "nl",
    greeting: "Hallo {name},",
    link_by_hand: "Werkt de knop niet, open dan dit adres:",
    sender: "Dit bericht is verstuurd namens {company}.",
    choices: "Kies waarover je van ons hoort",
    coach_invitation: Texts {
        subject: "{company} nodigt je uit",
        paragraphs: &[
            "{company} heeft een account voor je gemaakt als coach. Stel een wachtwoord in om te beginnen.",
            "De uitnodiging is 14 dagen geldig. Verwachtte je haar niet, dan hoef je niets te doen.",
        ],
        link: "Wachtwoord instellen",
    },
    client_invitation: Texts {
        subject: "{company} nodigt je uit voor het portaal",
        paragraphs: &[
            "{company} heeft een account voor je gemaakt, waar je je schema, je berichten en je coach \
             vindt. Stel een wachtwoord in om te beginnen.",
            "De uitnodiging is 14 dagen geldig. Verwachtte je haar niet, dan hoef je niets te doen.",
        ],
        link: "Wachtwoord instellen",
    },
    sign_up_code: Texts {
        subject: "{code} is je code voor {company}",
        paragraphs: &[
            "Vul deze code in bij {company} om je adres te bevestigen, of gebruik de knop: {code}",
            "Hij is een uur geldig. Heb je er niet om gevraagd? Dan kun je dit bericht negeren: zonder de code \
             gebeurt er niets.",
        ],
        link: "Mijn adres bevestigen",
    },
    sign_up_received: Texts {
        subject: "{client} schrijft via je openbare site",
        paragraphs: &[
            "{client} heeft zich op je openbare site aangemeld of geschreven.",
            "{message}",
        ],
        link: "Klant openen",
    },
    password_reset: Texts {
        subject: "Een nieuw wachtwoord voor {company}",
        paragraphs: &[
            "Iemand, waarschijnlijk jijzelf, heeft een nieuw wachtwoord aangevraagd voor je account bij \
             {company}.",
            "De link werkt een uur en voor één wachtwoord. Was jij het niet, dan hoef je niets te doen: je \
             wachtwoord blijft zoals het is.",
        ],
        link: "Nieuw wachtwoord instellen",
    },
    address_confirmation: Texts {
        subject: "Bevestig je e-mailadres voor {company}",
        paragraphs: &[
            "{company} heeft dit adres voor je genoteerd. Bevestig het met je wachtwoord om er voortaan mee in te loggen.",
            "Tot die tijd log je in met het adres dat je eerder gebruikte. Verwachtte je dit niet? Dan kun je dit \
             bericht negeren: er verandert niets.",
        ],
        link: "Adres bevestigen",
    },
    address_changed: Texts {
        subject: "Je e-mailadres bij {company}",
        paragraphs: &[
            "{company} heeft een ander e-mailadres voor je genoteerd: {address}. Je logt net als voorheen met dit adres \
             in, totdat het nieuwe met je wachtwoord is bevestigd.",
            "Heb je hier niet om gevraagd? Laat het {company} weten. Je account blijft van jou zolang niemand anders je \
             wachtwoord kent.",
        ],
        link: "",
    },
    failing_webhook: Texts {
        subject: "Webhook \u{201c}{webhook}\u{201d} werkt niet",
        paragraphs: &[
            "Wat {company} naar de webhook \u{201c}{webhook}\u{201d} stuurt, komt niet aan. De laatste \
             bezorging is na haar laatste poging mislukt: {error}.",
            "Wie hem beheert, vindt elke bezorging en poging in de API en kan mislukte bezorgingen opnieuw \
             versturen. Zolang het misgaat, hoor je het eenmaal per dag.",
        ],
        link: "",
    },
    invoice: Texts {
        subject: "Factuur {number} van {company}",
        paragraphs: &[
            "Hierbij je factuur {number} van {company}. Te betalen: {amount}, uiterlijk op {due}.",
            "Vermeld het factuurnummer als je betaalt. Heb je al betaald, dan hoef je niets te doen.",
        ],
        link: "Factuur betalen",
    },
    invoice_paid: Texts {
        subject: "Factuur {number} van {company}, betaald",
        paragraphs: &[
            "Hierbij je factuur {number} van {company}. Hij is betaald: je hoeft niets meer te doen.",
        ],
        link: "",
    },
    invoice_to_collect: Texts {
        subject: "Factuur {number} van {company}",
        paragraphs: &[
            "Hierbij je factuur {number} van {company}. Op {due} innen we {amount} van de betaalmethode die je bij \
             ons hebt achtergelaten.",
            "Je hoeft niets te doen. Lukt het niet, dan hoor je van ons.",
        ],
        link: "",
    },
    invoice_reminder: Texts {
        subject: "Herinnering: factuur {number} van {company}",
        paragraphs: &[
            "Van factuur {number} staat nog {amount} open. De betaling had uiterlijk op {due} binnen moeten zijn.",
            "Wil je het in de komende dagen betalen, met het factuurnummer erbij? Heb je net betaald, dan hoef je \
             niets te doen; klopt er iets niet, laat het ons dan weten.",
        ],
        link: "Factuur betalen",
    },
    payment_failed: Texts {
        subject: "{company} kon factuur {number} niet innen",
        paragraphs: &[
            "We hebben geprobeerd {amount} voor factuur {number} te innen met de betaalmethode die je bij ons hebt \
             achtergelaten, en dat is niet gelukt.",
            "Betaal hem met de knop hieronder, of geef een andere betaalmethode op. Stond er te weinig op de \
             rekening, dan proberen we het in de komende dagen opnieuw.",
        ],
        link: "Factuur betalen",
    },
    payment_received: Texts {
        subject: "{company} heeft je betaling ontvangen",
        paragraphs: &["We hebben {amount} ontvangen voor {number}. Dank je wel!"],
        link: "",
    },
    payment_method_expires: Texts {
        subject: "Je kaart bij {company} verloopt",
        paragraphs: &[
            "De kaart die eindigt op {method}, waarvan we je rekeningen innen, is geldig tot en met {until}.",
            "Laat voor die tijd een andere achter, zodat er niets onbetaald blijft.",
        ],
        link: "Andere kaart achterlaten",
    },
    membership_paused: Texts {
        subject: "Je lidmaatschap bij {company} is gepauzeerd",
        paragraphs: &[
            "Je lidmaatschap {membership} rust vanaf {from} en gaat verder op {until}.",
            "Is dat niet wat je wilt, laat het ons dan weten.",
        ],
        link: "",
    },
    membership_ends: Texts {
        subject: "Je lidmaatschap bij {company} eindigt",
        paragraphs: &[
            "Je lidmaatschap {membership} eindigt. De laatste dag is {until}.",
            "Is dat niet wat je wilt, laat het ons dan voor die dag weten.",
        ],
        link: "",
    },
    membership_never_begins: Texts {
        subject: "Je lidmaatschap bij {company} gaat niet in",
        paragraphs: &[
            "Je lidmaatschap {membership} eindigt voor de eerste dag: het gaat niet in, en de factuur wordt \
             gecrediteerd.",
            "Is dat niet wat je wilt, laat het ons dan weten.",
        ],
        link: "",
    },
    document_expires: Texts {
        subject: "Een document verloopt: {document}",
        paragraphs: &[
            "Het document \u{201c}{document}\u{201d} van {client} verloopt. De laatste dag is {until}.",
            "Moet het doorlopen, vraag dan om een nieuw document, en wijzig of archiveer dit.",
        ],
        link: "",
    },
    device_silent: Texts {
        subject: "{device} bij {location} zwijgt",
        paragraphs: &[
            "Van het toegangsapparaat {device} bij {location} is sinds {since} niets gehoord. Misschien heeft het geen stroom of netwerk en beslist het met de lijst die het heeft.",
            "Kijk of het aanstaat en op het netwerk zit. Hoort het stil te zijn, schakel het dan uit.",
        ],
        link: "",
    },
    form_assigned: Texts {
        subject: "Een formulier voor je: {form}",
        paragraphs: &["{company} vraagt je een formulier in te vullen: {form}."],
        link: "Invullen",
    },
    checkup_reviewed: Texts {
        subject: "Je check-up is beoordeeld: {form}",
        paragraphs: &[
            "Je coach bij {company} heeft je check-up \u{201c}{form}\u{201d} bekeken en je geantwoord.",
        ],
        link: "Antwoord lezen",
    },
    unread_messages: Texts {
        subject: "Ongelezen berichten bij {company}",
        paragraphs: &["Berichten voor je bij {company} die je nog niet hebt gelezen: {count}."],
        link: "Berichten lezen",
    },
    membership_ends_soon: Texts {
        subject: "{membership} eindigt op {until}",
        paragraphs: &[
            "Je lidmaatschap {membership} bij {company} eindigt binnenkort. De laatste dag is {until}.",
            "Wil je daarna doorgaan, neem dan contact op met {company}.",
        ],
        link: "",
    },
    credits_lapse: Texts {
        subject: "Credits bij {company} geldig tot en met {until}",
        paragraphs: &[
            "Credits van je bij {company} die geldig zijn tot en met {until}: {count}. Daarna vervallen ze.",
        ],
        link: "Nu boeken",
    },
    bookings: BookingTexts {
        weekdays: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
        months: [
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
        date: "{weekday} {day} {month}",
        moment: "{date} om {time} uur",
        hours: "{date}, {from} tot {until} uur",
        moved_from: "Eerst: {before}",
        coach: "Met {coach}",
        held_until: "De plek blijft voor je vrij tot {until}. Je bevestigt haar in je portaal.",
        several: "{count} wijzigingen in je boekingen bij {company}",
        several_reminders: "Je volgende {count} boekingen bij {company}",
        link: "Mijn boekingen",
        booked: "{name} is geboekt",
        moved: "{name} is verplaatst",
        coach_changed: "{name} heeft een andere coach",
        location_changed: "{name} is op een andere locatie",
        cancelled_by_client: "Je hebt {name} geannuleerd",
        cancelled_by_company: "{name} is geannuleerd",
        waitlisted: "Je staat op de wachtlijst van {name}",
        waitlist_left: "Je staat niet meer op de wachtlijst van {name}",
        seat_offered: "Er is een plek voor je vrij: {name}",
        offer_lapsed: "De plek die voor je vrij was gehouden, is vervallen: {name}",
        request_rejected: "Je aanvraag is afgewezen: {name}",
        reminder: "Herinnering: {name}",
    },
};
