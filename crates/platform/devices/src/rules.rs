//! The rules of access devices, each with its figures, in every language.

use spotter_kernel::phrases;

phrases! {
    /// A rule of access devices that a request broke.
    pub enum DeviceRule {
        DeviceRevoked "must not be revoked" "mag niet ingetrokken zijn" "darf nicht widerrufen sein"
        GuardedZone { zone: String, device: String }
            "must keep {zone} unchanged: the device {device} guards it"
            "moet {zone} ongewijzigd laten: het apparaat {device} bewaakt die"
            "muss {zone} unverändert lassen: das Gerät {device} überwacht sie"
        HardWithoutExit
            "must not be hard where no device lets people out of the same zones"
            "mag niet hard zijn als geen apparaat mensen uit deze zones laat"
            "darf nicht hart sein, wo kein Gerät aus denselben Zonen hinauslässt"
        OnlineLocation
            "must be a physical location: this one has no door"
            "moet een fysieke locatie zijn: deze heeft geen deur"
            "muss ein physischer Standort sein: dieser hat keine Tür"
        UnknownZones
            "must be names of the location's access zones"
            "moeten zones van deze locatie zijn"
            "müssen Zonen dieses Standorts sein"
    }
}
