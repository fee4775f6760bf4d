//! The rules of the company and its locations, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of the company and its locations that a request broke.
    pub enum CompanyRule {
        AddressOfOther
            "is the address of another site"
            "is het adres van een andere site"
            "ist die Adresse einer anderen Seite"
        CompanySuspended
            "The company is suspended: ask who runs this installation."
            "Het bedrijf is opgeschort: vraag het aan wie deze installatie beheert."
            "Das Unternehmen ist ausgesetzt: fragen Sie, wer diese Installation betreibt."
        TestEnvironmentExists
            "exists already; delete it first"
            "bestaat al; verwijder die eerst"
            "gibt es schon; löschen Sie sie zuerst"
        TestEnvironmentCreating
            "is being created; wait until that is done"
            "wordt gemaakt; wacht tot dat klaar is"
            "wird gerade angelegt; warten Sie, bis das fertig ist"
        ClockBehind
            "must be after the clock's time: a test clock only goes forward"
            "moet na de tijd van de klok liggen: een testklok loopt alleen vooruit"
            "muss nach der Zeit der Uhr liegen: eine Testuhr geht nur vorwärts"
        ClockTooFar { days: i64 }
            "must be at most {days} days after the clock's time"
            "mag hoogstens {days} dagen na de tijd van de klok liggen"
            "darf höchstens {days} Tage nach der Zeit der Uhr liegen"
        ClockAdvancing
            "is being advanced; wait until that is done"
            "wordt vooruitgezet; wacht tot dat klaar is"
            "wird gerade vorgestellt; warten Sie, bis das fertig ist"
        LiveClock
            "is that of the test environment alone; use a token that begins with fspt_test_"
            "is er alleen in de testomgeving; gebruik een token dat begint met fspt_test_"
            "gibt es nur in der Testumgebung; verwenden Sie ein Token, das mit fspt_test_ beginnt"
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
