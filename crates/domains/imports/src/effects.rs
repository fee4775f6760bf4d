//! The effects of operations on imports, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of imports.
    pub enum ImportEffect {
        ImportRowsEmptied
            "Rows of imports that hold their e-mail address are emptied."
            "Rijen van imports met hun e-mailadres worden leeggemaakt."
            "Zeilen von Importen mit ihrer E-Mail-Adresse werden geleert."
    }
}
