//! The rules of sign-in, uploads and streams, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of sign-in, uploads and streams that a request broke.
    pub enum HttpRule {
        AccountKindNeeded
            "is required: the address belongs to a coach and a client"
            "is nodig: het adres is van een coach en van een klant"
            "wird gebraucht: die Adresse gehört einem Coach und einem Kunden"
        AccountNeeded
            "is required: the address has several accounts"
            "is nodig: het adres heeft meer accounts"
            "wird gebraucht: die Adresse hat mehrere Konten"
        AskForNewLink
            "There is no page at this address. Perhaps it was copied in part, or has expired: please ask for a new one."
            "Op dit adres staat geen pagina. Misschien is het niet helemaal gekopieerd, of is het verlopen: vraag om een nieuwe link."
            "Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie unvollständig kopiert oder ist abgelaufen: bitten Sie um einen neuen Link."
        BadFileName
            "The name of the file is not allowed; rename it."
            "De naam van het bestand kan niet; geef het een andere naam."
            "Der Name der Datei geht nicht; benennen Sie sie um."
        BrokenPicture
            "must be a complete picture"
            "de foto is onvolledig"
            "das Bild ist unvollständig"
        ConnectionsTaken { max: usize }
            "A person has at most {max} streams open."
            "Iemand heeft hoogstens {max} verbindingen open."
            "Eine Person hat höchstens {max} Verbindungen offen."
        FileCutOff
            "The file was cut off."
            "Het bestand is afgebroken."
            "Die Datei wurde abgebrochen."
        FilesAtOnce { max: usize }
            "A person sends at most {max} files at once."
            "Er kunnen hoogstens {max} bestanden tegelijk verstuurd worden."
            "Es können höchstens {max} Dateien gleichzeitig gesendet werden."
        FileStoreFull
            "There is no room for the file; nothing of it was stored."
            "Er is geen ruimte voor het bestand; er is niets van bewaard."
            "Für die Datei ist kein Platz; nichts davon wurde gespeichert."
        FileStoreSilent
            "The file store does not answer; try again."
            "De bestandsopslag antwoordt niet; probeer het opnieuw."
            "Der Dateispeicher antwortet nicht; versuchen Sie es erneut."
        FileTimeout
            "The file took too long to arrive."
            "Het versturen van het bestand duurde te lang."
            "Das Senden der Datei dauerte zu lange."
        FileTooLarge { max: u64 }
            "The file is larger than {max} bytes."
            "Het bestand is groter dan {max} bytes."
            "Die Datei ist größer als {max} Bytes."
        LinksFromHere
            "Too many links were requested from this address."
            "Er zijn vanaf hier te veel links aangevraagd."
            "Von hier wurden zu viele Links angefordert."
        LinksRequested
            "Three links were requested: check your mail, or wait."
            "Er zijn al drie links aangevraagd: kijk in je mail, of wacht."
            "Es wurden schon drei Links angefordert: sehen Sie in Ihre E-Mails, oder warten Sie."
        MovingPicture
            "must not be an animated picture"
            "mag geen bewegende foto zijn"
            "darf kein bewegtes Bild sein"
        NoDocument
            "Nothing here"
            "Niets gevonden"
            "Nichts gefunden"
        NoMailInstalled
            "no mail is sent here: the installation's operator can hand out a link"
            "er wordt hier geen mail verstuurd: de beheerder kan een link geven"
            "hier wird keine Mail verschickt: der Betreiber kann einen Link geben"
        NoPage
            "There is nothing at this address."
            "Op dit adres staat niets."
            "Unter dieser Adresse gibt es nichts."
        NoTestEnvironment
            "There is no such test environment: it is being created, or was deleted with all that it issued."
            "Deze testomgeving is er niet: ze wordt nog gemaakt, of is verwijderd met alles wat ze heeft uitgegeven."
            "Diese Testumgebung gibt es nicht: sie wird noch angelegt oder wurde gelöscht, mit allem, was sie ausgestellt hat."
        NotAPicture
            "The file must be a JPEG, PNG or WebP picture."
            "Het bestand moet een foto zijn (JPEG, PNG of WebP)."
            "Die Datei muss ein Bild sein (JPEG, PNG oder WebP)."
        OtherContentType { found: String }
            "must be {found}, as Content-Type says"
            "moet {found} zijn, zoals Content-Type zegt"
            "muss {found} sein, wie Content-Type sagt"
        OtherMediaType { options: String }
            "Content-Type must be one of {options}."
            "Het bestand moet van deze soort zijn: {options}."
            "Die Datei muss von dieser Art sein: {options}."
        PageNotFound
            "Page not found"
            "Pagina niet gevonden"
            "Seite nicht gefunden"
        PictureTooLarge { pixels: u64, side_max: u32 }
            "must have at most {pixels} megapixels, and at most {side_max} pixels on a side"
            "mag hoogstens {pixels} megapixel hebben, en {side_max} pixels per zijde"
            "darf höchstens {pixels} Megapixel haben, und {side_max} Pixel je Seite"
        SecondStepNeeded
            "is required: the account has a second step"
            "is nodig: het account heeft een tweede stap"
            "wird gebraucht: das Konto hat einen zweiten Schritt"
        TooManyAttempts
            "Too many failed attempts."
            "Te veel mislukte pogingen."
            "Zu viele fehlgeschlagene Versuche."
        TooManyRequests
            "Too many requests; try again shortly."
            "Te veel verzoeken; probeer het zo meteen opnieuw."
            "Zu viele Anfragen; versuchen Sie es gleich noch einmal."
        ToStartPage
            "Go to the start page"
            "Naar de startpagina"
            "Zur Startseite"
        UnknownStreamEvent
            "must be the id of an event of this stream"
            "moet het id van een gebeurtenis van deze stroom zijn"
            "muss die ID eines Ereignisses dieses Stroms sein"
        WrongAccountPassword
            "must be the account's password"
            "moet het wachtwoord van het account zijn"
            "muss das Passwort des Kontos sein"
        WrongCode
            "must be the authenticator's latest code, or an unused recovery code"
            "moet de nieuwste code van de authenticator zijn, of een herstelcode die nog niet is gebruikt"
            "muss der neueste Code des Authenticators sein, oder ein unbenutzter Wiederherstellungscode"
        WrongCurrentPassword
            "must be the current password"
            "moet het huidige wachtwoord zijn"
            "muss das jetzige Passwort sein"
    }
}
