//! Messages on pages after an operation succeeded.

use spotter_kernel::Phrase;
use spotter_store::words;

/// Each success by its word, with its sentence in English, Dutch and German.
macro_rules! successes {
    ($($success:ident $word:literal $english:literal $dutch:literal $german:literal)+) => {
        words! {
            /// The kind of success.
            pub enum Success { $($success = $word),+ }
        }

        impl Success {
            /// The sentence that a page shows.
            pub fn sentence(self) -> Phrase {
                let texts = match self {
                    $(Self::$success => [$english, $dutch, $german],)+
                };
                Phrase::new(texts.map(Into::into))
            }
        }
    };
}

successes! {
    Added "added" "Added." "Toegevoegd." "Angelegt."
    Approved "approved" "Approved." "Goedgekeurd." "Zugesagt."
    Archived "archived" "Archived." "Gearchiveerd." "Archiviert."
    Assigned "assigned" "Assigned." "Toegewezen." "Zugewiesen."
    Booked "booked" "Booked." "Geboekt." "Gebucht."
    Cancelled "cancelled" "Cancelled." "Geannuleerd." "Storniert."
    Completed "completed" "Well done!" "Goed gedaan!" "Gut gemacht!"
    Deleted "deleted" "Deleted." "Verwijderd." "Gelöscht."
    Invited "invited" "Invited." "Uitgenodigd." "Eingeladen."
    Published "published" "Published." "Gepubliceerd." "Veröffentlicht."
    Refunded "refunded" "It is refunded." "Het wordt terugbetaald." "Es wird erstattet."
    Rejected "rejected" "Rejected." "Afgewezen." "Abgelehnt."
    Restored "restored" "Restored." "Teruggezet." "Wiederhergestellt."
    Revoked "revoked" "Revoked." "Ingetrokken." "Widerrufen."
    Saved "saved" "Saved." "Opgeslagen." "Gespeichert."
    Scheduled "scheduled"
        "It goes out in a minute. Until then you can take it back."
        "Het gaat over een minuut uit. Tot dan kun je het intrekken."
        "Es geht in einer Minute hinaus. Bis dahin können Sie es zurücknehmen."
    Sent "sent" "Sent." "Verstuurd." "Gesendet."
    SentAgain "sent_again" "It is sent again." "Het wordt opnieuw gestuurd." "Es wird erneut gesendet."
    Sold "sold" "Sold." "Verkocht." "Verkauft."
    Submitted "submitted" "Submitted." "Ingeleverd." "Abgegeben."
    SwitchedOff "switched_off" "It is switched off." "Het is uitgeschakeld." "Er ist ausgeschaltet."
    TakenBack "taken_back" "Taken back." "Ingetrokken." "Zurückgenommen."
    Waitlisted "waitlisted" "On the waiting list." "Op de wachtlijst gezet." "Auf die Warteliste gesetzt."
}
