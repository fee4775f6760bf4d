use serde_json::{Value, json};
use spotter_contract::Operation;

use super::{Ids, Making, Sample};
use crate::{finance::new_product, harness::App};

/// A product.
pub struct Shop;

impl Sample for Shop {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.contains("/product")
    }

    fn make<'m>(&'m self, app: &'m App, ids: &'m mut Ids, of: Option<&'m Operation>) -> Making<'m> {
        Box::pin(async move {
            if of.is_none() {
                let product = new_product(app, json!({"productType": "Other"})).await;
                ids.insert("productId", product);
            }
            if of.is_some_and(|operation| operation.id == "restore_product") {
                let path = format!("/products/{}/archive", ids["productId"]);
                app.app("POST", &path, None).await.ok();
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_product" => {
                json!({"productType": "DayPass", "name": {"en": "Day"}, "price": 1500})
            }
            "update_product" => json!({"price": 1750}),
            "order_products" => json!({"shelf": "Others", "productIds": [ids["productId"]]}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
