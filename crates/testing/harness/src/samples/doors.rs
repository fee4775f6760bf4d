use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// Doors, credentials, and requirements.
pub struct Doors;

fn card() -> Value {
    json!({"kind": "card", "number": random_text().replace('-', "")})
}

impl Sample for Doors {
    fn has(&self, operation: &Operation) -> bool {
        ["/access", "/visits"].iter().any(|place| operation.path.starts_with(place))
            || operation.path.contains("/access-")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let device = json!({"name": "Front door", "locationId": ids["locationId"]});
            let made = app.app("POST", "/access-devices", Some(device)).await.ok();
            ids.insert("deviceId", text(made.data(), "/device/deviceId"));
            if of.is_none() {
                ids.insert("deviceKey", text(made.data(), "/deviceKey"));
            }
            let (client, product) = (&ids["clientId"], &ids["productId"]);
            let path = format!("/clients/{client}/access-credentials");
            let made = app.app("POST", &path, Some(card())).await.ok();
            let credential = text(made.data(), "/accessCredential/credentialId");
            let rule = json!({"zones": ["gym"]});
            app.app("PUT", &format!("/access-rules/{product}"), Some(rule)).await.ok();
            let path = format!("/clients/{client}/access-block");
            match of.map(|of| of.id) {
                Some("block_access" | "scan_access" | "record_late_scans") => {}
                _ => drop(app.app("PUT", &path, Some(json!({"note": "Rude"}))).await.ok()),
            }
            ids.insert("credentialId", credential);
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        let view = json!({"kind": "card", "number": "04A2 3F91"});
        match operation {
            "register_access_device" => {
                json!({"name": "Back door", "locationId": ids["locationId"]})
            }
            "update_access_device" => json!({"name": "Side door", "passback": "timed"}),
            "rotate_access_device_key"
            | "revoke_access_device"
            | "revoke_access_credential"
            | "delete_access_rule"
            | "unblock_access" => json!({}),
            "add_access_credential" => card(),
            "update_access_credential" => json!({"status": "lost"}),
            "set_access_rule" => json!({"zones": ["sauna"],
                "hours": [{"weekday": 1, "from": "09:00", "until": "16:00"}]}),
            "set_access_zone" => json!({"capacity": 40}),
            "block_access" => json!({"note": "Banned"}),
            "scan_access" => json!({"scanId": random_text(), "credential": view}),
            "record_late_scans" => json!({"sentAt": "2026-11-02T10:00:00Z", "scans": [
                {"scanId": random_text(), "credential": view, "decision": "allow",
                    "occurredAt": "2026-11-02T09:00:00Z"}]}),
            "send_heartbeat" => json!({"deviceTime": "2026-11-02T10:00:00Z", "firmware": "1.2"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
