//! Tools in both eras of the protocol.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_assistants::modules::{GrantSubject, Module, OF_ALL, PROPOSED, scope_of};
use spotter_contract::{Access, Operation};
use spotter_harness::{
    App,
    assistant::{Assistant, call, rpc, switch_on},
    people, scenario, send, text,
    world::{World, begins_a_job, prepare, tool_arguments},
};
use spotter_kernel::Event;

use crate::tool_results::with_key;

/// Prefixes of tools that need a confirmation.
const ASKS: &[&str] = &[
    "accept_offered",
    "adjust",
    "archive",
    "assign_checkup",
    "assign_form",
    "assign_membership",
    "assign_product",
    "cancel",
    "change_bookings",
    "change_clients",
    "create_booking",
    "create_desk_sale",
    "create_payment_request",
    "create_recurring_booking",
    "delete",
    "disable",
    "end_",
    "reject",
    "remind",
    "request",
    "revoke",
    "send",
];

/// Whether an operation may cost money or credits, by its events.
fn may_cost(operation: &Operation) -> bool {
    const COSTS: &[Event] = &[
        Event::CreditAdjusted,
        Event::CreditRevoked,
        Event::InvoiceCreated,
        Event::PaymentSucceeded,
        Event::PaymentFailed,
        Event::PaymentRequestCreated,
        Event::SubscriptionCancelled,
        Event::ClientProductAssigned,
        Event::ClientProductRevoked,
        Event::MembershipAssigned,
    ];
    operation.writes && operation.events.iter().any(|event| COSTS.contains(event))
}

/// Every operation that may cost a person money or credits is previewed: a rule, not a list of names.
#[test]
fn costly_operations_have_a_preview() {
    let tools: BTreeSet<&str> =
        Module::ALL.iter().flat_map(|module| module.tools()).copied().collect();
    let all = spotter::areas::operations();
    let silent = all.iter().filter(|operation| {
        tools.contains(operation.id) && may_cost(operation) && !operation.needs_confirmation()
    });
    let silent: Vec<&str> = silent.map(|operation| operation.id).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

pub(crate) async fn all_of(app: &App) -> String {
    let all: Vec<_> = Module::of(GrantSubject::Company).collect();
    let assistant = Assistant::register(app).await;
    assistant.tokens(app, &app.coach_token, "company", Some(&scope_of(&all))).await.0
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| text(tool, "/name")).collect()
}

/// A tool's description is complete: purpose, arguments, result, confirmation.
#[scenario]
async fn every_tool_is_described(app: App) {
    switch_on(&app).await;
    let access = all_of(&app).await;
    let list = rpc(&app, &access, "tools/list", json!({})).await;
    let response = list.body["result"]["tools"].as_array().unwrap();
    assert!(response.len() > 25, "{}", response.len());
    for tool in response {
        let name = text(tool, "/name");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        let takes = |argument: &str| tool["inputSchema"]["properties"][argument].is_object();
        let id = name.strip_prefix("preview_").unwrap_or(&name);
        let mut operations = spotter::areas::operations().into_iter();
        let operation = operations.find(|operation| operation.id == id).unwrap();
        // Irreversible operations, and those that cost money or credits or write to people, are previewed.
        let response = ASKS.iter().any(|word| id.starts_with(word)) || may_cost(&operation);
        assert_eq!(operation.needs_confirmation(), response, "{name}");
        // Annotations declare what overwrites; read tools change nothing.
        let reads = tool["annotations"]["readOnlyHint"] == true;
        assert_eq!(reads, !operation.writes || id != name, "{name}");
        let overwrites = ["update", "set", "reschedule", "put", "block"];
        let overwrites = overwrites.iter().any(|word| id.starts_with(word));
        if !reads && (overwrites || operation.needs_confirmation()) {
            assert_eq!(tool["annotations"]["destructiveHint"], true, "{name}");
        }
        assert_eq!(takes("confirmToken"), operation.needs_confirmation() && id == name, "{name}");
        for reference in tool.to_string().split("\"#/$defs/").skip(1) {
            let target = reference.split('"').next().unwrap();
            let mut schemas = [&tool["inputSchema"], &tool["outputSchema"]].into_iter();
            assert!(schemas.any(|schema| schema["$defs"][target].is_object()), "{name} {target}");
        }
    }
}

