//! The rules of forms, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of forms that a request broke.
    pub enum FormRule {
        AnswerOutOfRange { min: String, max: String }
            "must be {min} to {max}"
            "moet {min} tot {max} zijn"
            "muss {min} bis {max} sein"
        AnswerTooLarge { max: String }
            "must be {max} or less"
            "moet {max} of minder zijn"
            "muss {max} oder weniger sein"
        AnswerTooSmall { min: String }
            "must be {min} or more"
            "moet {min} of meer zijn"
            "muss {min} oder mehr sein"
        BeforeDueAt
            "must not be before dueAt"
            "mag niet voor de inleverdatum liggen"
            "darf nicht vor dem Abgabetermin liegen",
            page "must not be before the due date"
        BelowMin
            "must not be below min"
            "mag niet onder het minimum liggen"
            "darf nicht unter dem Minimum liegen"
        BoundOfOtherQuestion
            "must be absent but for number, scale and multi_choice"
            "moet leeg zijn, behalve bij getal, schaal en meerkeuze"
            "muss außer bei Zahl, Skala und Mehrfachauswahl leer sein"
        ConditionOnStatement
            "must be a question that is answered"
            "moet een vraag zijn die beantwoord wordt"
            "muss eine Frage sein, die beantwortet wird"
        DraftTooLarge { max: usize }
            "must be at most {max} bytes as JSON"
            "mag hoogstens {max} bytes als JSON zijn"
            "darf höchstens {max} Bytes als JSON sein"
        ExpiryOfRecurring
            "must be absent where it recurs: it expires as the next is given"
            "moet leeg zijn bij herhaling: het verloopt als het volgende komt"
            "muss bei Wiederholung leer sein: es läuft ab, wenn das nächste kommt"
        HealthOfGeneral
            "must be absent from general forms: intakes and check-ups ask about health"
            "moet leeg zijn bij algemene formulieren: intakes en check-ups gaan over gezondheid"
            "muss bei allgemeinen Formularen leer sein: Aufnahmen und Check-ups fragen nach der Gesundheit"
        LengthOfOtherQuestion
            "must be absent but for text"
            "moet leeg zijn, behalve bij tekst"
            "muss außer bei Text leer sein"
        MoreThanOptions
            "must be, and min, as many as there are options at most"
            "mag hoogstens het aantal opties zijn"
            "darf höchstens die Zahl der Möglichkeiten sein"
        NoOption
            "must be at least one option"
            "moet minstens één optie zijn"
            "muss mindestens eine Möglichkeit sein"
        NotAfterToday
            "must be after today, where the client is"
            "moet na vandaag liggen, waar de klant is"
            "muss nach heute liegen, wo der Kunde ist"
        NotAgreed "must be true" "moet aangevinkt zijn" "muss angekreuzt sein"
        NotAnswerDate
            "must be a date YYYY-MM-DD"
            "moet een datum zijn, zoals 31-01-2026"
            "muss ein Datum sein, etwa 31.01.2026",
            page "must be a date"
        NotAnswerable "must be assigned or in_progress" "moet nog open staan" "muss noch offen sein"
        NotAnswered "must be answered" "moet beantwoord worden" "muss beantwortet werden"
        NotEarlierQuestion
            "must be a question before this one"
            "moet een vraag vóór deze zijn"
            "muss eine Frage vor dieser sein"
        NotFileAnswer
            "must be {{uploadId}} or {{fileId}}"
            "moet {{uploadId}} of {{fileId}} zijn"
            "muss {{uploadId}} oder {{fileId}} sein"
        NotForm "must be a form" "moet een formulier zijn" "muss ein Formular sein"
        NotFreshUpload
            "must be a file that you have sent to /uploads, not used yet"
            "kies een bestand"
            "eine Datei auswählen"
        NotListOfValues
            "must be a list of 1 to 50 values of the question's kind"
            "moet een lijst van 1 tot 50 waarden van deze vraag zijn"
            "muss eine Liste von 1 bis 50 Werten dieser Frage sein"
        NotMeasurement
            "must be {{value, unit}}, or {{components: {{systolic, diastolic}}}}"
            "moet {{value, unit}} zijn, of {{components: {{systolic, diastolic}}}}"
            "muss {{value, unit}} sein, oder {{components: {{systolic, diastolic}}}}"
        NotOptionId
            "must be the optionId of one of the question's options"
            "moet een van de opties zijn"
            "muss eine der Möglichkeiten sein"
        NotOptionIds
            "must be a list of optionIds"
            "moet een lijst van opties zijn"
            "muss eine Liste von Möglichkeiten sein"
        NotPublishedForm
            "must be a form that is published"
            "moet een gepubliceerd formulier zijn"
            "muss ein veröffentlichtes Formular sein"
        NotReopenable
            "must be submitted, reviewed or expired"
            "moet ingeleverd, bekeken of verlopen zijn"
            "muss abgegeben, durchgesehen oder abgelaufen sein"
        NotSubmitted "must be submitted or reviewed" "moet ingeleverd zijn" "muss abgegeben sein"
        NotWholeAnswer
            "must be a whole number"
            "moet een heel getal zijn"
            "muss eine ganze Zahl sein"
        NothingAsked
            "must have at least one that is answered"
            "moet minstens één vraag hebben"
            "muss mindestens eine Frage haben"
        OptionTwice
            "must name each option once"
            "mag elke optie één keer noemen"
            "darf jede Möglichkeit einmal nennen"
        OptionsOfOtherQuestion
            "must be absent but for single_choice and multi_choice"
            "moet leeg zijn, behalve bij keuzevragen"
            "muss außer bei Auswahlfragen leer sein"
        OtherCompanysForm
            "must be one of the company's forms"
            "moet een van je formulieren zijn"
            "muss eines Ihrer Formulare sein"
        OtherFile
            "must be a file that was answered with before"
            "moet een bestand zijn waarmee eerder is geantwoord"
            "muss eine Datei sein, mit der schon geantwortet wurde"
        OtherFormKind { kind: String }
            "must be a form of the kind {kind}"
            "moet een formulier van de soort {kind} zijn"
            "muss ein Formular der Art {kind} sein"
        OtherKindOfValue
            "must be a value of the question's kind"
            "past niet bij deze vraag"
            "passt nicht zu dieser Frage"
        QuestionIdTaken { kind: &'static str }
            "must be another one: it was that of a question of the type {kind}"
            "moet een andere zijn: deze was van een vraag van de soort {kind}"
            "muss eine andere sein: diese gehörte einer Frage der Art {kind}"
        ReopenedTooOften { max: i64 }
            "must have been submitted at most {max} times"
            "mag hoogstens {max} keer ingeleverd zijn"
            "darf höchstens {max}-mal abgegeben worden sein"
        ScaleBoundRequired
            "must be present with min for a scale"
            "is verplicht bij een schaal"
            "muss bei einer Skala angegeben werden"
        ScaleTooWide
            "must be 1 to 100 above min, of a scale"
            "moet bij een schaal 1 tot 100 boven het minimum liggen"
            "muss bei einer Skala 1 bis 100 über dem Minimum liegen"
        StatementAnswered
            "must be absent: nothing is asked"
            "moet leeg zijn: er wordt niets gevraagd"
            "muss leer sein: es wird nichts gefragt"
        StatementRequired
            "must be absent, or false, of a statement"
            "moet leeg of onwaar zijn bij een mededeling"
            "muss bei einem Hinweis leer oder falsch sein"
        TenYears
            "must be within ten years"
            "moet binnen tien jaar liggen"
            "muss innerhalb von zehn Jahren liegen"
        TooFewChosen { min: f64 }
            "must be at least {min} options"
            "moeten minstens {min} opties zijn"
            "müssen mindestens {min} Möglichkeiten sein"
        TooLongAnswer { most: i64 }
            "must be at most {most} characters"
            "mag hoogstens {most} tekens hebben"
            "darf höchstens {most} Zeichen haben"
        TooManyChosen { max: f64 }
            "must be at most {max} options"
            "mag hoogstens {max} opties zijn"
            "darf höchstens {max} Möglichkeiten sein"
        TooManyForms { max: i64 }
            "must be one of at most {max} forms that are not archived"
            "er mogen hoogstens {max} niet gearchiveerde formulieren zijn"
            "es dürfen höchstens {max} nicht archivierte Formulare sein"
        TooManyOpenForms { max: i64 }
            "must have at most {max} forms that are not answered yet"
            "er mogen hoogstens {max} onbeantwoorde formulieren zijn"
            "es dürfen höchstens {max} unbeantwortete Formulare sein"
        TooManyQuestionIds { max: usize }
            "must have had at most {max} ids in all versions"
            "mag in alle versies samen hoogstens {max} vragen hebben"
            "darf in allen Fassungen zusammen höchstens {max} Fragen haben"
        TooManySeries { max: i64 }
            "must have at most {max} series of check-ups that go on"
            "er mogen hoogstens {max} lopende reeksen check-ups zijn"
            "es dürfen höchstens {max} laufende Check-up-Reihen sein"
        TooManyVersions { max: i64 }
            "must be of at most {max} versions"
            "mag hoogstens {max} versies hebben"
            "darf höchstens {max} Fassungen haben"
        TypeOfOtherQuestion
            "must be absent but for measurement"
            "moet leeg zijn, behalve bij een meting"
            "muss außer bei einer Messung leer sein"
        UnknownOperator
            "must be one that the question's type knows"
            "past niet bij de soort van de vraag"
            "passt nicht zur Art der Frage"
        UnknownQuestion
            "must be the answer to a question of the form"
            "moet het antwoord op een vraag van het formulier zijn"
            "muss die Antwort auf eine Frage des Formulars sein"
    }
}
