//! The effects of operations on the company and its locations, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of the company and its locations.
    pub enum CompanyEffect {
        LocationArchived { name: String }
            "{name} is archived: nothing new can be booked there."
            "{name} wordt gearchiveerd: er kan niets nieuws worden geboekt."
            "{name} wird archiviert: dort ist nichts Neues buchbar."
    }
}
