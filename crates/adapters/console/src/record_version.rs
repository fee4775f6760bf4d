//! The version of a record that a form was made from, so that a form which replaces it entirely does not overwrite
//! later changes: the call that read it, and a digest of its answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spotter_contract::{Arguments, Caller, Content, Method, vault};
use spotter_http::State;
use spotter_kernel::{Problem, Result, secret::base64url};
use spotter_store::Tx;

use crate::{
    api::{Answer, Call},
    api_call::ApiCall,
    forms::FormData,
    page_context::{allowed_operation, answered},
    parts::format::JsonFields,
    rules::ConsoleRule,
};

/// The field with the version.
pub(crate) const FIELD: &str = "-seen";

/// The version that forms of a page are made from, as a form sends it.
pub(crate) struct FormSource(pub(crate) String);

impl FormSource {
    /// The version of some fields of an answer.
    pub(crate) fn of<O>(call: &Call<O>, places: &[&str], answer: &Answer<O>) -> Self {
        let version = RecordVersion::of(call.request(), places, answer.json());
        Self(serde_json::to_string(&version).unwrap_or_default())
    }
}

/// The version that a page was made from.
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
        debug_assert!(
            answer.is_null() || places.iter().all(|place| has_field(answer, place)),
            "{} has no {places:?}",
            call.operation
        );
        let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
        let digest = digest(answer, &places);
        Self { operation: call.operation.to_owned(), path, query, places, digest }
    }

    /// The version sent by a form, if any.
    pub(crate) fn read(form: &FormData) -> Result<Option<Self>> {
        match form.one(FIELD) {
            "" => Ok(None),
            text => serde_json::from_str(text)
                .map(Some)
                .map_err(|_| Problem::invalid(FIELD, ConsoleRule::NotAsWritten)),
        }
    }

    /// Refuses a form whose record has changed.
    pub(crate) fn check(
        &self,
        tx: &mut Tx<'_>,
        state: &State,
        caller: &Caller,
        request_id: &str,
    ) -> Result<()> {
        let operation = allowed_operation(state, &self.operation)?;
        if operation.method != Method::Get {
            return Err(Problem::invalid(FIELD, ConsoleRule::NotAsWritten));
        }
        let (path, query) = (self.path.clone(), self.query.clone());
        let arguments = Arguments { path, query, body: Content::Nothing };
        let answer = answered(tx, state, caller, request_id, operation, arguments)?;
        let output: Value = serde_json::from_str(&answer).map_err(Problem::internal)?;
        match digest(&output, &self.places) == self.digest {
            true => Ok(()),
            false => Err(Problem::conflict("", CHANGED)),
        }
    }
}

/// Why it is refused.
pub(crate) const CHANGED: ConsoleRule = ConsoleRule::ChangedMeanwhile;

/// Whether an answer has a field at a place, whatever its value.
fn has_field(answer: &Value, place: &str) -> bool {
    place.split('.').try_fold(answer, |value, name| value.get(name)).is_some()
}

fn digest(answer: &Value, places: &[String]) -> String {
    let all: Vec<String> = places.iter().map(|place| answer.at(place).to_string()).collect();
    base64url(&vault::digest_of(all.join("\n").as_bytes()))
}
