//! The rules of assistants, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of assistants that a request broke.
    pub enum AssistantRule {
        AiTurnedOffByCompany
            "must be off: only the company can turn it on"
            "moet uit staan: alleen het bedrijf kan het aanzetten"
            "muss aus sein: nur das Unternehmen kann es einschalten"
        ConnectedByManagers
            "Only managers and admins can connect assistants."
            "Alleen managers en beheerders kunnen assistenten koppelen."
            "Nur Manager und Admins können Assistenten verbinden."
        ConsentWidened
            "must stay true; more needs a new consent"
            "moet aan blijven; meer vraagt nieuwe toestemming"
            "muss an bleiben; mehr braucht neue Zustimmung"
        MoreThanGranted
            "must be among its present modules; more needs a new consent"
            "moet een deel zijn van wat er is; meer vraagt nieuwe toestemming"
            "muss ein Teil des Vorhandenen sein; mehr braucht neue Zustimmung"
        NoCoaches
            "must be at least one coach of the company"
            "noem minstens één, allemaal van je bedrijf"
            "mindestens einer, alle Ihres Unternehmens"
        NoWaitingRequest
            "must be a pending request"
            "moet een verzoek zijn dat wacht"
            "muss eine wartende Anfrage sein"
        NoneGiven "must be at least one" "moet er minstens één zijn" "muss mindestens eines sein"
        NotAllowable
            "must be among those that the caller may allow"
            "moet iets zijn dat je mag toestaan"
            "muss etwas sein, das Sie erlauben dürfen"
        NotClientModules
            "must be modules of clients"
            "moeten modules van klanten zijn"
            "müssen Module von Kunden sein"
        TooManyKeys { max: i64 }
            "must be at most {max} that are active"
            "er mogen er hoogstens {max} actief zijn"
            "es dürfen höchstens {max} aktiv sein"
        UnknownModule
            "must be the key of a module"
            "moet de sleutel van een module zijn"
            "muss der Schlüssel eines Moduls sein"
    }
}
