//! The effects of operations on coaches, clients and accounts, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of coaches, clients and their accounts.
    pub enum PeopleEffect {
        ClientArchived { name: String }
            "{name} is archived; their records stay."
            "{name} wordt gearchiveerd; de gegevens blijven."
            "{name} wird archiviert; die Daten bleiben."
        ClientArchivedAlready { name: String }
            "Nothing: {name} is archived already."
            "Niets: {name} is al gearchiveerd."
            "Nichts: {name} ist schon archiviert."
        ClientBrowsersSignedOut
            "The client is signed out of all browsers."
            "De browsers van de klant worden uitgelogd."
            "Die Browser des Kunden werden abgemeldet."
        ClientErased { name: String }
            "All personal data of the client {name} is deleted for good, but for what the law keeps."
            "Alle gegevens van de klant {name} worden voorgoed verwijderd, behalve wat de wet bewaart."
            "Alle Daten des Kunden {name} werden endgültig gelöscht, bis auf das, was das Gesetz verlangt."
        ClientInvitationsVoid
            "Invitations and links for a new password of the client are void."
            "Uitnodigingen en wachtwoordlinks van de klant vervallen."
            "Einladungen und Passwort-Links des Kunden verfallen."
        ClientRejected
            "The client is rejected, which cannot be taken back."
            "De klant wordt afgewezen; dat kan niet ongedaan worden gemaakt."
            "Der Kunde wird abgelehnt; das lässt sich nicht rückgängig machen."
        ClientSignedOut
            "The client is signed out of all apps."
            "De klant wordt overal uitgelogd."
            "Der Kunde wird überall abgemeldet."
        ClientsStayAtLocation { total: i64 }
            "{total} clients have it as their home."
            "{total} klanten hebben het als hun vaste locatie."
            "{total} Kunden haben ihn als ihren Standort."
        ClientsStayWithCoach { total: i64 }
            "{total} clients stay the coach's until they are assigned to another."
            "{total} klanten blijven van de coach tot ze een andere krijgen."
            "{total} Kunden bleiben beim Coach, bis sie einen anderen bekommen."
        CoachAccountClosed
            "The coach's account is closed, and their invitations are void."
            "Het account van de coach wordt gesloten, en uitnodigingen vervallen."
            "Das Konto des Coaches wird geschlossen, und Einladungen verfallen."
        CoachBrowsersSignedOut
            "The coach is signed out of all browsers."
            "De browsers van de coach worden uitgelogd."
            "Die Browser des Coaches werden abgemeldet."
        CoachSignedOut
            "The coach is signed out of all apps."
            "De coach wordt overal uitgelogd."
            "Der Coach wird überall abgemeldet."
        NoteDeleted { title: String, created_at: String }
            "The note {title} of {created_at} is deleted for good."
            "De notitie {title} van {created_at} wordt voorgoed verwijderd."
            "Die Notiz {title} vom {created_at} wird endgültig gelöscht."
    }
}
