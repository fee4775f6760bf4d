//! A request for a page: its address, and what the reader has entered and done.

use spotter_kernel::Date;

use crate::{display::DisplaySettings, done::Done, rejected_form::RejectedForm};

/// A page request of a signed-in person.
pub(crate) struct PageRequest {
    pub(crate) place: PageAddress,
    /// Values of a form that was refused.
    pub(crate) entered: RejectedForm,
    /// The operation that has just succeeded.
    pub(crate) done: Option<Done>,
    pub(crate) display: DisplaySettings,
}

/// The address of a page: its path with parameters, and its query.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageAddress {
    /// The whole path.
    pub(crate) path: String,
    /// Path parameters by name.
    pub(crate) params: Vec<(String, String)>,
    /// Query parameters.
    pub(crate) query: Vec<(String, String)>,
}

impl PageAddress {
    /// A part of the path.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// A parameter; empty where it was not given.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.query.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// A date in the query.
    pub(crate) fn date(&self, name: &str) -> Option<Date> {
        Date::parse(self.parameter(name))
    }

    /// The address of the same page with a parameter set otherwise, or left out where it is empty.
    pub(crate) fn with_parameters(&self, changes: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let is_changed = |name: &str| changes.iter().any(|(own, _)| *own == name);
        let kept = self.query.iter().filter(|(name, value)| !is_changed(name) && !value.is_empty());
        query.extend_pairs(kept);
        query.extend_pairs(changes.iter().filter(|(_, value)| !value.is_empty()));
        match query.finish() {
            none if none.is_empty() => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// Its address.
    pub(crate) fn address(&self) -> String {
        self.with_parameters(&[])
    }
}
