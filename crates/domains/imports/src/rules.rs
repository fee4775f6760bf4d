//! The rules of imports, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of imports that a request broke.
    pub enum ImportRule {
        Ambiguous
            "is what several are called"
            "is de naam van meer dan één"
            "ist der Name von mehreren"
        CellTooLong { max: usize, line: u64 }
            "must have cells of at most {max} characters: line {line} has a longer one"
            "mag hoogstens {max} tekens per cel hebben: regel {line} heeft er meer"
            "darf höchstens {max} Zeichen je Zelle haben: Zeile {line} hat mehr"
        ChangedBySomebody
            "was changed by somebody else"
            "is door iemand anders gewijzigd"
            "wurde von jemand anderem geändert"
        ColumnNamedTwice
            "must be said once: another entry says it, too"
            "mag één keer voorkomen: een andere kolom heeft het al"
            "darf einmal vorkommen: eine andere Spalte hat es schon"
        ColumnTwice { name: String }
            "{name} is named for two columns"
            "{name} staat bij twee kolommen"
            "{name} steht bei zwei Spalten"
        CouldNotBeDone
            "could not be done: whoever brought the file may not do it any more, or it failed again and again"
            "kon niet: wie het bestand bracht mag het niet meer, of het mislukte steeds"
            "ging nicht: wer die Datei brachte, darf es nicht mehr, oder es schlug immer wieder fehl"
        ImportRuns "must not be under way" "mag niet bezig zijn" "darf nicht laufen"
        Needed "is needed" "is nodig" "wird gebraucht"
        NeededOfCompany
            "is needed: the company has said none either"
            "is nodig: het bedrijf heeft er ook geen"
            "wird gebraucht: auch das Unternehmen hat keine"
        NoRowInOrder "no row is in order" "geen rij is in orde" "keine Zeile ist in Ordnung"
        NoRows
            "must have a heading and at least one row"
            "moet een kop en minstens één rij hebben"
            "muss eine Kopfzeile und mindestens eine Zeile haben"
        NotCellDate
            "must be a date, such as 2026-11-24"
            "moet een datum zijn, zoals 24-11-2026"
            "muss ein Datum sein, etwa 24.11.2026"
        NotChecked
            "must be checked, and not started"
            "moet gecontroleerd zijn en nog niet gestart"
            "muss geprüft und noch nicht gestartet sein"
        NotCsv
            "must be rows of cells, as spreadsheets save them"
            "moet een spreadsheet als CSV zijn"
            "muss eine Tabelle als CSV sein"
        NotDone "must be done" "moet klaar zijn" "muss fertig sein"
        NotFieldOfWords
            "must be a field that says one of a few things"
            "moet een veld met een paar vaste waarden zijn"
            "muss ein Feld mit wenigen festen Werten sein"
        OpenQuote { line: u64 }
            "must close every quote: that of line {line} is not"
            "moet elk aanhalingsteken sluiten: dat van regel {line} staat open"
            "muss jedes Anführungszeichen schließen: das in Zeile {line} ist offen"
        OtherColumnCount { count: usize }
            "must be {count}, one for each column of the file"
            "moeten er {count} zijn, één per kolom"
            "müssen {count} sein, eine je Spalte"
        SameAsLine { line: i64 }
            "is that of line {line}, too"
            "staat ook op regel {line}"
            "steht auch in Zeile {line}"
        TooManyCells { line: u64 }
            "must have no more cells than columns: line {line} has"
            "mag niet meer cellen dan kolommen hebben: regel {line} heeft dat"
            "darf nicht mehr Zellen als Spalten haben: Zeile {line} hat das"
        TooManyColumns { max: usize }
            "must have at most {max} columns"
            "mag hoogstens {max} kolommen hebben"
            "darf höchstens {max} Spalten haben"
        TooManyImports { max: i64 }
            "must be one of at most {max} in 30 days: forget some that are over"
            "er mogen er hoogstens {max} in 30 dagen zijn: verwijder er die klaar zijn"
            "es dürfen höchstens {max} in 30 Tagen sein: verwerfen Sie erledigte"
        TooManyRows { max: usize }
            "must have at most {max} rows: import it in parts"
            "mag hoogstens {max} rijen hebben: importeer in delen"
            "darf höchstens {max} Zeilen haben: importieren Sie in Teilen"
        UnknownClientEmail
            "must be the e-mail address of a client"
            "moet het e-mailadres van een klant zijn"
            "muss die E-Mail-Adresse eines Kunden sein"
        UnknownCoachName
            "must be a coach's name or e-mail address"
            "moet de naam of het e-mailadres van een coach zijn"
            "muss Name oder E-Mail-Adresse eines Coaches sein"
        UnknownColumn { name: String, fields: String }
            "{name} is none of {fields}"
            "{name} hoort niet bij {fields}"
            "{name} gehört nicht zu {fields}"
        UnknownLocationName
            "must be a location's name"
            "moet de naam van een locatie zijn"
            "muss der Name eines Standorts sein"
        UnknownMeaning { words: String }
            "must be one of {words}, or - to leave it out"
            "moet een van {words} zijn, of - om het weg te laten"
            "muss eines von {words} sein, oder -, um es wegzulassen"
        UnknownMembershipName
            "must be the name of a membership that is sold"
            "moet de naam zijn van een lidmaatschap dat te koop is"
            "muss der Name einer angebotenen Mitgliedschaft sein"
    }
}
