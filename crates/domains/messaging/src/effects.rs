//! The effects of operations on conversations, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of conversations.
    pub enum MessagingEffect {
        AnnouncementSent { subject: String, recipients: usize }
            "{subject} goes to {recipients} clients, a minute from now; who cannot be reached that way is left out."
            "{subject} gaat over een minuut naar {recipients} klanten; wie zo niet te bereiken is, wordt overgeslagen."
            "{subject} geht in einer Minute an {recipients} Kunden; wer so nicht erreichbar ist, wird ausgelassen."
        FileSent { to: String }
            "A file is sent to {to}, in the person's name."
            "Een bestand wordt gestuurd aan {to}, uit naam van de persoon."
            "Eine Datei wird an {to} gesendet, im Namen der Person."
        TextWithFile { text: String, to: String }
            "{text}, with a file, is sent to {to}, in the person's name."
            "{text}, met een bestand, wordt gestuurd aan {to}, uit naam van de persoon."
            "{text}, mit einer Datei, wird an {to} gesendet, im Namen der Person."
        TextSent { text: String, to: String }
            "{text} is sent to {to}, in the person's name."
            "{text} wordt gestuurd aan {to}, uit naam van de persoon."
            "{text} wird an {to} gesendet, im Namen der Person."
    }
}
