use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    samples::{Ids, Sample, SampleFuture},
    site::publish,
    text,
};

/// The public site, what strangers see of it, and what clients order.
pub struct Site;

impl Sample for Site {
    fn has(&self, operation: &Operation) -> bool {
        let places = ["/company/site", "/site/", "/sign-ups", "/finance/clients/{clientId}/orders"];
        places.iter().any(|place| operation.path.starts_with(place))
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            if !ids.contains_key("slug") {
                ids.insert(
                    "slug",
                    publish(app, json!({"paymentChoices": ["online", "desk"]})).await,
                );
            }
            // An unpaid order of whoever the path names.
            let path = format!("/finance/clients/{}/orders", ids["clientId"]);
            let connect = json!({"provider": "sandbox"});
            app.app("PUT", "/company/payment-provider", Some(connect)).await.ok();
            let body = self.body("create_shop_order", ids);
            let made = app.post(&path, body).await.ok();
            ids.insert("shopOrderId", text(made.data(), "/shopOrder/shopOrderId"));
            ids.insert("signUpId", "0123456789abcdef01234567".to_owned());
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "update_site" => json!({"tagline": {"en": "Train by the river"}}),
            "create_sign_up" => {
                json!({"firstName": "Ann", "email": format!("{}@example.com", random_text())})
            }
            "confirm_sign_up" => json!({"code": "123456"}),
            "create_shop_order" => {
                json!({"productId": ids["productId"], "paymentChoice": "online"})
            }
            other => panic!("{other} needs a good body here"),
        }
    }
}
