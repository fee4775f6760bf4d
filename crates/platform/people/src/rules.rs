//! The rules of coaches, clients and their accounts, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of coaches, clients and their accounts that a request broke.
    pub enum PeopleRule {
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
        AdminOnly
            "Only an Admin can do this to Managers and Admins."
            "Alleen een beheerder kan dit bij managers en beheerders."
            "Nur ein Admin kann das bei Managern und Admins."
        ClientRevoked
            "a revoked client cannot be rotated"
            "een ingetrokken API-client krijgt geen nieuw geheim"
            "ein widerrufener API-Client bekommt kein neues Geheimnis"
        CoachRequired "is required" "noem een coach" "einen Coach nennen"
        CompanyExists
            "there is one already: sign in"
            "er is er al een: log in"
            "es gibt schon eines: melden Sie sich an"
        ConsentMissing { scope: &'static str }
            "{scope} needs the consent"
            "{scope} vraagt toestemming"
            "{scope} braucht die Einwilligung"
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
        ExportNotReady "must be ready" "moet klaar zijn" "muss fertig sein"
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
        NoOptions
            "must have at least one option"
            "noem minstens één optie"
            "mindestens eine Möglichkeit nennen"
        NoScopes
            "must have at least one scope"
            "noem minstens één recht"
            "mindestens eine Berechtigung nennen"
        NotActiveToInvite
            "must be active to be invited"
            "moet actief zijn om te worden uitgenodigd"
            "muss aktiv sein, um eingeladen zu werden"
        NotArchived
            "must be archived before they are erased"
            "moet gearchiveerd zijn voor het wissen"
            "muss vor dem Löschen archiviert sein"
        NotInvited
            "only an invited coach can be invited again"
            "alleen een uitgenodigde coach kan opnieuw worden uitgenodigd"
            "nur ein eingeladener Coach kann erneut eingeladen werden"
        NotPendingClient
            "must be pending to be decided"
            "moet nog open staan"
            "muss noch offen sein"
        NotSixDigits
            "must be the six digits that the authenticator shows"
            "moeten de zes cijfers zijn die de authenticator toont"
            "müssen die sechs Ziffern sein, die der Authenticator zeigt"
        NotString "must be a string" "moet tekst zijn" "muss Text sein"
        NothingToDo
            "must say what to do: add or take away tags, assign a coach, or archive"
            "moet iets doen: tags toevoegen of weghalen, een coach toewijzen of archiveren"
            "muss etwas tun: Tags hinzufügen oder entfernen, einen Coach zuweisen oder archivieren"
        OptionsOfOtherKind
            "must be absent: only selects have options"
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
        QuietHoursIncomplete
            "must be set with quietFrom, or both be null"
            "moet samen met het begin van de stille uren, of laat beide leeg"
            "muss mit dem Beginn der Ruhezeit angegeben werden, oder beide leer bleiben",
            page "must be given with the beginning of quiet hours, or both left empty"
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
        NameWithLink
            "must be a name, without the address of a page"
            "moet een naam zijn, zonder webadres"
            "muss ein Name ohne Web-Adresse sein"
        OneChoice
            "must have at most one of calendarEventId, eventTypeId and productId"
            "mag één ding zijn"
            "darf nur eines sein",
            page "must be one thing"
        SignUpsClosed
            "nobody can sign up at this site"
            "op deze site kan niemand zich aanmelden"
            "auf dieser Seite kann man sich nicht anmelden"
        SignUpsNeedMail
            "this installation sends no mail, so no address can be confirmed"
            "deze installatie verstuurt geen mail, dus kan geen adres worden bevestigd"
            "diese Installation verschickt keine E-Mails, also kann keine Adresse bestätigt werden"
        StandsForWalkIns
            "must not be the client who stands for walk-in customers"
            "mag niet de klant zijn die voor alle passanten staat"
            "darf nicht der Kunde sein, der für alle Laufkundschaft steht"
        TagsToAdd
            "must have none of the tags to add"
            "mag geen tag bevatten die wordt toegevoegd"
            "darf keinen Tag enthalten, der hinzugefügt wird"
        TooManyCustomFields { max: usize }
            "a company has at most {max} custom fields"
            "er mogen hoogstens {max} eigen velden zijn"
            "es dürfen höchstens {max} eigene Felder sein"
        TooManyValues { max: usize }
            "must be at most {max} values"
            "mag hoogstens {max} waarden hebben"
            "darf höchstens {max} Werte haben"
        UnknownCoach
            "must be an active coach of the company"
            "moet een actieve coach zijn"
            "muss ein aktiver Coach sein"
        UnknownCustomField
            "no such custom field"
            "dit eigen veld bestaat niet"
            "dieses eigene Feld gibt es nicht"
        UnknownOption
            "must be one of the field's options"
            "moet een van de mogelijkheden zijn"
            "muss eine der Möglichkeiten sein"
    }
}
