//! The rules of goals, habits, measurements and nutrition, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of goals, habits, measurements and nutrition that a request broke.
    pub enum ProgressRule {
        AboveSystolic
            "must be below components.systolic"
            "moet onder de bovendruk liggen"
            "muss unter dem systolischen Wert liegen"
        AboveWhole { of: &'static str }
            "must be at most {of}"
            "mag hoogstens {of} zijn"
            "darf höchstens {of} sein"
        AchievedGoal
            "must be active: reopen an achieved goal first"
            "moet actief zijn: een bereikt doel wordt eerst heropend"
            "muss aktiv sein: ein erreichtes Ziel wird zuerst wieder geöffnet"
        AmountOfCheck
            "must be absent for a habit of kind check"
            "moet leeg zijn bij een afvink-gewoonte"
            "muss bei einer Abhak-Gewohnheit leer sein"
        AmountRequired
            "is required unless status is skipped"
            "is verplicht, behalve bij overgeslagen"
            "muss angegeben werden, außer bei übersprungen"
        BeforeStartDate
            "must not be before startDate"
            "mag niet voor de startdatum liggen"
            "darf nicht vor dem Startdatum liegen"
        BeyondTenYears
            "must be within ten years of today"
            "moet binnen tien jaar vanaf vandaag liggen"
            "muss innerhalb von zehn Jahren ab heute liegen"
        BeyondYear
            "must be within a year of today"
            "moet binnen een jaar vanaf vandaag liggen"
            "muss innerhalb eines Jahres ab heute liegen"
        ChangedTooOften
            "must not have changed so often"
            "is te vaak gewijzigd"
            "wurde zu oft geändert"
        ClosedGoal
            "must be abandoned, or active for one that was missed or abandoned"
            "moet gestopt zijn, of actief na gemist of gestopt"
            "muss aufgegeben sein, oder aktiv nach verfehlt oder aufgegeben"
        ComponentsRequired
            "is required in place of value"
            "vul boven- en onderdruk in"
            "geben Sie den oberen und den unteren Wert an",
            page "enter both values of the blood pressure"
        DirectionOfCounted
            "must be increase, or absent, where it is counted"
            "moet increase zijn, of leeg, als er geteld wordt"
            "muss increase oder leer sein, wo gezählt wird"
        EatenLongAgo
            "must be at most 365 days ago"
            "mag hoogstens 365 dagen geleden zijn"
            "darf höchstens 365 Tage her sein"
        FollowsCounted
            "must be absent: it follows what it is counted by"
            "moet leeg zijn: het volgt wat er geteld wordt"
            "muss leer sein: es folgt dem, was gezählt wird"
        ForeignGoal
            "Only staff can change a goal that a coach has set."
            "Alleen het team kan een doel van een coach wijzigen."
            "Nur das Team kann ein Ziel ändern, das ein Coach gesetzt hat."
        ForeignHabit
            "Only staff can change a habit that a coach has set."
            "Alleen het team kan een gewoonte van een coach wijzigen."
            "Nur das Team kann eine Gewohnheit ändern, die ein Coach gesetzt hat."
        ForeignMeasurement
            "Only staff can change a measurement that a coach has recorded."
            "Alleen het team kan een meting van een coach wijzigen."
            "Nur das Team kann eine Messung ändern, die ein Coach erfasst hat."
        GivenOfCounted
            "must be absent where it is counted"
            "moet leeg zijn als er geteld wordt"
            "muss leer sein, wo gezählt wird"
        InFutureOfClient
            "must not be in the future where the client is"
            "mag niet in de toekomst liggen, waar de klant is"
            "darf nicht in der Zukunft liegen, wo der Kunde ist"
        MeasuredBefore1900
            "must be from 1900 on"
            "moet van 1900 of later zijn"
            "muss von 1900 an sein"
        MeasurementTypeTaken { name: String }
            "must be another one than that of the type {name}"
            "moet anders zijn dan die van de soort {name}"
            "muss eine andere als die der Art {name} sein"
        Negative "must be 0 or more" "moet 0 of meer zijn" "muss 0 oder mehr sein"
        NotAboveMinimum
            "must be above minimum, at most 1000000000"
            "moet boven minimum liggen, en hoogstens 1000000000 zijn"
            "muss über minimum liegen, höchstens 1000000000"
        NotMeasurementSource
            "must be device or import, or absent"
            "moet device of import zijn, of leeg"
            "muss device oder import sein, oder leer"
        NotOwnMeasurementType
            "must be one of the company's own"
            "moet een eigen soort van je bedrijf zijn"
            "muss eine eigene Art Ihres Unternehmens sein"
        NotProgressPhoto
            "must be an unused picture that you uploaded with purpose=progress_photo"
            "moet een foto zijn die je met purpose=progress_photo hebt verstuurd en nog niet gebruikt"
            "muss ein Bild sein, das Sie mit purpose=progress_photo gesendet und nicht benutzt haben"
        NotWeekdays
            "must be 1 to 7 of the weekdays 1 to 7"
            "moeten 1 tot 7 van de weekdagen 1 tot 7 zijn"
            "müssen 1 bis 7 der Wochentage 1 bis 7 sein"
        OnlyToMaintain
            "must come with the direction maintain"
            "hoort bij de richting maintain"
            "gehört zur Richtung maintain"
        OnlyWithTimesPerWeek
            "must come with times_per_week alone"
            "hoort alleen bij times_per_week"
            "gehört nur zu times_per_week"
        OnlyWithWeekdays
            "must come with weekdays alone"
            "hoort alleen bij weekdays"
            "gehört nur zu weekdays"
        OtherClientsHabit
            "must be a habit of the client"
            "moet een gewoonte van deze klant zijn"
            "muss eine Gewohnheit dieses Kunden sein"
        OtherMeasurementType
            "must be absent for this type"
            "moet leeg zijn bij deze soort"
            "muss bei dieser Art leer sein"
        OtherUnit { unit: String } "must be {unit}" "moet {unit} zijn" "muss {unit} sein"
        OtherUnits { metric: String, imperial: String }
            "must be {metric} ({imperial})"
            "moet {metric} ({imperial}) zijn"
            "muss {metric} ({imperial}) sein"
        OutsideHabit
            "must be from the habit's startDate to its endDate"
            "moet van de start tot het einde van de gewoonte liggen"
            "muss vom Beginn bis zum Ende der Gewohnheit liegen"
        PausedTooOften
            "must not have been paused so often"
            "is te vaak gepauzeerd"
            "wurde zu oft pausiert"
        SeveralValues
            "must be a type with one value"
            "moet een soort met één waarde zijn"
            "muss eine Art mit einem Wert sein"
        SkippedWithAmount
            "must be skipped without an amount, or absent"
            "moet overgeslagen zonder hoeveelheid zijn, of leeg"
            "muss übersprungen ohne Menge sein, oder leer"
        StartOfCounted
            "must be absent where it is counted from nothing"
            "moet leeg zijn als vanaf nul wordt geteld"
            "muss leer sein, wenn von null gezählt wird"
        StartUnknown
            "is required if the start value is unknown"
            "is verplicht als de beginwaarde onbekend is"
            "muss angegeben werden, wenn der Anfangswert unbekannt ist"
        TargetAboveStart
            "must be below the value that it begins with, to decrease"
            "moet onder de beginwaarde liggen, om af te nemen"
            "muss unter dem Anfangswert liegen, um abzunehmen"
        TargetBelowStart
            "must be above the value that it begins with, to increase"
            "moet boven de beginwaarde liggen, om toe te nemen"
            "muss über dem Anfangswert liegen, um zuzunehmen"
        TargetIsStart
            "must be another value than the one that it begins with"
            "moet een andere waarde zijn dan het begin"
            "muss ein anderer Wert als der Anfang sein"
        TooLongAgo { days: i64 }
            "must be at most {days} days ago"
            "mag hoogstens {days} dagen geleden zijn"
            "darf höchstens {days} Tage her sein"
        TooManyGoals { max: i64 }
            "must have at most {max} active goals"
            "er mogen hoogstens {max} actieve doelen zijn"
            "es dürfen höchstens {max} aktive Ziele sein"
        TooManyHabits { max: usize }
            "must have at most {max} habits; archive one"
            "er mogen hoogstens {max} gewoontes zijn; archiveer er een"
            "es dürfen höchstens {max} Gewohnheiten sein; archivieren Sie eine"
        TooManyMeals { max: i64 }
            "must have at most {max} meals"
            "er mogen hoogstens {max} maaltijden zijn"
            "es dürfen höchstens {max} Mahlzeiten sein"
        TooManyMeasurementTypes { max: usize }
            "must be one of at most {max} types of your own"
            "er mogen hoogstens {max} eigen soorten zijn"
            "es dürfen höchstens {max} eigene Arten sein"
        TooManyPhotos { max: i64 }
            "must have at most {max} photos"
            "er mogen hoogstens {max} foto’s zijn"
            "es dürfen höchstens {max} Fotos sein"
        UnitAlone
            "must come with value or components"
            "hoort bij een waarde"
            "gehört zu einem Wert",
            page "belongs to a value"
        UnitOfUnitless { kind: String }
            "must be absent: {kind} has none"
            "moet leeg zijn: {kind} heeft er geen"
            "muss leer sein: {kind} hat keine"
        UnknownMeasurementType
            "must be a type of GET /measurement-types"
            "kies wat er gemeten is"
            "wählen Sie, was gemessen wurde",
            page "choose what is measured"
    }
}
