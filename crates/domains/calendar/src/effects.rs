//! The effects of calendar operations, as a confirmation shows them, in every language.

use spotter_kernel::{Date, phrases};

phrases! {
    /// An effect of an operation of the calendar.
    pub enum CalendarEffect {
        HeldSeatsReturn
            "Seats that are held for them are given back."
            "Plaatsen die voor hen worden vastgehouden, komen vrij."
            "Für sie gehaltene Plätze werden frei."
        AttendanceMarked { name: String, at_start: String, word: String }
            "The booking of {name} on {at_start} is marked as {word}."
            "De boeking van {name} op {at_start} wordt gemarkeerd als {word}."
            "Die Buchung von {name} am {at_start} wird als {word} markiert."
        BecomesRequest
            "It becomes a request, which a coach must approve."
            "Het wordt een aanvraag, die een coach moet goedkeuren."
            "Es wird eine Anfrage, der ein Coach zustimmen muss."
        Booked { name: String, at: String }
            "{name} on {at} is booked."
            "{name} op {at} wordt geboekt."
            "{name} am {at} wird gebucht."
        BookingCancelled
            "The booking is cancelled, which cannot be taken back."
            "De boeking wordt geannuleerd; dat kan niet ongedaan worden gemaakt."
            "Die Buchung wird storniert; das lässt sich nicht rückgängig machen."
        BookingsCancelled { bookings: u64 }
            "{bookings} bookings are cancelled, which cannot be taken back."
            "{bookings} boekingen worden geannuleerd; dat kan niet ongedaan worden gemaakt."
            "{bookings} Buchungen werden storniert; das lässt sich nicht rückgängig machen."
        BookingsOfClientCancelled
            "Their upcoming bookings, waitlist positions and requests are cancelled as early cancellations, without a fee."
            "Hun komende boekingen, plekken op wachtlijsten en aanvragen worden op tijd geannuleerd."
            "Ihre kommenden Buchungen, Wartelistenplätze und Anfragen werden als rechtzeitig storniert."
        CancelledEarly
            "It is early: no fee is due, and what it holds comes back."
            "Het is op tijd: er is geen vergoeding, en wat is gereserveerd komt terug."
            "Es ist rechtzeitig: keine Gebühr, und Reserviertes kommt zurück."
        CancelledLate
            "It is late by the policies that it was booked under."
            "Het is te laat volgens de regels bij het boeken."
            "Es ist zu spät nach den Regeln, unter denen gebucht wurde."
        ClassCalledOff { name: String, bookings: u64 }
            "{name} does not take place; {bookings} bookings are cancelled."
            "{name} gaat niet door; {bookings} boekingen worden geannuleerd."
            "{name} findet nicht statt; {bookings} Buchungen werden storniert."
        ClassesCalledOff { classes: u64, bookings: u64 }
            "{classes} classes with {bookings} bookings do not take place."
            "{classes} lessen met {bookings} boekingen gaan niet door."
            "{classes} Kurse mit {bookings} Buchungen finden nicht statt."
        ClassesCancelled { classes: u64, bookings: u64 }
            "{classes} classes with {bookings} bookings are cancelled."
            "{classes} lessen met {bookings} boekingen worden geannuleerd."
            "{classes} Kurse mit {bookings} Buchungen werden abgesagt."
        CreditsUsed { units: i64 }
            "It takes {units} of the client's credits."
            "Het kost {units} van de credits van de klant."
            "Es kostet {units} Credits des Kunden."
        DatesBooked { through: Date, left_out: usize }
            "Its dates until {through} are booked, but for {left_out}."
            "De data tot {through} worden geboekt, op {left_out} na."
            "Die Termine bis {through} werden gebucht, bis auf {left_out}."
        DroppedDatesCancelled { bookings: u64 }
            "{bookings} bookings of dates that are dropped are cancelled."
            "{bookings} boekingen van vervallen data worden geannuleerd."
            "{bookings} Buchungen entfallener Termine werden storniert."
        EventTypeArchived { name: String }
            "The event type {name} can no longer be booked."
            "De soort {name} is niet meer te boeken."
            "Die Art {name} ist nicht mehr buchbar."
        EventsOfTypeStay { total: i64 }
            "{total} classes and appointments of it are to come, and can be booked no more."
            "{total} lessen en afspraken ervan komen nog en zijn niet meer te boeken."
            "{total} Kurse und Termine davon kommen noch und sind nicht mehr buchbar."
        EventsStayAtLocation { total: i64 }
            "{total} classes and appointments to come stay there, and can be booked no more."
            "{total} komende lessen en afspraken blijven daar en zijn niet meer te boeken."
            "{total} kommende Kurse und Termine bleiben dort und sind nicht mehr buchbar."
        EventsStayWithCoach { total: i64 }
            "{total} classes and appointments to come stay with the coach, and can be booked no more."
            "{total} komende lessen en afspraken blijven bij de coach en zijn niet meer te boeken."
            "{total} kommende Kurse und Termine bleiben beim Coach und sind nicht mehr buchbar."
        FeedAddressReplaced
            "Programs that read the old address see nothing any more."
            "Programma’s die het oude adres lezen, zien niets meer."
            "Programme, die die alte Adresse lesen, sehen nichts mehr."
        FeedsEnd
            "Their calendar feeds end."
            "Hun agenda-feeds stoppen."
            "Ihre Kalender-Feeds enden."
        FreeToCancel
            "The client can cancel it free of charge for a while."
            "De klant kan nog even gratis annuleren."
            "Der Kunde kann eine Weile kostenlos stornieren."
        Moved { name: String, was: String, at: String }
            "{name} is moved from {was} to {at}."
            "{name} gaat van {was} naar {at}."
            "{name} wird von {was} auf {at} verlegt."
        RecurringBookingsEnd
            "Their recurring bookings end."
            "Hun vaste boekingen stoppen."
            "Ihre Serienbuchungen enden."
        RecurringOfTypeStay { total: i64 }
            "{total} bookings of every week of it go on; no dates are added."
            "{total} vaste boekingen ervan lopen door; er komen geen data bij."
            "{total} Serienbuchungen davon laufen weiter; es kommen keine Termine dazu."
        RecurringStayAtLocation { total: i64 }
            "{total} bookings of every week go on there; no dates are added."
            "{total} vaste boekingen lopen daar door; er komen geen data bij."
            "{total} Serienbuchungen laufen dort weiter; es kommen keine Termine dazu."
        RecurringStayWithCoach { total: i64 }
            "{total} bookings of every week go on with the coach; no dates are added."
            "{total} vaste boekingen lopen door bij de coach; er komen geen data bij."
            "{total} Serienbuchungen laufen beim Coach weiter; es kommen keine Termine dazu."
        RefusedWhileNoticeTooLong
            "Refused while a type's notice is as long as the booking window."
            "Geweigerd zolang de aanlooptijd van een soort even lang is als de boekingsperiode."
            "Abgelehnt, solange die Vorlaufzeit einer Art so lang wie der Buchungszeitraum ist."
        Reopened
            "What it closes can be booked again."
            "Wat gesloten is, kan weer worden geboekt."
            "Was geschlossen ist, ist wieder buchbar."
        RequestRejected
            "The request is rejected, and its slot can be booked again."
            "De aanvraag wordt afgewezen, en de tijd is weer vrij."
            "Die Anfrage wird abgelehnt, und die Zeit ist wieder frei."
        RequestWithdrawn
            "The request is withdrawn, and its slot can be booked again."
            "De aanvraag wordt ingetrokken, en de tijd is weer vrij."
            "Die Anfrage wird zurückgezogen, und die Zeit ist wieder frei."
        SeatPassedOn
            "The seat goes to the next on the waiting list."
            "De plek gaat naar de volgende op de wachtlijst."
            "Der Platz geht an die nächste Person auf der Warteliste."
        SeriesOfTypeStay { total: i64 }
            "{total} series of classes of it go on; no dates are added."
            "{total} lesreeksen ervan lopen door; er komen geen data bij."
            "{total} Kursreihen davon laufen weiter; es kommen keine Termine dazu."
        SeriesStayAtLocation { total: i64 }
            "{total} series of classes go on there; no dates are added."
            "{total} lesreeksen lopen daar door; er komen geen data bij."
            "{total} Kursreihen laufen dort weiter; es kommen keine Termine dazu."
        SeriesStayWithCoach { total: i64 }
            "{total} series of classes go on with the coach; no dates are added."
            "{total} lesreeksen lopen door bij de coach; er komen geen data bij."
            "{total} Kursreihen laufen beim Coach weiter; es kommen keine Termine dazu."
        TaskCancelled
            "The task is cancelled, and its time can be booked again."
            "De taak vervalt, en de tijd is weer vrij."
            "Die Aufgabe entfällt, und die Zeit ist wieder frei."
        TemplateArchived { name: String }
            "No more events are made of {name}."
            "Van {name} worden geen agenda-items meer gemaakt."
            "Aus {name} werden keine Termine mehr erstellt."
        UncoveredBookingsCancelled
            "Upcoming bookings that nothing covers any more are cancelled as early cancellations, without a fee."
            "Komende boekingen die nergens meer onder vallen worden op tijd geannuleerd."
            "Kommende Buchungen, die nichts mehr deckt, werden als rechtzeitig storniert."
        Waitlisted { name: String, at: String, place: i64 }
            "{name} on {at} is full: the booking is number {place} on the waiting list."
            "{name} op {at} is vol: de boeking wordt nummer {place} op de wachtlijst."
            "{name} am {at} ist voll: die Buchung wird Nummer {place} auf der Warteliste."
        WaitlistsOfClassesMoveUp
            "The waiting lists of their classes move up."
            "De wachtlijsten van hun lessen schuiven door."
            "Die Wartelisten ihrer Kurse rücken auf."
        WaitlistsOfClientMoveUp
            "The waiting lists that the client is on move up."
            "De wachtlijsten waarop de klant staat schuiven door."
            "Die Wartelisten, auf denen der Kunde steht, rücken auf."
    }
}
