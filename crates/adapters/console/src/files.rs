//! Uploaded files, opened from pages by the signed-in person.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, State as Given},
    http::{Request, Response},
    routing::get,
};
use spotter_contract::{Access, Arguments, Caller, PreparedRequest};
use spotter_http::{State, message_file};
use spotter_kernel::{Problem, Result, secret::Credential};
use spotter_people::identity::browsers;
use spotter_store::Tx;

use crate::{
    act::signed_in, page_context::allowed_operation, parts, parts::format::JsonFields,
    rules::ConsoleRule, session,
};

/// Where a document's file is opened; the id follows.
pub(crate) const DOCUMENT: &str = "/console/files/documents/";
/// Where a file that answers a question is opened; the client's and the file's id follow.
pub(crate) const ANSWER: &str = "/console/files/answers/";
/// Where the PDF of an invoice is opened; the id follows.
pub(crate) const INVOICE: &str = "/console/files/invoices/";
/// Where a message's file is opened; the conversation's and the message's id follow.
pub(crate) const MESSAGE: &str = "/console/files/messages/";

/// Download of a data export; the ids of the client and the export follow.
pub(crate) const EXPORTED: &str = "/console/files/data-exports/";

/// An operation that returns a download address, and the place of the address in its answer.
type FileOperation = (&'static str, &'static str);

/// The routes of files.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    let document = Some(("get_document_file", "documentFile.url"));
    let of_answer = Some(("get_form_file", "file.url"));
    let exported = Some(("get_data_export_file", "dataExportFile.url"));
    let open = |teller: Option<FileOperation>| {
        get(
            move |Given(state): Given<Arc<State>>,
                  params: RawPathParams,
                  request: Request<Body>| async move {
                opened(state, teller, params, request).await
            },
        )
    };
    Router::new()
        .route(&format!("{DOCUMENT}{{documentId}}"), open(document))
        .route(&format!("{INVOICE}{{invoiceId}}"), open(Some(("get_invoice_pdf", "pdf.url"))))
        .route(&format!("{ANSWER}{{clientId}}/{{fileId}}"), open(of_answer))
        .route(&format!("{EXPORTED}{{clientId}}/{{dataExportId}}"), open(exported))
        .route(&format!("{MESSAGE}{{conversationId}}/{{messageId}}"), open(None))
        .with_state(state.clone())
}

async fn opened(
    state: Arc<State>,
    teller: Option<FileOperation>,
    params: RawPathParams,
    request: Request<Body>,
) -> Response<Body> {
    let (from, headers) = (state.address(&request), request.headers());
    let t = crate::display::language(headers);
    let Some(token) = session::token(&state, headers) else {
        return session::go_sign_in(&state, "/console");
    };
    let found = match teller {
        Some(teller) => fetched(&state, teller, token, arguments(&params)).await,
        None => of_message(&state, token, arguments(&params)).await,
    };
    match found {
        Ok(response) => response,
        Err(problem) if problem.status == 401 => match state.count_stranger(from) {
            Ok(()) => session::go_sign_in(&state, "/console"),
            Err(refused) => parts::problem(t, &refused),
        },
        Err(problem) => parts::problem(t, &problem),
    }
}

fn arguments(params: &RawPathParams) -> Arguments {
    let path = params.iter().map(|(name, value)| (name.to_owned(), value.to_ascii_lowercase()));
    Arguments { path: path.collect(), ..Arguments::default() }
}

/// Leads to the signed address at which a file is fetched.
async fn fetched(
    state: &Arc<State>,
    (operation, place): FileOperation,
    token: Credential,
    arguments: Arguments,
) -> Result<Response<Body>> {
    let operation = allowed_operation(state, operation)?.clone();
    let shared = state.clone();
    let read = move |tx: &mut Tx<'_>| {
        let person = browsers::authenticate(tx, &shared.env, &token)?;
        counted(&shared, &person.caller)?;
        // The form that leads here requires the password.
        if operation.needs_reauthentication()
            && !person.session.is_sure(shared.env.wall_clock.now())
        {
            return Err(Problem::invalid("-password", ConsoleRule::NeededAgain));
        }
        let mut request = PreparedRequest::new(operation.clone(), Ok(arguments.clone()), Ok(None));
        request.run(tx, &shared.env, &person.caller, "")
    };
    let answer = state.db.read(read).await?;
    let output: serde_json::Value =
        serde_json::from_str(&answer.data).map_err(Problem::internal)?;
    // The address is served at any host.
    let address = output.text(place);
    let path = address.find("/files/").map_or("/console", |at| &address[at..]);
    Ok(session::redirect(path))
}

/// The file of a message.
async fn of_message(
    state: &Arc<State>,
    token: Credential,
    arguments: Arguments,
) -> Result<Response<Body>> {
    let caller = signed_in(state, &token).await?.caller;
    counted(state, &caller)?;
    Access::SignedIn.check(&caller)?;
    caller.check_second_step()?;
    message_file(state, &caller, &arguments).await
}

fn counted(state: &State, caller: &Caller) -> Result<()> {
    state.count_caller(caller.rate_limit_id()).check()
}
