//! Products for integrations, clients and managers.

use serde_json::{Value, json};
use spotter_harness::{App, billing::new_product, people, scenario};

fn ids(list: &Value) -> Vec<&str> {
    list["products"]
        .as_array()
        .unwrap()
        .iter()
        .map(|product| product["productId"].as_str().unwrap())
        .collect()
}

#[scenario]
async fn passes_have_the_contracts_shape(app: App) {
    let id = new_product(
        &app,
        json!({"productType": "WeekPass", "name": {"nl": "Weekpas", "en": "Week pass"},
            "description": {"en": "Seven days in a row"}, "price": 4500, "vatPercentage": 9.5,
            "assignCredits": true, "credits": 3, "creditValidity": {"value": 2, "unit": "Week"},
            "allowNegativeCredits": true, "maxNegativeCredits": 1, "daysUsable": 5, "trial": true,
            "validityAfterPurchase": {"value": 3, "unit": "Month"}, "visibility": "VisibleInStore",
            "creditPools": [{"key": "sauna", "name": "Sauna", "credits": 1, "scheduleInterval": 1,
                "scheduleUnit": "Week", "mode": "Reset"}]}),
    )
    .await;
    let list = app.get("/finance/day-passes").await.ok();
    let data = list.data();
    assert_eq!((&data["total"], &data["hasNextPage"]), (&json!(1), &json!(false)));
    let mut product = data["products"][0].clone();
    for stamp in ["createdAt", "updatedAt"] {
        assert!(product[stamp].as_str().unwrap().ends_with('Z'));
        product.as_object_mut().unwrap().remove(stamp);
    }
    let none = json!({"value": 0, "unit": "Day"});
    assert_eq!(
        product,
        json!({"productId": id, "productType": "WeekPass", "defaultLanguage": "en",
            "visibility": "VisibleInStore", "storeType": "OneTime", "period": "Week",
            "creditCalendar": "Rolling", "cancellationNoticePeriod": "None",
            "name": {"en": "Week pass", "nl": "Weekpas"},
            "description": {"en": "Seven days in a row"}, "price": 4500, "vatPercentage": 9.5,
            "credits": 3, "maxNegativeCredits": 1, "daysUsable": 5, "currency": "EUR",
            "isArchived": false, "trial": true, "autoRenew": false, "assignCredits": true,
            "allowNegativeCredits": true, "creditValidity": {"value": 2, "unit": "Week"},
            "contractPeriod": none, "validityAfterPurchase": {"value": 3, "unit": "Month"},
            "creditPools": [{"key": "sauna", "name": "Sauna", "credits": 1, "scheduleInterval": 1,
                "scheduleUnit": "Week", "mode": "Reset"}]})
    );
    let one = app.get(&format!("/finance/products/{id}")).await.ok();
    assert_eq!(one.data()["product"], data["products"][0]);
    let legacy = new_product(&app, json!({"name": {"und": "Dagkaart"}})).await;
    let one = app.get(&format!("/finance/products/{legacy}")).await.ok();
    assert_eq!(one.data()["product"]["defaultLanguage"], Value::Null);
    assert_eq!(one.data()["product"]["name"], json!({"und": "Dagkaart"}));
    // The contract has no events for products.
    app.announced(&[]).await;
}

#[scenario]
async fn lists_search_and_filter(app: App) {
    let day = new_product(&app, json!({"name": {"en": "Early bird", "fr": "Été"}})).await;
    let hidden = new_product(&app, json!({"visibility": "HideProduct"})).await;
    let member = new_product(
        &app,
        json!({"productType": "Membership", "autoRenew": true, "period": "FourWeeks",
            "contractPeriod": {"value": 1, "unit": "Year"}, "cancellationNoticePeriod": "Month"}),
    )
    .await;
    let pack = new_product(&app, json!({"productType": "CreditPack", "credits": 10})).await;
    let bottle = new_product(&app, json!({"productType": "Other", "name": {"en": "Bottle"}})).await;
    for (path, found) in [
        ("/finance/day-passes", vec![&day, &hidden]),
        ("/finance/day-passes?search=ear%20b", vec![&day]),
        ("/finance/day-passes?search=ete", vec![&day]),
        ("/finance/day-passes?search=bird%25", vec![&day]),
        ("/finance/day-passes?search=ird", vec![]),
        ("/finance/day-passes?visibility=HideProduct", vec![&hidden]),
        ("/finance/day-passes?limit=1&page=2", vec![&hidden]),
        ("/finance/memberships", vec![&member]),
        ("/finance/credit-packs", vec![&pack]),
        ("/finance/products", vec![&pack, &member, &bottle, &day, &hidden]),
        ("/finance/products?productType=Other", vec![&bottle]),
        ("/finance/products?archived=true", vec![]),
    ] {
        let list = app.get(path).await.ok();
        assert_eq!(ids(list.data()), found, "{path}");
    }
    let long = "x".repeat(101);
    app.get(&format!("/finance/day-passes?search={long}"))
        .await
        .refused(400, "PUBLIC_API_FIELD_TOO_LONG")
        .about("search");
    app.get("/finance/day-passes?visibility=Hidden")
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("visibility");
    app.get("/finance/day-passes?archived=true").await.refused(400, "request.invalid");
}

