//! A call of an operation as data: its id, path and query parameters, and body. Pages make calls through the types of
//! `api`; forms, exports and drafts store them.

use serde_json::Value;
use spotter_contract::{Arguments, Content};

/// A call of an operation.
#[derive(Clone, Debug)]
pub(crate) struct ApiCall {
    pub(crate) operation: &'static str,
    /// Parameters of its path.
    pub(crate) path: Vec<(&'static str, String)>,
    /// Parameters of its query.
    pub(crate) query: Vec<(&'static str, String)>,
    body: Content,
}

impl ApiCall {
    /// A call of the operation with this id.
    pub(crate) fn of(operation: &'static str) -> Self {
        Self { operation, path: Vec::new(), query: Vec::new(), body: Content::Nothing }
    }

    /// With a parameter of its path.
    pub(crate) fn at(mut self, name: &'static str, value: &str) -> Self {
        self.path.push((name, value.to_owned()));
        self
    }

    /// With a parameter of its query; an empty one is left out.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let value = value.to_string();
        if !value.is_empty() {
            self.query.push((name, value));
        }
        self
    }

    /// With a body, for operations that preview a change.
    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = body.into();
        self
    }

    /// The arguments of the operation.
    pub(crate) fn arguments(&self) -> Arguments {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.query);
        let path = self.path.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Arguments { path: path.collect(), query: query.finish(), body: self.body.clone() }
    }
}
