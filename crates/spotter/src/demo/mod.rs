//! `spotter demo`: a believable company in an empty folder, ready to be tried.

mod billing;
mod company;
mod conversations;
mod entrusted;
mod front_door;
mod history;
mod people;
mod progress;
mod questions;
mod random;
mod shop;
mod timetable;
mod training;

use std::{fs, path::Path, time::Duration};

use serde::{Deserialize, Serialize};
use spotter_company::companies;
use spotter_contract::Env;
use spotter_files::Files;
use spotter_kernel::{Id, Problem, id::CompanyId};
use spotter_outbound::smtp::{Mailbox, Post};
use spotter_store::{Db, Tx};

use crate::{
    log, serve,
    settings::{LogFormat, Settings},
    sockets::Sockets,
    system,
};

/// The content of `demo.json`: where the demo is and how to sign in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Demo {
    /// The Public API's base address.
    pub base_url: String,
    /// The MCP server's base address.
    pub mcp_url: String,
    /// The company.
    pub company_id: Id,
    /// An API client with every scope and both consents.
    pub api_client: ApiClientLogin,
    /// A coach with the role Manager.
    pub manager: DemoLogin,
    /// A coach with the role Coach.
    pub coach: DemoLogin,
    /// A client with portal access.
    pub client: ClientLogin,
}

/// OAuth client credentials.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiClientLogin {
    /// The OAuth client id.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
}

/// A coach's sign-in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DemoLogin {
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
}

/// A client's sign-in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientLogin {
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
    /// The client's record.
    pub client_id: Id,
}

/// How long the database may take to be closed.
const CLOSING_MAX: Duration = Duration::from_secs(10);

/// Starts the demo and serves it until the process is asked to end.
pub(crate) fn run(
    data: &str,
    listen: Option<String>,
    database_url: Option<String>,
    clients: u64,
) -> Result<(), String> {
    let flag = |name: &str| match name {
        "data" => Some(data.to_owned()),
        "listen" => listen.clone(),
        "database_url" => database_url.clone(),
        _ => None,
    };
    let variable = |name: &str| match name {
        "SPOTTER_LOG" => Some(std::env::var(name).unwrap_or_else(|_| "warn".to_owned())),
        // Settings for a real installation's data do not apply to a demo.
        "SPOTTER_DATABASE_URL"
        | "SPOTTER_SECRET_KEY"
        | "SPOTTER_SMTP_URL"
        | "SPOTTER_MAIL_FROM" => None,
        _ => std::env::var(name).ok(),
    };
    let mut settings =
        Settings::read(flag, variable, None).map_err(|wrong| wrong.join("\n         "))?;
    // The people of this company do not exist: their mail stays here to be read.
    settings.mail = Some(Post::Mailbox(Mailbox::default()));
    log::start(&settings.log, LogFormat::Auto);
    let listener = Sockets::bind(&settings).map_err(|error| {
        format!("{error}; another address can be given, such as --listen 127.0.0.1:8081")
    })?;
    may_be_used(&settings.data)?;
    serve::make_folder(&settings)?;
    let _held = system::lock(&settings.data)?;
    let (env, db) = serve::open(&settings, None)?;
    let runtime = serve::runtime()?;
    let writing = Env { mail_links: Some(settings.address().into()), ..env.clone() };
    let demo = runtime.block_on(prepare(&settings, &writing, &db, clients))?;
    // Opened anew: what making it took is given back, and plans know how many rows there are.
    db.close(CLOSING_MAX);
    let (env, db) = serve::open(&settings, None)?;
    let (data, rate_limit) = (settings.data.clone(), settings.http.rate_limit);
    let ready = move || print!("{}", welcome(&demo, &data, rate_limit));
    runtime.block_on(serve::serve(settings, listener, env, db, serve::shutdown_signal(), ready))
}

/// Whether a folder is empty, or a demo's already.
fn may_be_used(folder: &Path) -> Result<(), String> {
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let own = ["demo.json", "spotter.db", "spotter.lock", "secret.key"];
    if own.iter().any(|name| folder.join(name).exists()) || entries.next().is_none() {
        return Ok(());
    }
    let folder = folder.display();
    Err(format!("{folder} holds other things; name an empty or a new folder with --data"))
}

/// The demo that the folder holds already, or a new one.
async fn prepare(settings: &Settings, env: &Env, db: &Db, clients: u64) -> Result<Demo, String> {
    let path = settings.data.join("demo.json");
    let known = read(&path)?;
    let id = known.as_ref().map(|demo| CompanyId(demo.company_id));
    let look = move |tx: &mut Tx<'_>| {
        let found = id.map_or(Ok(None), |id| companies::find(tx, id))?;
        Ok((found.is_some(), companies::is_empty(tx)?))
    };
    let mut demo = match (known, db.read(look).await.map_err(Problem::for_operators)?) {
        (Some(demo), (true, _)) => demo,
        (_, (_, false)) => {
            return Err("the database holds data that is not this folder's demo".into());
        }
        _ => {
            let files = Files::open(&settings.files).map_err(|trouble| trouble.to_string())?;
            history::build(env, db, &files, clients).await.map_err(Problem::for_operators)?
        }
    };
    demo.base_url = settings.address();
    demo.mcp_url = settings.mcp_address();
    let text = serde_json::to_string_pretty(&demo).map_err(|error| error.to_string())?;
    system::write_private(&path, &format!("{text}\n"))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(demo)
}

fn read(path: &Path) -> Result<Option<Demo>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let failed = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| failed(error.to_string()))
}

fn welcome(demo: &Demo, data: &Path, rate_limit: u32) -> String {
    let Demo { base_url, api_client: ApiClientLogin { client_id, client_secret }, .. } = demo;
    let login = |who: &str, email: &str, password: &str| format!("{who:<9}{email:<28}{password}");
    let logins = [
        login("manager", &demo.manager.email, &demo.manager.password),
        login("coach", &demo.coach.email, &demo.coach.password),
        login("client", &demo.client.email, &demo.client.password),
    ]
    .join("\n    ");
    let file = data.join("demo.json");
    format!(
        "\n\
         Spotter is ready: {name}, with its coaches, clients, locations and 18 months of history.\n\n  \
         open           {base_url}\n    \
         {logins}\n\n  \
         base address   {base_url}\n  \
         reference      {base_url}/docs\n  \
         its mail       {base_url}/demo/mail\n  \
         client id      {client_id}\n  \
         client secret  {client_secret}\n\n\
         Paste this:\n\n  \
         TOKEN=$(curl -s -u '{client_id}:{client_secret}' \\\n    \
         -d grant_type=client_credentials {base_url}/public/v1/oauth/token \\\n    \
         | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\n  \
         curl -s -H \"Authorization: Bearer $TOKEN\" '{base_url}/public/v1/clients?limit=2'\n\n\
         Every login is in {file}. A client may send {rate_limit} requests a minute\n\
         (SPOTTER_RATE_LIMIT changes that). Ctrl-C stops; the data stays, and the same command goes on\n\
         with it.\n",
        name = history::COMPANY_NAME,
        file = file.display(),
    )
}