#[test]
fn every_tool_is_an_operation_of_its_modules_scopes() {
    let operations = spotter::areas::operations();
    for module in Module::ALL {
        for tool in module.tools() {
            let operation = operations.iter().find(|operation| operation.id == *tool);
            let operation = operation.unwrap_or_else(|| panic!("{tool} is no operation"));
            if let Access::Scope(scope) = operation.access {
                assert!(module.scopes().contains(&scope), "{tool} is not of {}", module.key());
            }
            // A payment link is meant to be passed on.
            assert!(
                !operation.is_secret() || operation.secret == spotter_contract::Secret::PaymentPage,
                "{tool} tells a secret"
            );
            assert!(!operation.writes || !module.changes().is_empty(), "{tool} changes");
            // A client's assistant can do what clients can do.
            let of_clients = operation.for_client.is_some() || operation.access == Access::SignedIn;
            let of_company = module.subject() == GrantSubject::Company;
            assert!(of_company || of_clients, "{tool} of {}", module.key());
        }
    }
}

/// The tools of all modules of a subject.
async fn every_tool(app: &App, subject: GrantSubject) -> Vec<Value> {
    switch_on(app).await;
    let access = match subject {
        GrantSubject::Company => all_of(app).await,
        GrantSubject::Client => {
            let all: Vec<_> = Module::of(GrantSubject::Client).collect();
            let (_, token) = people::client(app).await;
            let assistant = Assistant::register(app).await;
            assistant.tokens(app, &token, "client", Some(&scope_of(&all))).await.0
        }
    };
    let list = rpc(app, &access, "tools/list", json!({})).await;
    list.body["result"]["tools"].as_array().unwrap().clone()
}

/// The size of a tool for a model before its first call, at four bytes per token.
fn tokens(tool: &Value) -> usize {
    let text = |field: &str| tool[field].as_str().unwrap().len();
    (text("name") + text("description") + tool["inputSchema"].to_string().len()).div_ceil(4)
}

/// The documented budget holds for each module, and for the default proposal.
#[scenario]
async fn tools_stay_within_their_budget(app: App) {
    let mut response = every_tool(&app, GrantSubject::Company).await;
    let of_modules = |tools: &[Value], modules: &[Module]| -> usize {
        let own = tools.iter().filter(|tool| {
            let name = text(tool, "/name");
            let id = name.strip_prefix("preview_").unwrap_or(&name);
            modules.iter().any(|module| module.tools().contains(&id))
        });
        own.map(tokens).sum()
    };
    let proposed = of_modules(&response, PROPOSED);
    assert!(proposed <= 6_700, "{proposed} tokens are proposed");
    let document = include_str!("../../../../docs/MCP.md");
    let stated = |key: &str| -> usize {
        let row = document.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("{key} is not in the document"));
        row.split('|').nth(2).unwrap().trim().replace(',', "").parse().unwrap_or_default()
    };
    let mut off = Vec::new();
    for subject in [GrantSubject::Company, GrantSubject::Client] {
        if subject == GrantSubject::Client {
            response = every_tool(&app, subject).await;
        }
        for module in Module::of(subject) {
            let (counted, stated) = (of_modules(&response, &[module]), stated(module.key()));
            if counted > stated || stated > counted + counted / 8 + 20 {
                off.push(format!("{} has {counted}, stated are {stated}", module.key()));
            }
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}

/// Every id that a tool needs is returned by another tool that the same person can have.
#[scenario]
async fn every_id_can_be_found(app: App) {
    fn names(schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(fields) => {
                let own = fields.get("properties").and_then(Value::as_object);
                found.extend(own.into_iter().flat_map(|own| own.keys().cloned()));
                fields.values().for_each(|value| names(value, found));
            }
            Value::Array(all) => all.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }
    for subject in [GrantSubject::Company, GrantSubject::Client] {
        let tools = every_tool(&app, subject).await;
        let mut response = BTreeSet::new();
        let lists = tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true);
        lists.for_each(|tool| names(&tool["outputSchema"], &mut response));
        for tool in &tools {
            let mut wanted = BTreeSet::new();
            names(&tool["inputSchema"], &mut wanted);
            let missing: Vec<_> = wanted
                .iter()
                .filter(|name| name.ends_with("Id") || name.ends_with("Token"))
                .filter(|name| !response.contains(*name))
                .collect();
            assert!(missing.is_empty(), "{} wants {missing:?}", text(tool, "/name"));
        }
    }
}

