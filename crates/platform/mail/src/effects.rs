//! The effects of operations on mail, as a confirmation shows them, in every language.

use spotter_kernel::phrases;

phrases! {
    /// An effect of an operation of mail.
    pub enum MailEffect {
        MailSent { name: String }
            "A message goes to {name}."
            "Er gaat een bericht naar {name}."
            "Eine Nachricht geht an {name}."
    }
}
