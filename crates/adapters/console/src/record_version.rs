//! What a form was made of, so that it is not written over where somebody has changed it meanwhile: a list that is written
//! whole says with its form what was asked for it, and what of the answer it was.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spotter_contract::{Arguments, Caller, Content, Method, vault};
use spotter_http::State;
use spotter_kernel::{Problem, Result, secret::base64url};
use spotter_store::Tx;

use crate::{
    forms::Form,
    page_context::{ApiCall, allowed_operation, answered},
    parts::format::JsonFields,
    rules::ConsoleRule,
};

/// The field of a form that says it.
pub(crate) const FIELD: &str = "-seen";

/// What forms of a page are made of, as each of them says it.
pub(crate) struct FormSource(pub(crate) String);

impl FormSource {
    /// Of what stands at some places of an answer.
    pub(crate) fn of(call: &ApiCall, places: &[&str], answer: &Value) -> Self {
        Self(serde_json::to_string(&RecordVersion::of(call, places, answer)).unwrap_or_default())
    }
}

/// What was seen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordVersion {
    operation: String,
    path: Vec<(String, String)>,
    query: String,
    /// Where in the answer it stood.
    places: Vec<String>,
    digest: String,
}

impl RecordVersion {
    fn of(call: &ApiCall, places: &[&str], answer: &Value) -> Self {
        let Arguments { path, query, .. } = call.arguments();
        let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
        let digest = digest(answer, &places);
        Self { operation: call.operation.to_owned(), path, query, places, digest }
    }

    /// What a form says, if it says anything.
    pub(crate) fn read(form: &Form) -> Result<Option<Self>> {
        match form.one(FIELD) {
            "" => Ok(None),
            text => serde_json::from_str(text)
                .map(Some)
                .map_err(|_| Problem::invalid(FIELD, ConsoleRule::NotAsWritten)),
        }
    }

    /// Refuses what was made of something that is otherwise now.
    pub(crate) fn check(&self, tx: &mut Tx<'_>, state: &State, who: (&Caller, &str)) -> Result<()> {
        let operation = allowed_operation(state, &self.operation)?;
        if operation.method != Method::Get {
            return Err(Problem::invalid(FIELD, ConsoleRule::NotAsWritten));
        }
        let (path, query) = (self.path.clone(), self.query.clone());
        let arguments = Arguments { path, query, body: Content::Nothing };
        let answer = answered(tx, state, who, (operation, arguments))?;
        let output: Value = serde_json::from_str(&answer).map_err(Problem::internal)?;
        match digest(&output, &self.places) == self.digest {
            true => Ok(()),
            false => Err(Problem::conflict("", CHANGED)),
        }
    }
}

/// Why it is refused.
pub(crate) const CHANGED: ConsoleRule = ConsoleRule::ChangedMeanwhile;

fn digest(answer: &Value, places: &[String]) -> String {
    let all: Vec<String> = places.iter().map(|place| answer.at(place).to_string()).collect();
    base64url(&vault::digest_of(all.join("\n").as_bytes()))
}
