//! The rules of workout plans and sessions, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of workout plans and sessions that a request broke.
    pub enum TrainingRule {
        BeforeStartedAt
            "must not be before startedAt"
            "mag niet voor het begin liggen"
            "darf nicht vor dem Beginn liegen",
            page "must not be before the start"
        BelowReps
            "must not be below reps"
            "mag niet onder reps liggen"
            "darf nicht unter reps liegen"
        BodyWeightConsent
            "must be absent: it takes measurements:write, and the client's consent where the company asks for it"
            "moet leeg zijn: het vraagt measurements:write, en de toestemming van de klant waar je bedrijf die vraagt"
            "muss leer sein: es braucht measurements:write, und die Einwilligung des Kunden, wo Ihr Unternehmen sie verlangt"
        DateOfSequence
            "must be absent: a recurring sequence has no dates"
            "moet leeg zijn: dit programma heeft geen datums"
            "muss leer sein: dieses Programm hat keine Daten"
        DayNotDue
            "must be a date on which the day is due"
            "moet een dag zijn waarop dit gepland staat"
            "muss ein Tag sein, an dem dies geplant ist"
        EmptyFeedback
            "must have at least one of rating, difficulty, emojiRating and notes"
            "vul minstens één antwoord in"
            "geben Sie mindestens eine Antwort",
            page "answer at least one question"
        EmptySet
            "must have reps, a duration or a distance"
            "moet herhalingen, een duur of een afstand hebben"
            "muss Wiederholungen, eine Dauer oder eine Strecke haben"
        EquipmentKeyTaken
            "must not make the same key as another item"
            "heeft dezelfde sleutel als een ander"
            "hat denselben Schlüssel wie ein anderes"
        GroupTooLarge { max: usize }
            "must leave the group with at most {max} members"
            "er mogen hoogstens {max} in de groep zijn"
            "es dürfen höchstens {max} in der Gruppe sein"
        LastWeek
            "must not be the last remaining week"
            "mag niet de laatste week zijn"
            "darf nicht die letzte Woche sein"
        MovedToPlanned
            "must not be the planned date; delete the move to restore it"
            "mag niet de geplande dag zijn; verwijder de verplaatsing om die te herstellen"
            "darf nicht der geplante Tag sein; löschen Sie die Verschiebung, um ihn wiederherzustellen"
        MovedTooFar { days: i64 }
            "must be at most {days} days away"
            "mag hoogstens {days} dagen weg zijn"
            "darf höchstens {days} Tage entfernt sein"
        NoDay
            "must have a day before it is published"
            "moet een dag hebben voor het wordt gepubliceerd"
            "muss vor dem Veröffentlichen einen Tag haben"
        NoWeeks
            "must be a template, or a client's multi-week plan on the calendar"
            "moet een sjabloon zijn, of een plan van meer weken op de kalender"
            "muss eine Vorlage sein, oder ein mehrwöchiger Plan im Kalender"
        NotClient "must be a client" "moet een klant zijn" "muss ein Kunde sein"
        NotEveryDay
            "must name every day of the plan"
            "moet elke dag van het plan noemen"
            "muss jeden Tag des Plans nennen"
        NotEveryDayOnce
            "must name every day of the plan exactly once"
            "moet elke dag van het plan precies één keer noemen"
            "muss jeden Tag des Plans genau einmal nennen"
        NotMonday
            "must be a Monday: the plan's weeks start on it"
            "moet een maandag zijn: daar beginnen de weken"
            "muss ein Montag sein: dort beginnen die Wochen"
        NotPublished "must be published" "moet gepubliceerd zijn" "muss veröffentlicht sein"
        NotRpe
            "must be 1 to 10 in steps of 0.5"
            "moet 1 tot 10 zijn, in stappen van 0,5"
            "muss 1 bis 10 sein, in Schritten von 0,5"
        NotTempo
            "must be a tempo such as 3-1-X-0"
            "moet een tempo zijn, zoals 3-1-X-0"
            "muss ein Tempo sein, etwa 3-1-X-0"
        NotWeight
            "must be 0 to 2000 kg (4409.25 lb)"
            "moet 0 tot 2000 kg zijn"
            "muss 0 bis 2000 kg sein"
        OtherClient
            "must be the client of the path"
            "moet de klant van het pad zijn"
            "muss der Kunde des Pfads sein"
        OtherDay
            "must be a day of the plan"
            "moet een dag van het plan zijn"
            "muss ein Tag des Plans sein"
        OtherPlan
            "must be a plan of the client"
            "moet een plan van de klant zijn"
            "muss ein Plan des Kunden sein"
        OutsideTwoCenturies
            "must be from 2000-01-01 to 2199-12-31"
            "moet van 2000-01-01 tot 2199-12-31 zijn"
            "muss vom 2000-01-01 bis 2199-12-31 sein"
        SessionTooLong
            "must be at most 24 hours after startedAt"
            "mag hoogstens 24 uur na het begin liggen"
            "darf höchstens 24 Stunden nach dem Beginn liegen",
            page "must be at most 24 hours after the start"
        StarterLibrary
            "must not be one of the starter library, which cannot be changed"
            "mag geen oefening uit de startbibliotheek zijn: die blijven zoals ze zijn"
            "darf keine der Grundausstattung sein: die bleiben, wie sie sind"
        SupersetApart
            "must be next to the other exercises of its superset"
            "moet naast de andere oefeningen van de superset staan"
            "muss neben den anderen Übungen des Supersatzes stehen"
        TooManyDays { days_max: usize }
            "must have at most {days_max} days"
            "mag hoogstens {days_max} dagen hebben"
            "darf höchstens {days_max} Tage haben"
        TooManyItems { max: i64 }
            "must be at most {max} items"
            "mogen er hoogstens {max} zijn"
            "darf höchstens {max} Einträge haben"
        TooManyMoves { max: i64 }
            "must have at most {max} moves"
            "er mogen hoogstens {max} verplaatsingen zijn"
            "es dürfen höchstens {max} Verschiebungen sein"
        TooManyPlans { max: i64 }
            "must have at most {max} plans"
            "er mogen hoogstens {max} plannen zijn"
            "es dürfen höchstens {max} Pläne sein"
        TooManyWeeks
            "must be at most 52 in a plan"
            "er mogen hoogstens 52 weken zijn"
            "es dürfen höchstens 52 Wochen sein"
        UnknownEquipment
            "must be the key of a piece of equipment"
            "moet de sleutel van een toestel zijn"
            "muss der Schlüssel eines Geräts sein"
        UnknownExercise
            "must be an exercise of the libraries"
            "moet een oefening uit de bibliotheek zijn"
            "muss eine Übung der Bibliothek sein"
        UnknownTemplate
            "must be a template of the company"
            "moet een van je programma’s zijn"
            "muss eines Ihrer Programme sein"
        UnknownWeek
            "must be a week of the plan"
            "moet een week van het plan zijn"
            "muss eine Woche des Plans sein"
        WeekNotReleased
            "must be in a week that is released"
            "die week is nog niet open"
            "diese Woche ist noch nicht offen"
        WeekTooFull
            "must leave at most 7 days in each week of a sequence"
            "mag geen week van een programma meer dan 7 dagen geven, die een per dag komen"
            "darf keine Woche einer Folge mit mehr als 7 Tagen lassen, die einer am Tag fällig sind"
        WeekdayOfSequence
            "must be absent: the plan is a sequence"
            "moet leeg zijn: dit programma heeft geen weekdagen"
            "muss leer sein: dieses Programm hat keine Wochentage"
        WeekdayRequired
            "is required: the plan lies on the calendar"
            "is verplicht: het programma ligt op de kalender"
            "muss angegeben werden: das Programm liegt auf dem Kalender"
        WithPlan
            "must come with planId"
            "hoort bij een programma"
            "gehört zu einem Programm",
            page "belongs to a programme"
        WithPlanMoment
            "must come with planMomentId"
            "hoort bij een training van het programma"
            "gehört zu einer Einheit des Programms",
            page "belongs to a workout of the programme"
        WorkoutBegun
            "must not be begun or done already"
            "mag niet al begonnen of gedaan zijn"
            "darf nicht schon begonnen oder erledigt sein"
    }
}
