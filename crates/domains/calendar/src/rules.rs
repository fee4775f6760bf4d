//! The rules of the calendar, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of the calendar that a request broke.
    pub enum CalendarRule {
        AppointmentSeats
            "must be 1 for an appointment"
            "moet 1 zijn voor een afspraak"
            "muss bei einem Termin 1 sein"
        AttendanceTooEarly
            "must start within an hour before attendance can be marked"
            "kan pas een uur voor het begin"
            "geht erst eine Stunde vor Beginn"
        Begun "must not have begun" "mag niet begonnen zijn" "darf nicht begonnen haben"
        BeyondYear
            "must be within a year"
            "moet binnen een jaar liggen"
            "muss innerhalb eines Jahres liegen"
        Cancelled "must not be cancelled" "mag niet geannuleerd zijn" "darf nicht storniert sein"
        CancelledAlready
            "must not be cancelled already"
            "mag niet al geannuleerd zijn"
            "darf nicht schon storniert sein"
        ClosureOfOther
            "must be absent: something else is closed"
            "moet leeg zijn: er sluit iets anders"
            "muss leer sein: etwas anderes ist geschlossen"
        ClosureTooLong
            "must be at most 731 days later"
            "mag hoogstens 731 dagen later zijn"
            "darf höchstens 731 Tage später sein"
        CoachBusy
            "must be when the coach is free"
            "moet liggen wanneer de coach vrij is"
            "muss liegen, wenn der Coach frei ist"
        CountBesideUntil
            "must be absent beside untilDate"
            "kies een einddatum of een aantal, niet allebei"
            "wählen Sie ein Enddatum oder eine Anzahl, nicht beides",
            page "choose an end date or a number of times, not both"
        DatesNotBookable { count: usize }
            "Dates that cannot be booked: {count}."
            "Data die niet geboekt kunnen worden: {count}."
            "Termine, die nicht gebucht werden können: {count}."
        DayFull "must be on a day that is not full" "die dag is vol" "dieser Tag ist voll"
        EndsAfterNext { next: String }
            "must end before {next}, when the series of nextId begins"
            "moet voor {next} eindigen: dan begint de volgende reeks"
            "muss vor {next} enden: dann beginnt die nächste Serie",
            page "must end before {next}, when the next series begins"
        FeedsOfClients
            "Clients make the feeds of their own bookings."
            "Klanten maken de feeds van hun eigen boekingen."
            "Kunden erstellen die Feeds ihrer eigenen Buchungen."
        GivenBeside { named: &'static str }
            "must be absent beside {named}"
            "moet leeg zijn naast {named}"
            "muss neben {named} leer sein"
        GivenBesideType
            "must be absent beside eventTypeId"
            "moet leeg zijn als er een soort is gekozen"
            "muss leer sein, wenn eine Art gewählt ist",
            page "must be empty where an event type is chosen"
        GivenForAll "must be absent for all" "moet leeg zijn bij all" "muss bei all leer sein"
        LastTooFar
            "must leave the last within 366 days of the start"
            "moet zo zijn dat de laatste binnen 366 dagen na het begin ligt"
            "muss so sein, dass der letzte innerhalb von 366 Tagen nach dem Beginn liegt"
        MarkedOrCancelled
            "must be given, or `cancel`: one of both"
            "moet worden opgegeven, of `cancel`: een van beide"
            "muss angegeben werden, oder `cancel`: eines von beiden"
        NeedsApproval
            "must not need a coach's approval: cancel it, and request another"
            "een coach moet dit goedkeuren: annuleer, en vraag opnieuw"
            "ein Coach muss zustimmen: stornieren Sie, und fragen Sie neu an"
        NoDates "must have a date" "moet een datum hebben" "muss ein Datum haben"
        NoRoomThen
            "must have room for one more event then"
            "er is dan geen ruimte voor nog een"
            "dann ist kein Platz für einen weiteren"
        NotAfterStart
            "must be after the start"
            "moet na het begin liggen"
            "muss nach dem Beginn liegen"
        NotBesideAttendance
            "must be absent beside `attendanceStatus`"
            "mag niet samen met `attendanceStatus`"
            "darf nicht neben `attendanceStatus` stehen"
        NotBooked "must be booked" "moet geboekt zijn" "muss gebucht sein"
        NotBookedToCome
            "must be booked and in the future"
            "moet geboekt zijn en nog komen"
            "muss gebucht sein und noch kommen"
        NotBookingsOwn
            "must be the booking's own"
            "moet van de boeking zelf zijn"
            "muss zur Buchung selbst gehören"
        NotClass "must be a class" "moet een les zijn" "muss ein Kurs sein"
        NotClassButAppointment
            "must be a class: an appointment is changed through its booking"
            "moet een les zijn: een afspraak wijzig je via de boeking"
            "muss ein Kurs sein: einen Termin ändert man über die Buchung"
        NotExpected "must be expected" "moet nog verwacht worden" "muss noch erwartet werden"
        NotOffered "must be offered" "moet aangeboden zijn" "muss angeboten sein"
        NotScheduled "must be scheduled" "moet gepland zijn" "muss geplant sein"
        NotSeriesDate
            "must be a date of the series"
            "moet een datum van de reeks zijn"
            "muss ein Datum der Reihe sein"
        NotSlotToken
            "must be the token of a slot"
            "moet de token van een vrije tijd zijn"
            "muss das Token einer freien Zeit sein"
        NotTypesCoach
            "must be one of the event type's coaches"
            "moet een van de coaches van deze soort zijn"
            "muss einer der Coaches dieser Art sein"
        NotTypesLocation
            "must be one of the event type's locations"
            "moet een van de locaties van deze soort zijn"
            "muss einer der Standorte dieser Art sein"
        NotWaitlisted
            "must be waitlisted"
            "moet op de wachtlijst staan"
            "muss auf der Warteliste stehen"
        NothingToCome
            "must have an upcoming occurrence"
            "moet nog een keer hebben die komt"
            "muss noch einen kommenden Termin haben"
        NoticeBeyondWindow
            "must be shorter than bookingWindowDays, or nothing could be booked"
            "moet korter zijn dan de tijd waarin geboekt kan worden"
            "muss kürzer als der Buchungszeitraum sein",
            page "must be shorter than the booking window"
        OfCancellations
            "must be absent unless bookings are cancelled"
            "mag alleen als er geannuleerd wordt"
            "darf nur angegeben werden, wenn storniert wird"
        OneClassOfSeries
            "must be following or all: one class is changed as a calendar event"
            "moet following of all zijn: één les wijzig je als agenda-item"
            "muss following oder all sein: einen einzelnen Kurs ändert man als Kalendereintrag"
        OneOccurrence
            "must be absent for a single occurrence"
            "moet leeg zijn bij één keer"
            "muss bei einem einzelnen Termin leer sein"
        OtherBookings
            "must not be another booking's"
            "hoort bij een andere boeking"
            "gehört zu einer anderen Buchung"
        OtherEventTypes
            "must be the company's event types"
            "moeten soorten van je bedrijf zijn"
            "müssen Arten Ihres Unternehmens sein"
        OtherEventsBooking
            "must be a booking of the event"
            "moet een boeking van deze les of afspraak zijn"
            "muss eine Buchung dieses Kurses oder Termins sein"
        OtherRequests
            "must not be another request's"
            "hoort bij een ander verzoek"
            "gehört zu einer anderen Anfrage"
        Overlaps { field: String, before: usize }
            "must not overlap {field}[{before}]"
            "mag niet overlappen met {field}[{before}]"
            "darf sich nicht mit {field}[{before}] überschneiden"
        OwnBookings
            "Clients read their own bookings."
            "Klanten zien hun eigen boekingen."
            "Kunden sehen ihre eigenen Buchungen."
        OwnCalendar
            "Coaches change their own calendar."
            "Coaches wijzigen hun eigen agenda."
            "Coaches ändern ihren eigenen Kalender."
        OwnFeeds
            "Coaches read their own calendar."
            "Coaches delen hun eigen agenda."
            "Coaches teilen ihren eigenen Kalender."
        SeriesTooLong
            "must be at most 366 days after the start"
            "mag hoogstens 366 dagen na het begin liggen"
            "darf höchstens 366 Tage nach dem Beginn liegen"
        SlotBooked { all: String }
            "The slot cannot be booked: {all}."
            "Dit is al geboekt."
            "Das ist bereits gebucht.",
            page "You have already booked this."
        SlotClientBusy { all: String }
            "The slot cannot be booked: {all}."
            "Er is op deze tijd al een andere afspraak."
            "Zu dieser Zeit gibt es bereits einen anderen Termin.",
            page "There is another booking at this time."
        SlotClosed { all: String }
            "The slot cannot be booked: {all}."
            "De locatie is dan gesloten."
            "Der Standort ist dann geschlossen.",
            page "The location is closed at this time."
        SlotCoachBusy { all: String }
            "The slot cannot be booked: {all}."
            "De coach is dan niet beschikbaar."
            "Der Coach ist dann nicht verfügbar.",
            page "The coach is not available at this time."
        SlotDailyLimit { all: String }
            "The slot cannot be booked: {all}."
            "Het maximale aantal boekingen van die dag is bereikt."
            "Die Höchstzahl der Buchungen an diesem Tag ist erreicht.",
            page "The maximum number of bookings for that day has been reached."
        SlotFull { all: String }
            "The slot cannot be booked: {all}."
            "Er is geen plaats meer vrij."
            "Es ist kein Platz mehr frei.",
            page "No seat is left."
        SlotLocationBusy { all: String }
            "The slot cannot be booked: {all}."
            "De locatie is dan bezet."
            "Der Standort ist dann belegt.",
            page "The location is occupied at this time."
        SlotNotEntitled { all: String }
            "The slot cannot be booked: {all}."
            "Er is geen lidmaatschap en er zijn geen credits waarmee dit geboekt kan worden."
            "Keine Mitgliedschaft und keine Credits decken diese Buchung.",
            page "No membership or credits cover this booking."
        SlotTooFar { all: String }
            "The slot cannot be booked: {all}."
            "Dit kan nog niet geboekt worden."
            "Das kann noch nicht gebucht werden.",
            page "It is too early to book this."
        SlotTooSoon { all: String }
            "The slot cannot be booked: {all}."
            "Het is te laat om dit te boeken."
            "Es ist zu spät, um das zu buchen.",
            page "It is too late to book this."
        SlotGone
            "The slot can no longer be booked."
            "Dit tijdstip kan niet meer geboekt worden."
            "Dieser Termin kann nicht mehr gebucht werden."
        SlotRequired
            "is required without slotToken or calendarEventId"
            "kies een tijd of een les"
            "wählen Sie eine Zeit oder einen Kurs",
            page "choose a time or a class"
        SlotTokenExpired
            "The slot token has expired: ask for slots again."
            "Deze tijd is verlopen: vraag de tijden opnieuw op."
            "Diese Zeit ist abgelaufen: rufen Sie die Zeiten erneut ab."
        StaleVersion { version: i64 }
            "must be {version}: it was changed in the meantime"
            "moet {version} zijn: het is intussen gewijzigd"
            "muss {version} sein: es wurde inzwischen geändert"
        StartTooFar
            "must be within ten years of now"
            "moet binnen tien jaar van nu liggen"
            "muss innerhalb von zehn Jahren liegen"
        TimesTogether
            "is required together with startTime, and not allowed without it"
            "vul begin en einde allebei in, of geen van beide"
            "geben Sie Beginn und Ende an, oder keines von beiden",
            page "enter both the start and the end, or neither"
        TooLateToMove
            "must not be within the cancellation window: it is too late to move it"
            "kan niet meer worden verzet: de annuleringstermijn is voorbij"
            "kann nicht mehr verschoben werden: die Stornofrist ist vorbei"
        TooLongAfterStart { days: i64 }
            "must be at most {days} days after the start"
            "mag hoogstens {days} dagen na het begin liggen"
            "darf höchstens {days} Tage nach dem Beginn liegen"
        TooManyClosures { max: i64 }
            "must be at most {max} that have not ended"
            "er mogen er hoogstens {max} zijn die niet voorbij zijn"
            "es dürfen höchstens {max} sein, die nicht vorbei sind"
        TooManyFeeds { max: i64 }
            "must be at most {max} for one calendar"
            "een agenda kan er hoogstens {max} hebben"
            "ein Kalender kann höchstens {max} haben"
        TooManyOccurrences { max: usize }
            "must leave at most {max} occurrences"
            "mag hoogstens {max} keer geven"
            "darf höchstens {max} Termine ergeben"
        TooManyTypes { max: usize }
            "must be at most {max} types"
            "mag hoogstens {max} soorten noemen"
            "darf höchstens {max} Arten nennen"
        UnknownEvent
            "must be one of the company's events"
            "moet een van je agenda-items zijn"
            "muss einer Ihrer Kalendereinträge sein"
        WaitlistOfAppointment
            "must be off for an appointment"
            "moet uit staan voor een afspraak"
            "muss bei einem Termin aus sein"
        WindowBelowNotice { name: String }
            "must be longer than the notice of every type: {name} could not be booked any more"
            "moet langer zijn dan de aanlooptijd van elke soort: {name} zou niet meer te boeken zijn"
            "muss länger als die Vorlaufzeit jeder Art sein: {name} wäre nicht mehr buchbar"
        WithinClosure
            "must not be within a closure"
            "mag niet tijdens een sluiting liggen"
            "darf nicht in eine Schließung fallen"
    }
}
