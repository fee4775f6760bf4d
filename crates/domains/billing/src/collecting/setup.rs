//! Saving a card or bank account: the page of a request, which redirects to the provider's page, and the result.
//! Numbers are only typed there.

use maud::html;
use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::company::Company;
use spotter_contract::{
    Area, LinkedDocument, Path, Read, ReaderDocument, Success, Timer, Write, answer, operation,
    vault::digest,
};
use spotter_kernel::{
    Id, Key, Result, Timestamp,
    id::ClientId,
    secret::{Credential, CredentialKind},
};
use spotter_people::clients::{Client, ClientPath, letter_reader};
use spotter_store::{params, record, set, statements, values, words};

use super::{
    connection,
    method::{self, MethodFacts},
    methods, notice,
    provider::{ProviderAccount, ProviderName, SetupOrder},
};
use crate::{
    billing::texts,
    ids::{PaymentMethodId, PaymentSetupId},
    payments::page,
};

/// How long a card or an account can be left, in days.
const OPEN_DAYS: i64 = 7;

words! {
    /// Current status.
    pub enum SetupStatus { Open = "open", Done = "done" }
}

record! {
    /// An invitation to store a payment method.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct PaymentSetup {
        /// Id of the payment setup.
        pub payment_setup_id: PaymentSetupId,
        /// The client who is to pay.
        pub client_id: ClientId,
        /// The payment provider that stores the method.
        pub provider: ProviderName,
        /// The key of its page.
        #[serde(skip)]
        pub digest: Vec<u8>,
        /// Current status.
        pub status: SetupStatus,
        /// Id at the provider.
        #[serde(skip)]
        pub reference: Option<String>,
        /// The payment method that was added.
        pub payment_method_id: Option<PaymentMethodId>,
        /// Instant at which the setup expires.
        pub expires_at: Timestamp,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

impl PaymentSetup {
    fn save(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }

    fn is_open(&self, now: Timestamp) -> bool {
        self.status == SetupStatus::Open && now < self.expires_at
    }
}

/// The page of a request to leave a card or an account.
pub static PAGE: LinkedDocument = LinkedDocument {
    place: ("/pay/methods/", ""),
    kind: CredentialKind::SetupPage,
    media_type: "text/html; charset=utf-8",
    keep_seconds: 0,
    read,
};

fn opened_by(cx: &mut Read, credential: &Credential) -> Result<Option<PaymentSetup>> {
    cx.one(BY_DIGEST, params![digest(credential).to_vec()])
}

fn read(cx: &mut Read, credential: &Credential) -> Result<Option<ReaderDocument>> {
    let Some(setup) = opened_by(cx, credential)? else { return Ok(None) };
    let language = letter_reader::language_of(cx, setup.client_id)?;
    let (company, words) = (Company::find(cx)?.name, texts::setup_page(&language));
    let page = page::shell(
        &language,
        words.title,
        &company,
        setup.is_open(cx.now()) && setup.reference.is_some(),
        html! {
            h1 { (words.title) }
            @if setup.status == SetupStatus::Done {
                p.done { (words.done) }
            } @else if setup.is_open(cx.now()) {
                p { (words.mandate) }
                form method="post" { button { (words.go) } }
            } @else {
                p.done { (words.expired) }
            }
        },
    );
    let reader = setup.payment_setup_id.0;
    Ok(Some(ReaderDocument { reader, content: page.into_string().into_bytes() }))
}

answer!(SetupAnswer {
    payment_setup: PaymentSetup,
    /// The page where the client leaves a card or an account; shown this once.
    setup_url: String,
});

/// Asks a client to save a card or bank account, and returns the address of the page.
pub fn open(
    cx: &mut Write,
    client: ClientId,
    provider: ProviderName,
    days: i64,
) -> Result<(PaymentSetup, String)> {
    let credential = cx.new_credential(CredentialKind::SetupPage);
    let setup = PaymentSetup {
        payment_setup_id: PaymentSetupId(cx.new_id()),
        client_id: client,
        provider,
        digest: digest(&credential).to_vec(),
        status: SetupStatus::Open,
        reference: None,
        payment_method_id: None,
        expires_at: cx.now().plus_days(days),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.defer(INSERT, &setup.params())?;
    Ok((setup, PAGE.address(&cx.env().address, &credential)))
}

fn create_payment_setup(cx: &mut Write, Path(at): Path<ClientPath>) -> Result<SetupAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let provider = methods::required_provider(cx)?;
    methods::check_room(cx, client.client_id)?;
    let (payment_setup, setup_url) = open(cx, client.client_id, provider, OPEN_DAYS)?;
    cx.set_audit_target("payment_setup", payment_setup.payment_setup_id, ["paymentSetup"]);
    Ok(SetupAnswer { payment_setup, setup_url })
}

/// What to request from a provider when the page of a setup is opened; `None` where it is over.
pub fn to_ask(
    cx: &mut Read,
    credential: &Credential,
) -> Result<Option<(ProviderAccount, SetupOrder)>> {
    let Some(setup) = opened_by(cx, credential)?.filter(|setup| setup.is_open(cx.now())) else {
        return Ok(None);
    };
    let Some(account) = connection::account(cx)?.filter(|own| own.provider == setup.provider)
    else {
        return Ok(None);
    };
    let client = Client::find(cx, setup.client_id)?;
    if client.is_archived() {
        return Ok(None);
    }
    let order =
        SetupOrder { setup: setup.payment_setup_id, client: setup.client_id, name: client.name() };
    Ok(Some((account, order)))
}

/// Records the provider's id of a setup.
pub fn record_reference(cx: &mut Write, id: PaymentSetupId, reference: &str) -> Result<()> {
    let setup: PaymentSetup = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
    schedule_query(cx, id)?;
    PaymentSetup { reference: Some(reference.to_owned()), ..setup }.save(cx)
}

/// Seconds after which a provider is queried about a setup that it has sent no notice of.
const QUERY_SECONDS: i64 = 3_600;

fn schedule_query(cx: &mut Write, id: PaymentSetupId) -> Result<()> {
    let at = cx.now().plus_seconds(QUERY_SECONDS);
    cx.set_timer(&QUERY_SETUP, id, at)
}

fn query_provider(cx: &mut Write, id: Id) -> Result<()> {
    let Some(setup) = waiting(cx, PaymentSetupId(id))? else { return Ok(()) };
    notice::query_setup(cx, &setup)?;
    // A page that was opened in time may be left a while later.
    match cx.now() < setup.expires_at.plus_days(1) {
        true => schedule_query(cx, PaymentSetupId(id)),
        false => Ok(()),
    }
}

static QUERY_SETUP: Timer = Timer::new(
    "ask_about_setup",
    "Query the result of saving a card or bank account",
    query_provider,
);

/// The provider's id of an unfinished setup.
pub fn waiting(cx: &mut Read, id: PaymentSetupId) -> Result<Option<PaymentSetup>> {
    let setup: Option<PaymentSetup> = cx.one(FIND, params![id])?;
    Ok(setup.filter(|setup| setup.status == SetupStatus::Open))
}

/// Stores the method that a client has saved.
pub fn conclude(cx: &mut Write, id: PaymentSetupId, facts: &MethodFacts) -> Result<()> {
    let Some(mut setup) = waiting(cx, id)? else { return Ok(()) };
    let method = method::store(cx, setup.client_id, setup.provider, facts)?;
    setup.status = SetupStatus::Done;
    setup.payment_method_id = Some(method.payment_method_id);
    setup.updated_at = cx.now();
    setup.save(cx)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&QUERY_SETUP]).operations([
        operation!(app POST "/finance/clients/{clientId}/payment-methods/setups", Manager,
            create_payment_setup)
        .success(Success::Added)
        .summary("Create a payment setup")
        .describe(
            "Returns `setupUrl`, a page that is open for a week, on which the client adds a \
                 payment method at the provider. No payment details pass through this API.",
        )
        .created()
        .payment_page()
        .for_client(&[])
        .fails(&[Key::CompanyNotFound, Key::ApiError]),
    ])
}

statements! {
    FIND = "SELECT ", PaymentSetup::COLUMNS, " FROM payment_setup \
        WHERE company_id = ?1 AND payment_setup_id = ?2";
    BY_DIGEST = "SELECT ", PaymentSetup::COLUMNS, " FROM payment_setup \
        WHERE company_id = ?1 AND digest = ?2";
    INSERT = "INSERT INTO payment_setup ", values!(PaymentSetup);
    SAVE = "UPDATE payment_setup SET ", set!(PaymentSetup),
        " WHERE company_id = ?1 AND payment_setup_id = ?2";
}
