//! What operations of mail are about to do, as people are asked to confirm it, in every language.

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
