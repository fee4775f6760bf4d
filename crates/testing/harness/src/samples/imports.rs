use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    imports::brought,
    samples::{Ids, Sample, SampleFuture},
};

/// An uploaded file of clients.
pub struct Imports;

impl Sample for Imports {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/imports")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let import = brought(app, "clients", "Voornaam\nImke\n").await;
            ids.insert("importId", import);
        })
    }

    fn body(&self, operation: &str, _: &Ids) -> Value {
        match operation {
            "create_import" => json!({"kind": "clients", "text": "First name\nImke\n"}),
            "set_import_columns" => json!({"columns": ["lastName"], "dateOrder": "month_first"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
