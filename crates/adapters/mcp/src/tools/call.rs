//! A tool call: one transaction that authenticates the credential, checks the arguments and runs the operation, like
//! a request of the other APIs. A preview is rolled back, and its result stored in a second transaction.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use spotter_assistants::{
    assistant::Assistant,
    modules::{holding, scope_of},
};
use spotter_contract::{PreparedRequest, confirmations::ConfirmationRequest};
use spotter_http::{State, takes_long};
use spotter_kernel::{Key, Problem, Result};
use spotter_store::Tx;

use super::{
    ToolVariants, Tools,
    answer_limit::{BoundedAnswer, LENGTH_MAX, bound, may_shrink, too_long},
    list_summaries,
    results::{ToolAnswer, refusal},
    tool::ToolMode,
};
use crate::assistant_request::AssistantRequest;

impl Tools {
    /// Calls a tool; `None` where the caller has no tool of this name or was refused, which the visit records.
    pub(crate) async fn call(
        &self,
        state: &Arc<State>,
        visit: &AssistantRequest,
        name: &str,
        arguments: JsonObject,
    ) -> Option<ToolAnswer> {
        let named = self.find(name)?;
        let outcome = match named.any.used {
            ToolMode::Previews => preview(state, visit, named, arguments).await,
            _ if named.any.operation.writes => run(state, visit, named, arguments).await,
            _ => return within_bounds(state, visit, name, named, arguments).await,
        };
        answered(visit, outcome)
    }
}

/// A read whose answer is short enough: a list with as many records per page as fit.
async fn within_bounds(
    state: &Arc<State>,
    visit: &AssistantRequest,
    name: &str,
    named: ToolVariants,
    mut arguments: JsonObject,
) -> Option<ToolAnswer> {
    let brief = list_summaries::of(name);
    for _ in 0..SHORTER_MAX {
        let outcome = run(state, visit, named.clone(), arguments.clone()).await;
        let Ok(Some(text)) = outcome else { return answered(visit, outcome) };
        if brief.is_none() && text.len() <= LENGTH_MAX {
            return Some(ToolAnswer::data(text));
        }
        let mut data: Value = match serde_json::from_str(&text) {
            Ok(data) => data,
            Err(error) => return Some(refusal(&Problem::internal(error))),
        };
        if let Some(brief) = brief {
            brief.cut(&mut data);
        }
        let limit = match bound(&mut data) {
            BoundedAnswer::Fits(text) => return Some(ToolAnswer::data(text)),
            BoundedAnswer::WithLimit(limit) => Some(limit),
            BoundedAnswer::TooLong => None,
        };
        match limit {
            Some(limit) if may_shrink(&arguments) => {
                arguments.insert("limit".to_owned(), json!(limit));
            }
            _ => return Some(refusal(&Problem::invalid(wide(&arguments, limit), too_long(limit)))),
        }
    }
    Some(refusal(&Problem::invalid("limit", too_long(Some(1)))))
}

/// How often a list is requested again with fewer records per page.
const SHORTER_MAX: usize = 4;

/// The argument that makes an answer long.
fn wide(arguments: &JsonObject, limit: Option<i64>) -> &'static str {
    match limit {
        Some(_) => "limit",
        None if arguments.contains_key("to") => "to",
        None => "arguments",
    }
}

/// The answer of a call; `None` where its caller was refused, or has no tool of the name.
fn answered(visit: &AssistantRequest, outcome: Result<Option<String>>) -> Option<ToolAnswer> {
    let is_refused = visit.outcome().is_some_and(|outcome| outcome.is_err());
    match outcome {
        Ok(text) => text.map(ToolAnswer::data),
        Err(_) if is_refused => None,
        // From the operation, or from a busy server; the guard authenticates a caller who is not known yet.
        Err(problem) => Some(refusal(&problem)),
    }
}

/// A call within its transaction, which may run more than once.
struct Call {
    state: Arc<State>,
    visit: AssistantRequest,
    named: ToolVariants,
    arguments: JsonObject,
    /// What the first run made of the arguments.
    prepared: Option<Result<PreparedRequest>>,
    /// Where the request of a preview is stored.
    confirmation: Arc<Mutex<Option<ConfirmationRequest>>>,
}

