//! What modules of assistants are called, and what each lets them read and change, by the module's key. The English words are those that
//! operations know, too.

use super::{Locale, Strings};

/// A module in words: English, Dutch, German.
struct Words {
    key: &'static str,
    title: [&'static str; 3],
    reads: [&'static str; 3],
    changes: [&'static str; 3],
}

impl Strings {
    fn among(self, words: &'static [&'static str; 3]) -> &'static str {
        match self.0 {
            Locale::English => words[0],
            Locale::Dutch => words[1],
            Locale::German => words[2],
        }
    }

    fn words_of(self, key: &str) -> Option<&'static Words> {
        MODULES.iter().find(|module| module.key == key)
    }

    /// What a module is called.
    pub fn module(self, key: &str) -> &'static str {
        self.words_of(key).map_or("", |words| self.among(&words.title))
    }

    /// What a module lets assistants read; empty where it is nothing.
    pub fn module_reads(self, key: &str) -> &'static str {
        self.words_of(key).map_or("", |words| self.among(&words.reads))
    }

    /// What a module lets assistants change; empty where it is nothing.
    pub fn module_changes(self, key: &str) -> &'static str {
        self.words_of(key).map_or("", |words| self.among(&words.changes))
    }
}

const MODULES: &[Words] = &[
    Words {
        key: "clients",
        title: ["Clients", "Klanten", "Kunden"],
        reads: [
            "Names, contact details, tags, status and history of your clients",
            "Namen, contactgegevens, tags, status en geschiedenis van je klanten",
            "Namen, Kontaktdaten, Tags, Status und Verlauf Ihrer Kunden",
        ],
        changes: [
            "Create, update, archive and restore clients; assign coaches; set tags",
            "Klanten maken, wijzigen, archiveren en terugzetten; coaches toewijzen; tags zetten",
            "Kunden anlegen, ändern, archivieren und wiederherstellen; Coaches zuweisen; Tags setzen",
        ],
    },
    Words {
        key: "calendar_events",
        title: ["Calendar", "Agenda", "Kalender"],
        reads: [
            "Events in the company's calendar",
            "Wat er in de agenda van het bedrijf staat",
            "Was im Kalender des Unternehmens steht",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "bookings",
        title: ["Bookings", "Boekingen", "Buchungen"],
        reads: [
            "Who has booked what, and what can be booked",
            "Wie wat heeft geboekt en wat geboekt kan worden",
            "Wer was gebucht hat und was gebucht werden kann",
        ],
        changes: [
            "Make, move and cancel bookings; say who came; decide requests",
            "Boekingen maken, verzetten en annuleren; zeggen wie er was; over verzoeken beslissen",
            "Buchungen anlegen, verschieben und stornieren; Anwesenheit erfassen; über Anfragen entscheiden",
        ],
    },
    Words {
        key: "subscriptions",
        title: ["Memberships", "Lidmaatschappen", "Mitgliedschaften"],
        reads: [
            "Memberships that renew themselves",
            "Lidmaatschappen die zich verlengen",
            "Mitgliedschaften, die sich verlängern",
        ],
        changes: [
            "Ask for pauses and cancellations",
            "Pauzes en opzeggingen aanvragen",
            "Pausen und Kündigungen anfragen",
        ],
    },
    Words {
        key: "credits",
        title: ["Credits", "Credits", "Credits"],
        reads: ["Credits of your clients", "Credits van je klanten", "Credits Ihrer Kunden"],
        changes: ["Adjust credits", "Credits aanpassen", "Credits anpassen"],
    },
    Words {
        key: "invoices",
        title: ["Invoices", "Facturen", "Rechnungen"],
        reads: ["Invoices and their status", "Facturen en hun status", "Rechnungen und ihr Stand"],
        changes: [
            "Send reminders and copies",
            "Herinneringen en kopieën sturen",
            "Erinnerungen und Kopien senden",
        ],
    },
    Words {
        key: "recurring_bookings",
        title: ["Recurring bookings", "Terugkerende boekingen", "Wiederkehrende Buchungen"],
        reads: ["Series of bookings", "Reeksen van boekingen", "Serien von Buchungen"],
        changes: [
            "Change and cancel series",
            "Reeksen wijzigen en annuleren",
            "Serien ändern und absagen",
        ],
    },
    Words {
        key: "event_templates",
        title: ["Event templates", "Sjablonen van lessen", "Kursvorlagen"],
        reads: ["Templates of events", "Sjablonen van lessen", "Vorlagen von Kursen"],
        changes: [
            "Change templates of events",
            "Sjablonen van lessen wijzigen",
            "Vorlagen von Kursen ändern",
        ],
    },
    Words {
        key: "calendar_tasks",
        title: ["Calendar tasks", "Taken in de agenda", "Aufgaben im Kalender"],
        reads: [
            "Tasks in coaches' calendars",
            "Taken in de agenda's van coaches",
            "Aufgaben in den Kalendern der Coaches",
        ],
        changes: [
            "Create, change and cancel tasks",
            "Taken maken, wijzigen en annuleren",
            "Aufgaben anlegen, ändern und absagen",
        ],
    },
    Words {
        key: "measurements",
        title: ["Measurements", "Metingen", "Messungen"],
        reads: [
            "Body measurements of your clients: health data",
            "Lichaamsmetingen van je klanten: gezondheidsgegevens",
            "Körpermessungen Ihrer Kunden: Gesundheitsdaten",
        ],
        changes: [
            "Record, correct and delete measurements",
            "Metingen vastleggen, verbeteren en verwijderen",
            "Messungen aufnehmen, berichtigen und löschen",
        ],
    },
    Words {
        key: "goals",
        title: ["Goals", "Doelen", "Ziele"],
        reads: [
            "Goals of your clients: health data",
            "Doelen van je klanten: gezondheidsgegevens",
            "Ziele Ihrer Kunden: Gesundheitsdaten",
        ],
        changes: ["Set and change goals", "Doelen stellen en wijzigen", "Ziele setzen und ändern"],
    },
    Words {
        key: "nutrition_logs",
        title: ["Nutrition logs", "Voeding", "Ernährung"],
        reads: [
            "What your clients eat: health data",
            "Wat je klanten eten: gezondheidsgegevens",
            "Was Ihre Kunden essen: Gesundheitsdaten",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "client_notes",
        title: ["Notes about clients", "Notities over klanten", "Notizen über Kunden"],
        reads: [
            "Notes that coaches keep about clients",
            "Notities die coaches over klanten maken",
            "Notizen, die Coaches über Kunden machen",
        ],
        changes: [
            "Write, change and delete notes",
            "Notities schrijven, wijzigen en verwijderen",
            "Notizen schreiben, ändern und löschen",
        ],
    },
    Words {
        key: "locations",
        title: ["Locations", "Locaties", "Standorte"],
        reads: [
            "Your locations and their opening hours",
            "Je locaties en hun openingstijden",
            "Ihre Standorte und deren Öffnungszeiten",
        ],
        changes: [
            "Create, change and archive locations",
            "Locaties maken, wijzigen en archiveren",
            "Standorte anlegen, ändern und archivieren",
        ],
    },
    Words {
        key: "products",
        title: ["Products", "Producten", "Produkte"],
        reads: [
            "What you sell, and for how much",
            "Wat je verkoopt en voor hoeveel",
            "Was Sie verkaufen und für wie viel",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "sales",
        title: ["Sales", "Verkoop", "Verkauf"],
        reads: [
            "Purchases of your clients",
            "Wat je klanten hebben gekocht",
            "Was Ihren Kunden verkauft wurde",
        ],
        changes: [
            "Sell products and memberships; revoke sales",
            "Producten en lidmaatschappen verkopen; verkopen terugnemen",
            "Produkte und Mitgliedschaften verkaufen; Verkauftes zurücknehmen",
        ],
    },
    Words {
        key: "payments",
        title: ["Payments", "Betalingen", "Zahlungen"],
        reads: [
            "Payments, chargebacks and requests to pay",
            "Betalingen, storneringen en betaalverzoeken",
            "Zahlungen, Rückbuchungen und Zahlungsanfragen",
        ],
        changes: [
            "Create and cancel payment requests",
            "Klanten vragen te betalen en dat intrekken",
            "Kunden um Zahlung bitten und das zurückziehen",
        ],
    },
    Words {
        key: "refunds",
        title: ["Refunds", "Terugbetalingen", "Erstattungen"],
        reads: ["Payments and invoices", "Betalingen en facturen", "Zahlungen und Rechnungen"],
        changes: [
            "Refund payments and credit invoices",
            "Geld terugbetalen en crediteren wat gefactureerd is",
            "Geld erstatten und gutschreiben, was abgerechnet wurde",
        ],
    },
    Words {
        key: "workouts",
        title: ["Workouts", "Trainingen", "Training"],
        reads: [
            "Exercises, programmes, clients' plans, sessions and progress",
            "Oefeningen, programma's, plannen, sessies en voortgang van klanten",
            "Übungen, Programme, Pläne, Einheiten und Fortschritt der Kunden",
        ],
        changes: [
            "Assign programmes and record sessions",
            "Klanten programma's geven en hun sessies vastleggen",
            "Kunden Programme geben und ihre Einheiten aufnehmen",
        ],
    },
    Words {
        key: "workout_programmes",
        title: ["Workout programmes", "Trainingsprogramma's", "Trainingsprogramme"],
        reads: [
            "Exercises, equipment and programmes with their days",
            "Oefeningen, materiaal en programma's met hun dagen",
            "Übungen, Geräte und Programme mit ihren Tagen",
        ],
        changes: [
            "Build and publish programmes; add exercises",
            "Programma's maken en publiceren; oefeningen toevoegen",
            "Programme bauen und veröffentlichen; Übungen hinzufügen",
        ],
    },
    Words {
        key: "workout_groups",
        title: ["Workout groups", "Trainingsgroepen", "Trainingsgruppen"],
        reads: [
            "Groups that train by one programme",
            "Groepen die één programma volgen",
            "Gruppen, die nach einem Programm trainieren",
        ],
        changes: [
            "Create groups, add members, assign programmes",
            "Groepen maken, leden toevoegen, programma's geven",
            "Gruppen anlegen, Mitglieder hinzufügen, Programme geben",
        ],
    },
    Words {
        key: "client_onboarding",
        title: ["New clients", "Nieuwe klanten", "Neue Kunden"],
        reads: [
            "Who signed up at the public site",
            "Wie zich op de openbare site heeft aangemeld",
            "Wer sich auf der öffentlichen Seite angemeldet hat",
        ],
        changes: [
            "Approve or reject people who want to become clients",
            "Mensen die klant willen worden toelaten of afwijzen",
            "Menschen, die Kunde werden wollen, annehmen oder ablehnen",
        ],
    },
    Words {
        key: "company",
        title: ["The company", "Het bedrijf", "Das Unternehmen"],
        reads: [
            "Your company's profile, public site, facilities, services, policies and coaches",
            "Profiel, openbare site, voorzieningen, diensten, voorwaarden en coaches van je bedrijf",
            "Profil, öffentliche Seite, Ausstattung, Angebote, Regeln und Coaches Ihres Unternehmens",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "event_types",
        title: ["Event types", "Afspraaksoorten", "Terminarten"],
        reads: ["What can be booked", "Wat geboekt kan worden", "Was gebucht werden kann"],
        changes: [
            "Create, change and archive what can be booked",
            "Maken, wijzigen en archiveren wat geboekt kan worden",
            "Anlegen, ändern und archivieren, was gebucht werden kann",
        ],
    },
    Words {
        key: "availability",
        title: ["Availability", "Beschikbaarheid", "Verfügbarkeit"],
        reads: [
            "Working hours, opening hours and closures",
            "Wanneer coaches en locaties er zijn en wanneer ze gesloten zijn",
            "Wann Coaches und Standorte da sind und wann geschlossen ist",
        ],
        changes: [
            "Change coaches' and locations' hours; add and delete closures",
            "Tijden van coaches en locaties wijzigen; sluitingen toevoegen en verwijderen",
            "Zeiten von Coaches und Standorten ändern; Schließungen hinzufügen und löschen",
        ],
    },
    Words {
        key: "progress",
        title: ["Progress", "Voortgang", "Fortschritt"],
        reads: [
            "Progress summaries of your clients: health data",
            "Hoe het met je klanten gaat, in één oogopslag: gezondheidsgegevens",
            "Wie es Ihren Kunden geht, auf einen Blick: Gesundheitsdaten",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "habits",
        title: ["Habits", "Gewoonten", "Gewohnheiten"],
        reads: [
            "Habits of your clients: health data",
            "Gewoonten van je klanten: gezondheidsgegevens",
            "Gewohnheiten Ihrer Kunden: Gesundheitsdaten",
        ],
        changes: [
            "Set habits and log entries",
            "Gewoonten stellen en zeggen wanneer ze gelukt zijn",
            "Gewohnheiten setzen und sagen, wann sie gehalten wurden",
        ],
    },
    Words {
        key: "forms",
        title: ["Forms", "Formulieren", "Formulare"],
        reads: [
            "Your forms and their assignments, without answers",
            "Je formulieren en wie welk kreeg; niet wat zij antwoordden",
            "Ihre Formulare und wer welches bekam; nicht die Antworten",
        ],
        changes: [
            "Assign and cancel forms",
            "Klanten formulieren geven en dat intrekken",
            "Kunden Formulare geben und das zurückziehen",
        ],
    },
    Words {
        key: "checkups",
        title: ["Check-ups", "Check-ups", "Check-ups"],
        reads: [
            "Check-ups and whether they were submitted, without answers",
            "Welke klanten check-ups kregen en inleverden; niet wat zij antwoordden",
            "Welche Kunden Check-ups bekamen und abgaben; nicht die Antworten",
        ],
        changes: [
            "Assign and cancel check-ups, once or recurring",
            "Klanten check-ups geven, één keer of telkens, en dat intrekken",
            "Kunden Check-ups geben, einmal oder wiederholt, und das zurückziehen",
        ],
    },
    Words {
        key: "documents",
        title: ["Documents", "Documenten", "Dokumente"],
        reads: [
            "Names and addresses of documents, except medical ones",
            "Namen en adressen van documenten, behalve medische",
            "Namen und Adressen von Dokumenten, außer medizinischen",
        ],
        changes: [
            "Link, change, archive and restore documents",
            "Documenten koppelen, wijzigen, archiveren en terugzetten",
            "Dokumente verknüpfen, ändern, archivieren und wiederherstellen",
        ],
    },
    Words {
        key: "conversations",
        title: ["Your conversations", "Je gesprekken", "Ihre Gespräche"],
        reads: [
            "Your own conversations with clients and coaches",
            "Je eigen gesprekken met klanten en coaches",
            "Ihre eigenen Gespräche mit Kunden und Coaches",
        ],
        changes: [
            "Send messages in your name",
            "Berichten sturen in je naam",
            "Nachrichten in Ihrem Namen senden",
        ],
    },
    Words {
        key: "reports",
        title: ["Reports", "Rapporten", "Berichte"],
        reads: [
            "Attendance, revenue and retention",
            "Opkomst, omzet en behoud",
            "Anwesenheit, Umsatz und Bindung",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "access",
        title: ["Doors", "Deuren", "Türen"],
        reads: [
            "Access devices, visits and denied entries",
            "Toegangsapparaten, wie binnenkwam en wie buiten bleef",
            "Zugangsgeräte, wer hineinkam und wer draußen blieb",
        ],
        changes: [
            "Block and unblock clients",
            "Klanten buiten houden en weer binnenlaten",
            "Kunden aussperren und wieder einlassen",
        ],
    },
    Words {
        key: "audit_logs",
        title: ["Audit log", "Logboek", "Protokoll"],
        reads: ["Who did what", "Wie wat deed", "Wer was getan hat"],
        changes: ["", "", ""],
    },
    Words {
        key: "webhooks",
        title: ["Webhooks", "Webhooks", "Webhooks"],
        reads: [
            "Webhooks and their deliveries",
            "Webhooks en wat er van hun bezorgingen werd",
            "Webhooks und was aus ihren Zustellungen wurde",
        ],
        changes: [
            "Send a test, and deliver again",
            "Een test sturen en opnieuw bezorgen",
            "Einen Test senden und erneut zustellen",
        ],
    },
    Words {
        key: "client_ai_account",
        title: ["Your account", "Je account", "Ihr Konto"],
        reads: [
            "Your name, contact details, memberships, credits and invoices",
            "Je naam, contactgegevens, lidmaatschappen, credits en facturen",
            "Ihr Name, Ihre Kontaktdaten, Mitgliedschaften, Credits und Rechnungen",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "client_ai_membership",
        title: ["Your membership", "Je lidmaatschap", "Ihre Mitgliedschaft"],
        reads: [
            "Your memberships and upcoming invoices",
            "Je lidmaatschappen en de rekeningen die komen",
            "Ihre Mitgliedschaften und die kommenden Rechnungen",
        ],
        changes: [
            "Ask to pause or cancel your membership",
            "Vragen om je lidmaatschap te pauzeren of op te zeggen",
            "Um eine Pause oder Kündigung Ihrer Mitgliedschaft bitten",
        ],
    },
    Words {
        key: "client_ai_shop",
        title: ["Your purchases", "Je aankopen", "Ihre Käufe"],
        reads: [
            "What you can buy, and what you ordered",
            "Wat je kunt kopen en wat je hebt besteld",
            "Was Sie kaufen können und bestellt haben",
        ],
        changes: [
            "Order products, which you pay yourself, and cancel orders",
            "Producten bestellen, die je zelf betaalt, en bestellingen annuleren",
            "Produkte bestellen, die Sie selbst bezahlen, und Bestellungen stornieren",
        ],
    },
    Words {
        key: "client_ai_bookings",
        title: ["Your bookings", "Je boekingen", "Ihre Buchungen"],
        reads: [
            "What you have booked, and what you can book",
            "Wat je hebt geboekt en wat je kunt boeken",
            "Was Sie gebucht haben und buchen können",
        ],
        changes: [
            "Book, move and cancel for you",
            "Voor jou boeken, verzetten en annuleren",
            "Für Sie buchen, verschieben und stornieren",
        ],
    },
    Words {
        key: "client_ai_measurements",
        title: ["Your measurements", "Je metingen", "Ihre Messungen"],
        reads: [
            "Your body measurements: health data",
            "Je lichaamsmetingen: gezondheidsgegevens",
            "Ihre Körpermessungen: Gesundheitsdaten",
        ],
        changes: [
            "Record and correct your measurements",
            "Je metingen vastleggen en verbeteren",
            "Ihre Messungen aufnehmen und berichtigen",
        ],
    },
    Words {
        key: "client_ai_nutrition",
        title: ["Your nutrition", "Je voeding", "Ihre Ernährung"],
        reads: [
            "Your logged meals: health data",
            "Wat je van je maaltijden hebt vastgelegd: gezondheidsgegevens",
            "Was Sie von Ihren Mahlzeiten aufgeschrieben haben: Gesundheitsdaten",
        ],
        changes: [
            "Log and delete meals",
            "Je maaltijden vastleggen en verwijderen",
            "Ihre Mahlzeiten aufschreiben und löschen",
        ],
    },
    Words {
        key: "client_ai_workouts",
        title: ["Your workouts", "Je trainingen", "Ihre Trainings"],
        reads: [
            "Your plans, calendar, sessions and progress, and the exercises there are",
            "Je plannen, agenda, sessies en voortgang, en de oefeningen die er zijn",
            "Ihre Pläne, Kalender, Einheiten und Fortschritt, und die Übungen, die es gibt",
        ],
        changes: ["Record your sessions", "Je sessies vastleggen", "Ihre Einheiten aufnehmen"],
    },
    Words {
        key: "client_ai_goals",
        title: ["Your goals", "Je doelen", "Ihre Ziele"],
        reads: [
            "Your goals: health data",
            "Je doelen: gezondheidsgegevens",
            "Ihre Ziele: Gesundheitsdaten",
        ],
        changes: [
            "Set goals, and change your own",
            "Doelen stellen en die van jezelf wijzigen",
            "Ziele setzen und Ihre eigenen ändern",
        ],
    },
    Words {
        key: "client_ai_habits",
        title: ["Your habits", "Je gewoonten", "Ihre Gewohnheiten"],
        reads: [
            "Your habits: health data",
            "Je gewoonten: gezondheidsgegevens",
            "Ihre Gewohnheiten: Gesundheitsdaten",
        ],
        changes: [
            "Log entries",
            "Zeggen wanneer je ze hebt volgehouden",
            "Sagen, wann Sie sie gehalten haben",
        ],
    },
    Words {
        key: "client_ai_progress",
        title: ["Your progress", "Je voortgang", "Ihr Fortschritt"],
        reads: [
            "A summary of your progress: health data",
            "Hoe het met je gaat, in één oogopslag: gezondheidsgegevens",
            "Wie es Ihnen geht, auf einen Blick: Gesundheitsdaten",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "client_ai_forms",
        title: ["Your forms", "Je formulieren", "Ihre Formulare"],
        reads: [
            "Your open forms and check-ups, without answers",
            "Welke formulieren en check-ups op je wachten; niet wat je antwoordde",
            "Welche Formulare und Check-ups auf Sie warten; nicht Ihre Antworten",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "client_ai_documents",
        title: ["Your documents", "Je documenten", "Ihre Dokumente"],
        reads: [
            "Names and addresses of your documents, except medical ones",
            "Namen en adressen van je documenten, behalve medische",
            "Namen und Adressen Ihrer Dokumente, außer medizinischen",
        ],
        changes: ["", "", ""],
    },
    Words {
        key: "client_ai_conversations",
        title: ["Your conversations", "Je gesprekken", "Ihre Gespräche"],
        reads: [
            "Your conversations with your coaches",
            "Je gesprekken met je coaches",
            "Ihre Gespräche mit Ihren Coaches",
        ],
        changes: [
            "Send messages in your name",
            "Berichten sturen in je naam",
            "Nachrichten in Ihrem Namen senden",
        ],
    },
    Words {
        key: "client_ai_visits",
        title: ["Your visits", "Je bezoeken", "Ihre Besuche"],
        reads: [
            "When you entered and left",
            "Wanneer je kwam en ging",
            "Wann Sie kamen und gingen",
        ],
        changes: ["", "", ""],
    },
];