#[scenario]
async fn managers_write_and_put_in_order(app: App) {
    let (first, second) = (new_product(&app, json!({})).await, new_product(&app, json!({})).await);
    let third = new_product(&app, json!({"productType": "WeekPass"})).await;
    let order = |ids: Value| app.app("PUT", "/product-order", Some(ids));
    order(json!({"shelf": "Passes", "productIds": [third, first, second]})).await.ok();
    let list = app.get("/finance/day-passes").await.ok();
    assert_eq!(ids(list.data()), [&third, &first, &second]);
    for wrong in
        [vec![&third, &first], vec![&third, &first, &first], vec![&third, &first, &second, &second]]
    {
        order(json!({"shelf": "Passes", "productIds": wrong}))
            .await
            .refused(400, "request.invalid")
            .about("productIds");
    }
    // Archived products come last and have no position.
    app.app("POST", &format!("/products/{third}/archive"), None).await.ok();
    let list = app.get("/finance/day-passes").await.ok();
    assert_eq!(ids(list.data()), [&first, &second, &third]);
    assert_eq!(list.data()["products"][2]["isArchived"], true);
    order(json!({"shelf": "Passes", "productIds": [second, first]})).await.ok();
    app.app("POST", &format!("/products/{third}/restore"), None).await.ok();
    let list = app.get("/finance/day-passes").await.ok();
    assert_eq!(ids(list.data()).len(), 3);
    assert_eq!(list.data()["products"][2]["productId"], first.as_str());
    let path = format!("/products/{first}");
    let change = |body: Value| app.app("PATCH", &path, Some(body));
    let changed = change(json!({"price": 0, "name": {"en": "Free", "nl": "Gratis"}})).await.ok();
    assert_eq!(changed.data()["product"]["price"], 0);
    for (body, field) in [
        (json!({"price": -1}), "price"),
        (json!({"price": 12.5}), "price"),
        (json!({"price": null}), "price"),
        (json!({"vatPercentage": 100.01}), "vatPercentage"),
        (json!({"vatPercentage": 9.555}), "vatPercentage"),
        (json!({"currency": "euro"}), "currency"),
        (json!({"name": {"english": "x"}}), "name"),
        (json!({"period": "Month"}), "period"),
        (json!({"defaultLanguage": "fr"}), "defaultLanguage"),
        (json!({"productType": "Other"}), "productType"),
        (json!({"creditValidity": {"value": 1, "unit": "Hour"}}), "creditValidity.unit"),
    ] {
        let refused = change(body.clone()).await.about(field);
        assert_eq!(refused.status, 400, "{body}");
    }
    let audit = app.get("/audit-logs?operation=update_product").await.ok();
    assert_eq!(audit.data()["total"], 1);
    assert_eq!(audit.data()["auditLogs"][0]["changedFields"], json!(["name", "price"]));
    let (_, coach) = people::coach(&app, "Coach").await;
    app.app_as(&coach, "GET", &path, None).await.ok();
    app.app_as(&coach, "PATCH", &path, Some(json!({"price": 1})))
        .await
        .refused(403, "auth.forbidden");
    let other = App::new(app.server.clone()).await;
    other.app("GET", &path, None).await.refused(404, "resource.not_found");
}

#[scenario]
async fn clients_see_visible_products(app: App) {
    let mut seen = Vec::new();
    for visibility in
        ["Visible", "VisibleInStore", "VisibleInStoreAndApp", "VisibleInApp", "HideProduct"]
    {
        let id = new_product(&app, json!({"visibility": visibility})).await;
        let is_listed = !["VisibleInStore", "HideProduct"].contains(&visibility);
        seen.push((id, is_listed, visibility != "HideProduct"));
    }
    let gone = new_product(&app, json!({})).await;
    app.app("POST", &format!("/products/{gone}/archive"), None).await.ok();
    seen.push((gone, false, false));
    let (_, client) = people::client(&app).await;
    let list = app.app_as(&client, "GET", "/products", None).await.ok();
    let view: Vec<_> = seen.iter().filter(|(_, view, _)| *view).map(|(id, ..)| id).collect();
    assert_eq!(ids(list.data()), view);
    // What is shown in the store alone is bought in the shop, by who chose it there.
    for (id, _, view) in &seen {
        let one = app.app_as(&client, "GET", &format!("/products/{id}"), None).await;
        assert_eq!(one.status, if *view { 200 } else { 404 });
    }
    app.app_as(&client, "POST", "/products", Some(json!({"productType": "DayPass"})))
        .await
        .refused(403, "auth.forbidden");
    assert_eq!(app.app("GET", "/products", None).await.ok().data()["total"], 6);
}
