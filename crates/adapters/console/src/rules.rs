//! The rules of pages and their forms, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of pages and their forms that a request broke.
    pub enum ConsoleRule {
        AmountOutOfRange { min: String, max: String, currency: String }
            "must be an amount from {min} to {max} {currency}"
            "moet een bedrag van {min} tot {max} {currency} zijn"
            "muss ein Betrag von {min} bis {max} {currency} sein"
        ChangedByOther
            "was changed meanwhile by somebody else: what stands here is yours, and sending it again writes it over theirs"
            "is intussen door iemand anders gewijzigd: hier staat wat je zelf typte; nog eens versturen zet dat in de plaats"
            "wurde inzwischen von jemand anderem geändert: hier steht Ihre Eingabe; erneutes Senden ersetzt die andere"
        ChangedMeanwhile
            "was changed meanwhile: look at it as it is now, and change it again"
            "is intussen gewijzigd: bekijk het zoals het nu is, en wijzig het opnieuw"
            "wurde inzwischen geändert: sehen Sie es an, wie es jetzt ist, und ändern Sie es erneut"
        ForOneList
            "may be given for one list"
            "mag voor één lijst staan"
            "darf für eine Liste stehen"
        NeededAgain "is needed again" "is opnieuw nodig" "wird noch einmal gebraucht"
        NoSuchOperation "There is no such operation." "Dit bestaat niet." "Das gibt es nicht."
        NoSuchPage "There is no such page." "Deze pagina bestaat niet." "Diese Seite gibt es nicht."
        NotAsWritten
            "must be as the page has written it"
            "moet zijn zoals de pagina het schreef"
            "muss so sein, wie die Seite es schrieb"
        NotDateTime
            "must be a date and a time"
            "moet een datum en een tijd zijn"
            "muss Datum und Uhrzeit sein"
        NotJson "must be JSON" "moet JSON zijn" "muss JSON sein"
        NotUploadable
            "must be a picture, a video, a sound or a PDF"
            "moet een foto, video, geluid of pdf zijn"
            "muss ein Bild, Video, Ton oder PDF sein"
        PageSize "must be from 1 to 30" "moet van 1 tot 30 zijn" "muss von 1 bis 30 sein"
        TooManyOptions "has too many options" "heeft te veel opties" "hat zu viele Möglichkeiten"
        TooManyQuestions "has too many questions" "heeft te veel vragen" "hat zu viele Fragen"
        UnknownFormField
            "is no field of this form"
            "hoort niet bij dit formulier"
            "gehört nicht zu diesem Formular"
        WrongPassword "must be your password" "moet je wachtwoord zijn" "muss Ihr Passwort sein"
    }
}
