//! The rules of the company and its locations, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of the company and its locations that a request broke.
    pub enum CompanyRule {
        AddressOfOther
            "is the address of another site"
            "is het adres van een andere site"
            "ist die Adresse einer anderen Seite"
        NotSitePicture
            "must be a picture of yours that was uploaded for the site and is not used yet"
            "moet een afbeelding van jou zijn die voor de site is geüpload en nog niet is gebruikt"
            "muss ein Bild von Ihnen sein, das für die Seite hochgeladen und noch nicht verwendet wurde"
        NotFileName
            "must be a name without slashes and control characters"
            "moet een naam zonder schuine strepen en stuurtekens zijn"
            "muss ein Name ohne Schrägstriche und Steuerzeichen sein"
        NotZoneName
            "must be a name of 1 to 60 characters"
            "moet een naam van 1 tot 60 tekens zijn"
            "muss ein Name aus 1 bis 60 Zeichen sein"
        TooManyZones { max: usize }
            "must be at most {max} names"
            "mag hoogstens {max} namen hebben"
            "darf höchstens {max} Namen haben"
    }
}