/// Long fields of a list are left to the tool that gets one record.
#[scenario]
async fn list_summaries_include_choosing_fields(app: App) {
    switch_on(&app).await;
    let access = all_of(&app).await;
    let client = app.new_client(json!({"firstName": "Ann", "dateOfBirth": "1990-01-02"})).await;
    let listed = call(&app, &access, "list_clients", json!({"search": "Ann"})).await;
    assert_eq!(listed["clients"][0]["clientId"], client.as_str());
    assert!(listed["clients"][0]["dateOfBirth"].is_null(), "{listed}");
    let got = call(&app, &access, "get_client", json!({"clientId": client})).await;
    assert_eq!(got["client"]["dateOfBirth"], "1990-01-02");
    app.events().await;
}

#[scenario]
async fn lists_follow_the_grant(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    for modules in
        [vec![Module::ClientNotes], vec![Module::Invoices], vec![Module::Clients, Module::Products]]
    {
        let scope = scope_of(&modules);
        let (access, _) = assistant.tokens(&app, &app.coach_token, "company", Some(&scope)).await;
        let list = rpc(&app, &access, "tools/list", json!({})).await;
        let mut expected: BTreeSet<_> = modules
            .iter()
            .flat_map(|module| module.tools())
            .chain(OF_ALL)
            .map(|tool| (*tool).to_owned())
            .collect();
        let calls = spotter::areas::operations()
            .into_iter()
            .filter(|operation| operation.needs_confirmation());
        let previews = calls.filter(|operation| expected.contains(operation.id));
        let previews: Vec<_> =
            previews.map(|operation| format!("preview_{}", operation.id)).collect();
        expected.extend(previews);
        let response = names(&list.body);
        assert!(response.is_sorted(), "{response:?}");
        assert_eq!(response.into_iter().collect::<BTreeSet<_>>(), expected);
    }
    // Workouts that are switched off have no tools.
    let access = all_of(&app).await;
    let before = names(&rpc(&app, &access, "tools/list", json!({})).await.body);
    assert!(before.contains(&"list_workout_sessions".to_owned()));
    app.app("PATCH", "/company/features", Some(json!({"workout": false}))).await.ok();
    let after = names(&rpc(&app, &access, "tools/list", json!({})).await.body);
    assert!(!after.iter().any(|name| name.contains("workout")), "{after:?}");
}

