//! The rules of the company, its people, their accounts, devices and webhooks, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of the company, its people, their accounts, devices and webhooks that a request broke.
    pub enum PlatformRule {
        AddressChangedTooOften
            "was changed three times within 15 minutes"
            "is drie keer gewijzigd binnen een kwartier"
            "wurde dreimal in 15 Minuten geändert"
        AddressKept
            "a client with portal access keeps an address"
            "een klant die kan inloggen houdt een adres"
            "ein Kunde mit Zugang behält eine Adresse"
        AddressTaken
            "must not be another account's address"
            "is al het adres van een ander account"
            "ist schon die Adresse eines anderen Kontos"
        AiTurnedOffByCompany
            "must be off: only the company can turn it on"
            "moet uit staan: alleen het bedrijf kan het aanzetten"
            "muss aus sein: nur das Unternehmen kann es einschalten"
        ClientRevoked
            "a revoked client cannot be rotated"
            "een ingetrokken API-client krijgt geen nieuw geheim"
            "ein widerrufener API-Client bekommt kein neues Geheimnis"
        CoachRequired "must name a coach" "noem een coach" "einen Coach nennen"
        CompanyExists
            "there is one already: sign in"
            "er is er al een: log in"
            "es gibt schon eines: melden Sie sich an"
        ConsentMissing { scope: &'static str }
            "{scope} needs the consent"
            "{scope} vraagt toestemming"
            "{scope} braucht die Einwilligung"
        ConsentWidened
            "must stay true; more needs a new consent"
            "moet aan blijven; meer vraagt nieuwe toestemming"
            "muss an bleiben; mehr braucht neue Zustimmung"
        ConsentWithdrawn
            "must be absent where consent is withdrawn"
            "moet leeg zijn als toestemming wordt ingetrokken"
            "muss leer sein, wenn die Einwilligung widerrufen wird"
        CustomFieldArchived
            "the custom field is archived"
            "het eigen veld is gearchiveerd"
            "das eigene Feld ist archiviert"
        CustomFieldKeyTaken
            "must not have the key of another custom field"
            "heeft dezelfde sleutel als een ander eigen veld"
            "hat denselben Schlüssel wie ein anderes eigenes Feld"
        DeviceRevoked "must not be revoked" "mag niet ingetrokken zijn" "darf nicht widerrufen sein"
        ExportNotReady "must be ready" "moet klaar zijn" "muss fertig sein"
        GuardedZone { zone: String, device: String }
            "must keep {zone} unchanged: the device {device} guards it"
            "moet {zone} ongewijzigd laten: het apparaat {device} bewaakt die"
            "muss {zone} unverändert lassen: das Gerät {device} überwacht sie"
        HardWithoutExit
            "must not be hard where no device lets people out of the same zones"
            "mag niet hard zijn als geen apparaat mensen uit deze zones laat"
            "darf nicht hart sein, wo kein Gerät aus denselben Zonen hinauslässt"
        HasPortalAccess
            "the client has portal access already"
            "de klant kan al inloggen"
            "der Kunde hat schon Zugang"
        LastAdmin
            "the company must keep an Admin"
            "er moet een beheerder blijven"
            "ein Admin muss bleiben"
        MailedTooOften
            "was mailed three times within 15 minutes"
            "is drie keer gemaild binnen een kwartier"
            "wurde dreimal in 15 Minuten angeschrieben"
        MoreThanGranted
            "must be some of those that it has; more needs a new consent"
            "moet een deel zijn van wat er is; meer vraagt nieuwe toestemming"
            "muss ein Teil des Vorhandenen sein; mehr braucht neue Zustimmung"
        NoCoaches
            "must be at least one, all of the company's"
            "noem minstens één, allemaal van je bedrijf"
            "mindestens einer, alle Ihres Unternehmens"
        NoEvents
            "must name at least one event"
            "noem minstens één gebeurtenis"
            "mindestens ein Ereignis nennen"
        NoOptions
            "must name at least one option"
            "noem minstens één optie"
            "mindestens eine Möglichkeit nennen"
        NoScopes
            "must name at least one scope"
            "noem minstens één recht"
            "mindestens eine Berechtigung nennen"
        NoWaitingRequest
            "must be a request that waits"
            "moet een verzoek zijn dat wacht"
            "muss eine wartende Anfrage sein"
        NoneGiven "must be at least one" "moet er minstens één zijn" "muss mindestens eines sein"
        NotActiveToInvite
            "must be active to be invited"
            "moet actief zijn om te worden uitgenodigd"
            "muss aktiv sein, um eingeladen zu werden"
        NotAllowable
            "must be among those that the caller may allow"
            "moet iets zijn dat je mag toestaan"
            "muss etwas sein, das Sie erlauben dürfen"
        NotArchived
            "must be archived before they are erased"
            "moet gearchiveerd zijn voor het wissen"
            "muss vor dem Löschen archiviert sein"
        NotClientModules
            "must be modules of clients"
            "moeten modules van klanten zijn"
            "müssen Module von Kunden sein"
        NotFileName
            "must be a name without slashes and control characters"
            "moet een naam zonder schuine strepen en stuurtekens zijn"
            "muss ein Name ohne Schrägstriche und Steuerzeichen sein"
        NotInvited
            "only an invited coach can be invited again"
            "alleen een uitgenodigde coach kan opnieuw worden uitgenodigd"
            "nur ein eingeladener Coach kann erneut eingeladen werden"
        NotPendingClient
            "must be pending to be decided"
            "moet nog open staan"
            "muss noch offen sein"
        NotSameAsUrl
            "must be the same as url"
            "moet gelijk zijn aan het webadres"
            "muss der Webadresse gleichen"
        NotSixDigits
            "must be the six digits that the authenticator shows"
            "moeten de zes cijfers zijn die de authenticator toont"
            "müssen die sechs Ziffern sein, die der Authenticator zeigt"
        NotString "must be a string" "moet tekst zijn" "muss Text sein"
        NotZoneName
            "must be a name of 1 to 60 characters"
            "moet een naam van 1 tot 60 tekens zijn"
            "muss ein Name aus 1 bis 60 Zeichen sein"
        OnlineLocation
            "must be a physical location: this one has no door"
            "moet een fysieke locatie zijn: deze heeft geen deur"
            "muss ein physischer Standort sein: dieser hat keine Tür"
        OptionsOfOtherKind
            "are for selects alone"
            "zijn alleen voor keuzelijsten"
            "sind nur für Auswahllisten"
        OtherClients
            "must not be another client's"
            "mag niet van een andere klant zijn"
            "darf nicht einem anderen Kunden gehören"
        OtherCoachs
            "must not be another coach's"
            "mag niet van een andere coach zijn"
            "darf nicht einem anderen Coach gehören"
        PasswordLength
            "must be 10 to 200 characters"
            "moet 10 tot 200 tekens hebben"
            "muss 10 bis 200 Zeichen haben"
        SecondStepNotBegun
            "was not begun: ask for a secret first"
            "is niet begonnen: vraag eerst een geheim aan"
            "wurde nicht begonnen: fordern Sie zuerst ein Geheimnis an"
        SecondStepOff "is off" "staat uit" "ist aus"
        SecondStepOn
            "is on: switch it off first"
            "staat aan: schakel het eerst uit"
            "ist an: schalten Sie es zuerst aus"
        SecondStepOnAlready "is on" "staat al aan" "ist schon an"
        SetTwice
            "must not be set twice"
            "mag maar één keer gezet worden"
            "darf nur einmal gesetzt werden"
        SubscriptionInactive
            "the subscription must be active"
            "de webhook moet aan staan"
            "der Webhook muss aktiv sein"
        TooManyCustomFields { max: usize }
            "a company has at most {max} custom fields"
            "er mogen hoogstens {max} eigen velden zijn"
            "es dürfen höchstens {max} eigene Felder sein"
        TooManyKeys { max: i64 }
            "must be at most {max} that are active"
            "er mogen er hoogstens {max} actief zijn"
            "es dürfen höchstens {max} aktiv sein"
        TooManyValues { max: usize }
            "must be at most {max} values"
            "mag hoogstens {max} waarden hebben"
            "darf höchstens {max} Werte haben"
        TooManyZones { max: usize }
            "must be at most {max} names"
            "mag hoogstens {max} namen hebben"
            "darf höchstens {max} Namen haben"
        UnknownCustomField
            "no such custom field"
            "dit eigen veld bestaat niet"
            "dieses eigene Feld gibt es nicht"
        UnknownModule
            "must be the key of a module"
            "moet de sleutel van een module zijn"
            "muss der Schlüssel eines Moduls sein"
        UnknownOption
            "must be one of the field's options"
            "moet een van de mogelijkheden zijn"
            "muss eine der Möglichkeiten sein"
        UnknownZones
            "must be names of the location's access zones"
            "moeten zones van deze locatie zijn"
            "müssen Zonen dieses Standorts sein"
        UrlRequired
            "must be given, here or as target.url"
            "is verplicht, hier of als target.url"
            "muss angegeben werden, hier oder als target.url"
    }
}
