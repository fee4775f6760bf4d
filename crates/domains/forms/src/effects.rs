//! The effects of operations on forms, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of forms.
    pub enum FormEffect {
        CheckupAssigned { name: String }
            "{name} is asked to answer a check-up."
            "{name} krijgt een check-up om in te vullen."
            "{name} erhält einen Check-up zum Ausfüllen."
        CheckupRecurs
            "It is given again and again, until its series is ended."
            "Hij komt steeds terug, tot de reeks wordt beëindigd."
            "Er kommt immer wieder, bis die Reihe beendet wird."
        CheckupSeriesEnds
            "No more check-ups of the series are given."
            "Er komen geen check-ups van de reeks meer."
            "Es kommen keine Check-ups der Reihe mehr."
        CheckupsEnd
            "Their recurring check-ups end."
            "Hun terugkerende check-ups stoppen."
            "Ihre wiederkehrenden Check-ups enden."
        FormAssigned { name: String }
            "{name} is asked to answer a form."
            "{name} krijgt een formulier om in te vullen."
            "{name} erhält ein Formular zum Ausfüllen."
        FormsCalledOff
            "Unanswered form assignments are withdrawn."
            "Formulieren die ze nog niet hebben ingevuld vervallen."
            "Noch nicht ausgefüllte Formulare entfallen."
    }
}
