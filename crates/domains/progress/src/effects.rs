//! The effects of operations on progress, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of progress.
    pub enum ProgressEffect {
        HabitEntryDeleted { name: String, date: String }
            "The entry of {name} on {date} is deleted."
            "De notitie van {name} op {date} wordt verwijderd."
            "Der Eintrag von {name} am {date} wird gelöscht."
        MealDropped { date: String, kind: String, count: usize }
            "The meal of {date} ({kind}, {count} items) is deleted for good."
            "De maaltijd van {date} ({kind}, {count} onderdelen) wordt voorgoed verwijderd."
            "Die Mahlzeit vom {date} ({kind}, {count} Teile) wird endgültig gelöscht."
        MeasurementDeleted { at: String, kind: String }
            "The measurement of {at} ({kind}) is deleted for good."
            "De meting van {at} ({kind}) wordt voorgoed verwijderd."
            "Die Messung vom {at} ({kind}) wird endgültig gelöscht."
    }
}
