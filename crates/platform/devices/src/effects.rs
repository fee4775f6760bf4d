//! The effects of operations on access devices, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of access devices.
    pub enum DeviceEffect {
        RefusedWhileGuarded
            "Refused while a device guards a zone that is left out."
            "Geweigerd zolang een apparaat een zone bewaakt die wegvalt."
            "Abgelehnt, solange ein Gerät eine Zone überwacht, die wegfällt."
    }
}
