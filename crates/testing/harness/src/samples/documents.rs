use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    documents::link,
    forms::send_file,
    random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// Documents of a client, in folders.
pub struct Documents;

impl Sample for Documents {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/document")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let of = of.map_or("", |operation| operation.id);
            let made = app.post("/document-folders", json!({"name": random_text()})).await.ok();
            let folder = text(made.data(), "/documentFolder/folderId");
            let client = &ids["clientId"];
            let sent = send_file(app, &app.coach_token).await;
            let new = json!({"uploadId": sent, "type": "waiver", "clientId": client});
            let made = app.app("POST", "/document-files", Some(new)).await.ok();
            let document = text(made.data(), "/document/documentId");
            if matches!(of, "restore_document") {
                app.act(&format!("/documents/{document}/archive")).await.ok();
            }
            if of != "delete_document_folder" {
                link(app, json!({"clientId": client, "folderId": folder})).await;
            }
            ids.insert("documentId", document);
            ids.insert("folderId", folder);
            if matches!(of, "" | "file_document") {
                ids.insert("documentUploadId", send_file(app, &app.coach_token).await);
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_document_folder" => json!({"name": "Plans", "parentId": ids["folderId"]}),
            "update_document_folder" => json!({"name": "Old contracts"}),
            "link_document" => json!({"name": "House rules", "type": "contract",
                "url": "https://files.example.com/rules.pdf", "folderId": ids["folderId"],
                "expiresOn": "2030-01-01"}),
            "file_document" => json!({"uploadId": ids["documentUploadId"], "type": "plan",
                "name": "Summer"}),
            "update_document" => json!({"name": "Waiver of 2026", "folderId": ids["folderId"]}),
            "archive_document" | "restore_document" | "delete_document_folder" => json!({}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
