//! A form that was not taken, as its page shows it again.

use spotter_contract::confirmations::Preview;
use spotter_kernel::Problem;

use crate::field_kind::FieldKind;

/// The entered values of a refused form, and the error.
#[derive(Clone, Debug, Default)]
pub(crate) struct RejectedForm {
    /// The form, by its operation and whatever it is about.
    pub(crate) form: String,
    /// Entered values.
    pub(crate) fields: Vec<(String, String)>,
    /// Initial values.
    pub(crate) was: Option<String>,
    /// The key under which it is still being done.
    pub(crate) key: Option<String>,
    /// Why it was not taken.
    pub(crate) problem: Option<Problem>,
    /// The preview to confirm.
    pub(crate) preview: Option<Preview>,
}

impl RejectedForm {
    /// The entered value of a field.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let typed = self.fields.iter().find(|(own, _)| own == name);
        typed.map(|(_, value)| value.as_str())
    }

    /// Whether something was sent and not taken, of which the box of this name was a part, and whether it was ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> Option<bool> {
        let flag = FieldKind::Flag.name_of(name);
        self.value(&flag).map(|_| self.value(name).is_some())
    }

    /// The field that is wrong.
    pub(crate) fn field(&self) -> Option<&str> {
        self.problem.as_ref()?.details.as_ref()?["field"].as_str()
    }
}
