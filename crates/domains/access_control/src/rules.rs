//! The rules of access control, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of access control that a request broke.
    pub enum AccessControlRule {
        CodeWithNumber
            "must be absent: codes have no number"
            "moet leeg zijn: een code heeft dit niet"
            "muss leer sein: Codes haben das nicht"
        CredentialTaken
            "must not be another credential's in use"
            "is al in gebruik"
            "ist schon vergeben"
        DirectionRequired
            "must be in or out: the device goes both ways"
            "moet in of out zijn: het apparaat werkt in beide richtingen"
            "muss in oder out sein: das Gerät arbeitet in beide Richtungen"
        GuessableCode
            "must not be one repeated digit, or a run of digits"
            "mag geen herhaald cijfer en geen oplopende reeks zijn"
            "darf keine wiederholte Ziffer und keine Reihe sein"
        NoCode
            "There is no access credential of the kind `qr` for you."
            "Er is geen toegangscode voor je."
            "Es gibt keinen Zugangscode für Sie."
        NotActiveClients
            "must be an active client's"
            "moet van een actieve klant zijn"
            "muss einem aktiven Kunden gehören"
        NotAfterValidFrom
            "must be after validFrom"
            "moet na de begindatum liggen"
            "muss nach dem Beginn liegen"
        NotCardNumber
            "must be 4 to 64 letters and digits"
            "moet 4 tot 64 letters en cijfers zijn"
            "muss 4 bis 64 Buchstaben und Ziffern sein"
        NotPinCode
            "must be 6 to 12 digits"
            "moet 6 tot 12 cijfers zijn"
            "muss 6 bis 12 Ziffern sein"
        NotQrText
            "must be 8 to 200 visible ASCII characters"
            "moet 8 tot 200 zichtbare ASCII-tekens hebben"
            "muss 8 bis 200 sichtbare ASCII-Zeichen haben"
        OtherDevices
            "must be the device's own"
            "moet van dit apparaat zijn"
            "muss zu diesem Gerät gehören"
        ScanReused
            "must be unique for each scan"
            "moet nieuw zijn bij een andere scan"
            "muss bei einem anderen Scan neu sein"
        UnguardedZone
            "must be one that the device guards"
            "moet een zone zijn die het apparaat bewaakt"
            "muss eine Zone sein, die das Gerät überwacht"
        UnknownZone
            "must be a name of the location's access zones"
            "moet een zone van deze locatie zijn"
            "muss eine Zone dieses Standorts sein"
        ZoneRequired
            "is required: the device guards several zones"
            "is verplicht: het apparaat bewaakt meer zones"
            "muss angegeben werden: das Gerät überwacht mehrere Zonen"
    }
}
