//! The rules of conversations, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of conversations that a request broke.
    pub enum MessagingRule {
        AnnouncementBegun
            "must be scheduled to be cancelled"
            "kan alleen worden ingetrokken zolang het niet wordt verstuurd"
            "kann nur zurückgenommen werden, solange sie nicht gesendet wird"
        ArchivedPartner
            "must be with a client who is not archived"
            "de klant is gearchiveerd"
            "der Kunde ist archiviert"
        AudienceTooLarge { max: usize }
            "must be at most {max} clients"
            "er mogen hoogstens {max} klanten zijn"
            "es dürfen höchstens {max} Kunden sein"
        ChannelNeeded
            "must be a message, mail, or both"
            "kies een bericht, e-mail of allebei"
            "wählen Sie Nachricht, E-Mail oder beides"
        DeletedBySender
            "Only its sender can delete a message; coaches can delete clients' messages in groups."
            "Alleen de afzender kan een bericht verwijderen; coaches ook berichten van klanten in groepen."
            "Nur der Absender kann eine Nachricht löschen; Coaches auch Nachrichten von Kunden in Gruppen."
        DeletedMessage
            "must be false to be edited"
            "kan niet meer gewijzigd worden: het is verwijderd"
            "kann nicht mehr geändert werden: sie ist gelöscht"
        EditedBySender
            "Only its sender can edit a message."
            "Alleen de afzender kan een bericht wijzigen."
            "Nur der Absender kann eine Nachricht ändern."
        ForGroups "is for groups alone" "is alleen voor groepen" "ist nur für Gruppen"
        GroupNameNeeded
            "is required for a group"
            "is nodig voor een groep"
            "wird für eine Gruppe gebraucht"
        GroupTooLarge { max: usize }
            "must be at most {max} in a group"
            "er mogen hoogstens {max} in een groep zijn"
            "es dürfen höchstens {max} in einer Gruppe sein"
        GroupsOfCoaches
            "Groups are led by coaches."
            "Groepen worden door coaches geleid."
            "Gruppen werden von Coaches geleitet."
        NobodyThere
            "must be of at least one client"
            "er moet minstens één klant zijn"
            "es muss mindestens ein Kunde sein"
        NotGroup "must be group" "moet een groep zijn" "muss eine Gruppe sein"
        NotMessageFile
            "must be a file that the caller sent within a day and has not used"
            "moet een bestand zijn dat je vandaag hebt verstuurd en nog niet gebruikt"
            "muss eine Datei sein, die Sie innerhalb eines Tages gesendet und nicht benutzt haben"
        NotReachable
            "must be an active coach, or a client whom the caller may write to"
            "moet een actieve coach zijn, of een klant aan wie je mag schrijven"
            "muss ein aktiver Coach sein, oder ein Kunde, dem Sie schreiben dürfen"
        OtherAudience
            "belongs to another kind of audience"
            "hoort bij een andere doelgroep"
            "gehört zu einer anderen Zielgruppe"
        OneForDirect
            "must be one user for a direct conversation"
            "moet bij een gesprek met één persoon één gebruiker zijn"
            "muss bei einem direkten Gespräch ein Nutzer sein"
        OwnAudience
            "Coaches write to their own classes and clients; managers to everybody."
            "Coaches schrijven aan hun eigen lessen en klanten; managers aan iedereen."
            "Coaches schreiben an ihre eigenen Kurse und Kunden; Manager an alle."
        ParticipantTwice
            "must not be named twice, nor be the caller"
            "mag niemand twee keer noemen, en jezelf niet"
            "darf niemanden zweimal nennen, und nicht Sie selbst"
        TakesPartAlready "takes part already" "doet al mee" "nimmt schon teil"
        TextOrFileNeeded
            "is required without uploadId"
            "is nodig zonder bestand"
            "wird ohne Datei gebraucht"
        UnknownClient
            "must be a client of the company"
            "moet een klant van het bedrijf zijn"
            "muss ein Kunde des Unternehmens sein"
        UnknownMessage
            "must be a message of the conversation"
            "moet een bericht van dit gesprek zijn"
            "muss eine Nachricht dieses Gesprächs sein"
    }
}
