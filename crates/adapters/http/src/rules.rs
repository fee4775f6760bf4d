//! The rules of sign-in, uploads and streams, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of sign-in, uploads and streams that a request broke.
    pub enum HttpRule {
        AccountKindNeeded
            "is needed: the address is a coach's and a client's"
            "is nodig: het adres is van een coach en van een klant"
            "wird gebraucht: die Adresse gehört einem Coach und einem Kunden"
        AccountNeeded
            "is needed: the address has several accounts"
            "is nodig: het adres heeft meer accounts"
            "wird gebraucht: die Adresse hat mehrere Konten"
        BadFileName
            "The name of the file cannot be kept; call it otherwise."
            "De naam van het bestand kan niet; geef het een andere naam."
            "Der Name der Datei geht nicht; benennen Sie sie um."
        BrokenPicture
            "must be a picture that can be read to its end"
            "de foto is onvolledig"
            "das Bild ist unvollständig"
        MovingPicture
            "must be a picture that does not move"
            "mag geen bewegende foto zijn"
            "darf kein bewegtes Bild sein"
        NoMailInstalled
            "no mail is sent here: the installation's operator can hand out a link"
            "er wordt hier geen mail verstuurd: de beheerder kan een link geven"
            "hier wird keine Mail verschickt: der Betreiber kann einen Link geben"
        NotUtf8 "must be UTF-8" "moet UTF-8 zijn" "muss UTF-8 sein"
        OtherContentType { found: String }
            "must be {found}, as Content-Type says"
            "moet {found} zijn, zoals Content-Type zegt"
            "muss {found} sein, wie Content-Type sagt"
        PictureTooLarge { pixels: u64, side_max: u32 }
            "must have at most {pixels} megapixels, and at most {side_max} pixels on a side"
            "mag hoogstens {pixels} megapixel hebben, en {side_max} pixels per zijde"
            "darf höchstens {pixels} Megapixel haben, und {side_max} Pixel je Seite"
        SecondStepNeeded
            "is needed: the account has a second step"
            "is nodig: het account heeft een tweede stap"
            "wird gebraucht: das Konto hat einen zweiten Schritt"
        UnknownStreamEvent
            "must be the id of an event of this stream"
            "moet het id van een gebeurtenis van deze stroom zijn"
            "muss die ID eines Ereignisses dieses Stroms sein"
        WrongAccountPassword
            "must be the account's password"
            "moet het wachtwoord van het account zijn"
            "muss das Passwort des Kontos sein"
        WrongCode
            "must be the newest of the authenticator, or a recovery code, and not used before"
            "moet de nieuwste code van de authenticator zijn, of een herstelcode die nog niet is gebruikt"
            "muss der neueste Code des Authenticators sein, oder ein unbenutzter Wiederherstellungscode"
        WrongCurrentPassword
            "must be the current password"
            "moet het huidige wachtwoord zijn"
            "muss das jetzige Passwort sein"
    }
}
