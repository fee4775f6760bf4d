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
            "was changed by another person in the meantime; your entry is kept here, and sending it again replaces theirs"
            "is intussen door iemand anders gewijzigd: hier staat wat je zelf typte; nog eens versturen zet dat in de plaats"
            "wurde inzwischen von jemand anderem geändert: hier steht Ihre Eingabe; erneutes Senden ersetzt die andere"
        ChangedMeanwhile
            "was changed in the meantime: check its present value, and change it again"
            "Dit is intussen gewijzigd: bekijk het zoals het nu is, en wijzig het opnieuw."
            "Das wurde inzwischen geändert: sehen Sie es an, wie es jetzt ist, und ändern Sie es erneut.",
            page "This was changed in the meantime: check it as it is now, and change it again."
        ForOneList
            "may be given for one list"
            "mag voor één lijst staan"
            "darf für eine Liste stehen"
        ListTooLong
            "This list has more than 20,000 records. Go back, and filter it first."
            "Deze lijst heeft meer dan 20.000 regels. Ga terug en filter eerst."
            "Diese Liste hat mehr als 20.000 Einträge. Gehen Sie zurück und filtern Sie zuerst."
        NeededAgain "is required again" "is opnieuw nodig" "wird noch einmal gebraucht"
        NoSuchOperation "There is no such operation." "Dit bestaat niet." "Das gibt es nicht."
        NoSuchPage "There is no such page." "Deze pagina bestaat niet." "Diese Seite gibt es nicht."
        NotAsWritten
            "must be unchanged"
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
            "is not a field of this form"
            "hoort niet bij dit formulier"
            "gehört nicht zu diesem Formular"
        WrongCode { left: String }
            "is not the code that was mailed; {left} tries are left"
            "is niet de code uit de mail; je kunt het nog {left} keer proberen"
            "ist nicht der Code aus der E-Mail; noch {left} Versuche"
        WrongPassword "must be your password" "moet je wachtwoord zijn" "muss Ihr Passwort sein"
    }
}
