use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A location.
pub struct Locations;

impl Sample for Locations {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/locations")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async {
            let made = app.post("/locations", json!({"name": "Centre"})).await.ok();
            ids.insert("locationId", text(made.data(), "/location/locationId"));
        })
    }

    fn body(&self, _: &str, _: &Ids) -> Value {
        json!({"name": "East"})
    }
}