impl Call {
    fn new(
        state: &Arc<State>,
        visit: &AssistantRequest,
        named: ToolVariants,
        arguments: JsonObject,
    ) -> Self {
        let (state, visit) = (state.clone(), visit.clone());
        Self { state, visit, named, arguments, prepared: None, confirmation: Arc::default() }
    }

    /// What the operation answered; nothing where the caller has no tool of the name.
    fn transact(&mut self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let assistant = self.visit.authenticate(tx, &self.state)?;
        let Some(tool) = self.named.of(assistant.subject) else { return Ok(None) };
        if let Some(problem) = lacking(&assistant, tool.operation.id) {
            return Err(match self.visit.can_be_widened() {
                true => self.visit.refuse(problem),
                false => problem,
            });
        }
        let caller = &assistant.caller;
        let (arguments, confirmation) = (&mut self.arguments, &self.confirmation);
        let prepared = self.prepared.get_or_insert_with(|| {
            let request = tool.prepare(std::mem::take(arguments), caller.actor.id())?;
            *confirmation.lock().unwrap_or_else(PoisonError::into_inner) =
                request.confirmation.clone();
            Ok(request)
        });
        let request = prepared.as_mut().map_err(|problem| problem.clone())?;
        let request_id = self.visit.request_id.as_str();
        request.run(tx, &self.state.env, caller, request_id).map(|answer| Some(answer.data))
    }
}

/// The refusal of a tool that was not allowed, with the modules to ask for: those that were, and those that hold it.
fn lacking(assistant: &Assistant, tool: &str) -> Option<Problem> {
    if assistant.has_tool(tool) {
        return None;
    }
    let mut all = assistant.modules.clone();
    all.extend(holding(assistant.subject, tool));
    let mut problem = Problem::new(Key::ScopesInsufficient);
    let scope = scope_of(&all);
    let scopes: Vec<&str> = scope.split(' ').collect();
    problem.details = Some(json!({"scope": scope, "requiredScopes": scopes}));
    Some(problem)
}

async fn run(
    state: &Arc<State>,
    visit: &AssistantRequest,
    named: ToolVariants,
    arguments: JsonObject,
) -> Result<Option<String>> {
    let (operation, is_slow) = (named.any.operation.clone(), is_far_down(&arguments));
    let mut call = Call::new(state, visit, named, arguments);
    operation.transact(&state.db, is_slow, move |tx: &mut Tx<'_>| call.transact(tx)).await
}

fn is_far_down(arguments: &JsonObject) -> bool {
    let submitted = ["page", "limit"].into_iter().filter_map(|name| {
        let value = arguments.get(name).filter(|value| value.is_number())?;
        Some(format!("{name}={value}"))
    });
    takes_long(&submitted.collect::<Vec<_>>().join("&"))
}

/// What a call would do. Its transaction is rolled back; the effects are stored with a confirmation.
async fn preview(
    state: &Arc<State>,
    visit: &AssistantRequest,
    named: ToolVariants,
    arguments: JsonObject,
) -> Result<Option<String>> {
    let mut call = Call::new(state, visit, named, arguments);
    let held = call.confirmation.clone();
    let rolled_back = state.db.try_out(move |tx: &mut Tx<'_>| call.transact(tx)).await;
    let confirmation = held.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (Some(confirmation), Some(Ok(assistant))) = (confirmation, visit.outcome()) else {
        return rolled_back;
    };
    let env = state.env.clone();
    let keep = move |tx: &mut Tx<'_>| confirmation.store(tx, &env, &assistant.caller);
    match (state.db.write(keep).await?, rolled_back) {
        (Some(preview), _) => {
            let text = serde_json::to_value(preview).map(|preview: Value| preview.to_string());
            text.map(Some).map_err(Problem::internal)
        }
        (None, Err(refused)) => Err(refused),
        (None, Ok(_)) => Err(Problem::internal("no preview")),
    }
}