/// Every tool, called with good arguments: its answer matches its output schema.
#[scenario]
async fn every_tool_does_what_its_operation_does(app: App) {
    let mut world = World::new(app).await;
    let policies = json!({"cancellationWindowHours": 1, "bookingWindowDays": 1});
    world.app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let access = all_of(&world.app).await;
    let list = rpc(&world.app, &access, "tools/list", json!({})).await;
    let schemas: std::collections::BTreeMap<String, Value> = list.body["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (text(tool, "/name"), tool.clone()))
        .collect();
    let mut called = 0;
    for operation in spotter::areas::operations() {
        let Some(tool) = schemas.get(operation.id) else { continue };
        if begins_a_job(&operation) {
            called += 1 + usize::from(operation.needs_confirmation());
            continue;
        }
        // A nested record is created below the current one.
        let is_prepared = operation.writes || operation.id == "get_access_block";
        if is_prepared || operation.path.matches('{').count() > 1 {
            prepare(&operation, &mut world).await;
        }
        let mut arguments = tool_arguments(&operation, &world);
        if operation.needs_confirmation() {
            let name = format!("preview_{}", operation.id);
            let preview = call(&world.app, &access, &name, arguments.clone()).await;
            let output = jsonschema::draft202012::new(&schemas[&name]["outputSchema"]).unwrap();
            assert!(output.is_valid(&preview), "{name}: {preview}");
            arguments["confirmToken"] = preview["confirmToken"].clone();
            called += 1;
        }
        let input = jsonschema::draft202012::new(&tool["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments), "{}: {arguments}", operation.id);
        let response = call(&world.app, &access, operation.id, arguments).await;
        let output = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
        let wrong: Vec<_> = output.iter_errors(&response).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?} {response}", operation.id);
        if operation.writes {
            let events: Vec<_> =
                world.app.events().await.into_iter().map(|(name, _)| name).collect();
            let response = |event: &Event| events.iter().any(|name| name == event.name());
            assert!(operation.always.iter().all(response), "{}: {events:?}", operation.id);
            let may = |name: &String| operation.events.iter().any(|event| event.name() == name);
            assert!(events.iter().all(may), "{}: {events:?}", operation.id);
        }
        called += 1;
    }
    assert_eq!(called, schemas.len());
}

/// Every assistant learns whom it acts for, regardless of its grant; a client's assistant learns about the client.
#[scenario]
async fn an_assistant_knows_its_person(app: App) {
    switch_on(&app).await;
    let key = with_key(&app, json!({"name": "K", "modules": ["locations"]})).await;
    let own = call(&app, &key, "get_own_account", json!({})).await;
    let own = &own["account"];
    assert_eq!((&own["kind"], &own["role"]), (&json!("coach"), &json!("Admin")), "{own}");
    assert_eq!((&own["id"], &own["companyName"]), (&json!(app.admin), &json!("Test Gym")), "{own}");
    assert!(own["today"].is_string() && own["currency"].is_string(), "{own}");
    let wrong = json!({"name": "list_locations", "arguments": {"status": {}}});
    let response = rpc(&app, &key, "tools/call", wrong).await;
    assert!(
        response.body.to_string().contains("must be a text, a number, true or false"),
        "{}",
        response.body
    );
}

#[scenario]
async fn the_stateless_era_is_served(app: App) {
    switch_on(&app).await;
    let access = all_of(&app).await;
    let call = async |method: &str, name: Option<&str>, mut params: Value, version: &str| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = app.server.request("POST", "/mcp/v1").bearer_auth(&access);
        request = request.header("mcp-protocol-version", version).header("mcp-method", method);
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        send(request.json(&message)).await
    };
    let version = "2026-07-28";
    let found = call("server/discover", None, json!({}), version).await;
    assert_eq!(found.status, 200, "{}", found.body);
    let versions = found.body["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28") && versions.contains("2025-06-18"), "{}", found.body);
    // The one that has servers take batches, which are not taken.
    assert!(!versions.contains("2025-03-26"), "{}", found.body);
    let list = call("tools/list", None, json!({}), version).await;
    assert_eq!(list.body["result"]["cacheScope"], "private", "{}", list.body);
    assert!(list.body["result"]["ttlMs"].is_u64());
    assert!(list.headers.get("mcp-session-id").is_none());
    let params = json!({"name": "list_clients", "arguments": {}});
    let response = call("tools/call", Some("list_clients"), params.clone(), version).await;
    assert_eq!(response.body["result"]["structuredContent"]["total"], 0, "{}", response.body);
    // A header that contradicts the body, and an unknown version.
    let crossed = call("tools/call", Some("create_client"), params, version).await;
    assert_eq!(
        (crossed.status, &crossed.body["error"]["code"]),
        (400, &json!(-32020)),
        "{}",
        crossed.body
    );
    let old = call("tools/list", None, json!({}), "1999-01-01").await;
    assert_eq!(old.status, 400, "{}", old.body);
}
