use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    assistant::{Assistant, switch_on},
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// An assistant that was allowed something, a key, and a request that waits.
pub struct Assistants;

impl Sample for Assistants {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.contains("/mcp/")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async {
            switch_on(app).await;
            let assistant = Assistant::register(app).await;
            let request = assistant.request(app, None).await;
            let path = "/company/mcp/oauth/approve";
            let granted = app.app("POST", path, Some(json!({"requestId": request}))).await.ok();
            let new = json!({"name": "Script", "modules": ["clients"]});
            let key = app.app("POST", "/company/mcp/keys", Some(new)).await.ok();
            ids.insert("grantId", text(granted.data(), "/grant/grantId"));
            ids.insert("keyId", text(key.data(), "/key/keyId"));
            ids.insert("requestId", assistant.request(app, None).await);
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "approve_company_mcp" | "approve_client_mcp" => json!({"requestId": ids["requestId"]}),
            "limit_mcp_grant" => json!({"readOnly": true}),
            "create_mcp_key" => json!({"name": "Script", "modules": ["clients"]}),
            "set_mcp_policy" => json!({"clientModules": ["client_ai_account"]}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
