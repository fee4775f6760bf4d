//! Sales: with invoice, credits and events, as previewed.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{invoices, new_product, sold},
    people, random_text, scenario, text,
};

#[scenario]
async fn a_sale_equals_its_preview(app: App) {
    let client = app.new_client(json!({"firstName": "Ann", "lastName": "Bos"})).await;
    let pack = json!({"productType": "CreditPack", "name": {"en": "Ten rides", "nl": "Tien ritten"},
        "price": 9900, "vatPercentage": 9, "assignCredits": true, "credits": 10,
        "creditValidity": {"value": 3, "unit": "Month"}});
    let product = new_product(&app, pack).await;
    app.events().await;
    let (path, sale) =
        (format!("/finance/clients/{client}/products"), json!({"productId": product}));
    let before = app.state().await;
    let preview = app.post(&format!("{path}/preview"), sale.clone()).await.ok();
    let preview = &preview.data()["preview"];
    assert_eq!(before, app.state().await, "a preview changes nothing");
    let made = app.post(&path, sale).await.ok();
    assert_eq!(made.status, 201);
    let (bill, bought) = (&made.data()["invoice"], &made.data()["clientProduct"]);
    for name in ["lines", "taxes", "netTotal", "taxTotal", "grossTotal", "currency", "dueDate"] {
        assert_eq!(bill[name], preview[name], "{name}");
    }
    // 9900 · 9 / 109 is 817.43.
    assert_eq!((&bill["netTotal"], &bill["taxTotal"]), (&json!(9083), &json!(817)));
    assert_eq!((&bill["status"], &bill["balance"]), (&json!("open"), &json!(9900)));
    assert_eq!(bill["lines"][0]["description"], "Ten rides");
    assert_eq!(
        (&bill["buyer"]["name"], &bill["seller"]["name"]),
        (&json!("Ann Bos"), &json!("Test Gym"))
    );
    assert_eq!(
        (&bought["status"], &bought["productType"]),
        (&json!("active"), &json!("CreditPack"))
    );
    let response =
        app.announced(&["invoice.created", "client_product.assigned", "credit.assigned"]).await;
    assert_eq!(
        (&response[0]["number"], &response[0]["grossTotal"]),
        (&bill["number"], &json!(9900))
    );
    assert_eq!((&response[2]["kind"], &response[2]["amount"]), (&json!("grant"), &json!(10)));
    let credits = app.get(&format!("/finance/clients/{client}/credits")).await.ok();
    assert_eq!(credits.data()["credits"][0]["available"], 10);
    assert_eq!(credits.data()["lots"][0]["validUntil"], preview["credits"][0]["validUntil"]);
    // The invoice keeps what was sold, whatever happens to product and client.
    app.app("PATCH", &format!("/products/{product}"), Some(json!({"price": 1}))).await.ok();
    app.patch(&format!("/clients/{client}"), json!({"lastName": "Vos"})).await.ok();
    let path = format!("/finance/invoices/{}", bill["invoiceId"].as_str().unwrap());
    let again = app.get(&path).await.ok();
    assert_eq!(again.data()["invoice"], *bill);
    let list = app.get(&format!("/finance/clients/{client}/products")).await.ok();
    assert_eq!(list.data()["clientProducts"], json!([bought]));
    // Free products are paid.
    let free = json!({"productId": product, "price": 0});
    let made = app.post(&format!("/finance/clients/{client}/products"), free).await.ok();
    assert_eq!(made.data()["invoice"]["status"], "paid");
}

#[scenario]
async fn unsellable_products_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let pass = new_product(&app, json!({})).await;
    let gold = new_product(
        &app,
        json!({"productType": "Membership", "period": "Week", "autoRenew": true}),
    )
    .await;
    let gone = new_product(&app, json!({})).await;
    app.app("POST", &format!("/products/{gone}/archive"), None).await.ok();
    let left = app.new_client(json!({"firstName": "Bo"})).await;
    app.act(&format!("/clients/{left}/archive")).await.ok();
    let external = random_text();
    let sale = json!({"productId": pass, "externalId": external});
    app.post(&format!("/finance/clients/{client}/products"), sale).await.ok();
    app.events().await;
    let before = app.state().await;
    let products = |client: &str| format!("/finance/clients/{client}/products");
    let memberships = |client: &str| format!("/finance/clients/{client}/memberships");
    for (path, sale, status, key, field) in [
        (products(&client), json!({"productId": gold}), 409, "PUBLIC_API_ERROR", "productId"),
        (memberships(&client), json!({"productId": pass}), 409, "PUBLIC_API_ERROR", "productId"),
        (products(&client), json!({"productId": gone}), 409, "PUBLIC_API_ERROR", "productId"),
        (
            products(&client),
            json!({"productId": "0".repeat(24)}),
            404,
            "resource.not_found",
            "productId",
        ),
        (products(&left), json!({"productId": pass}), 409, "PUBLIC_API_ERROR", "clientId"),
        (
            products(&client),
            json!({"productId": pass, "externalId": external}),
            409,
            "PUBLIC_API_ERROR",
            "externalId",
        ),
        (
            products(&client),
            json!({"productId": pass, "startsOn": "2001-01-01"}),
            400,
            "request.invalid",
            "startsOn",
        ),
        (
            memberships(&client),
            json!({"productId": gold, "billingAnchor": "firstOfMonth", "startsOn": "2031-01-07"}),
            400,
            "request.invalid",
            "startsOn",
        ),
        (
            products(&client),
            json!({"productId": pass, "price": -1}),
            400,
            "request.invalid",
            "price",
        ),
    ] {
        for path in [path.clone(), format!("{path}/preview")] {
            app.post(&path, sale.clone()).await.refused(status, key).about(field);
        }
    }
    let nobody = products(&"0".repeat(24));
    app.post(&nobody, json!({"productId": pass})).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn days_before_the_first_cost_their_share(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let facts =
        json!({"productType": "Membership", "price": 3100, "period": "Month", "autoRenew": true});
    let product = new_product(&app, facts).await;
    let today = spotter_kernel::Timestamp::parse(&spotter_harness::dates::this_minute()).unwrap();
    let zone = spotter_kernel::TimeZone::UTC;
    let start = zone.date_at(today).0.last_of_month();
    let days = i64::from(start.day());
    for (first, amount) in [("prorate", (3100 + days / 2) / days), ("full", 3100), ("free", 0)] {
        let sale = json!({"productId": product, "billingAnchor": "firstOfMonth", "firstPeriod": first,
            "startsOn": start.to_string()});
        let path = format!("/finance/clients/{client}/memberships/preview");
        let preview = app.post(&path, sale).await.ok();
        let preview = &preview.data()["preview"];
        assert_eq!(preview["grossTotal"], amount, "{first}");
        assert_eq!(preview["billsToCome"][0]["periodStart"], start.tomorrow().unwrap().to_string());
        assert_eq!(preview["billsToCome"][0]["amount"], 3100);
        assert_eq!(preview["billsToCome"].as_array().unwrap().len(), 12);
    }
}

#[scenario]
async fn numbers_have_no_gaps_however_many_sell_at_once(app: App) {
    let product = new_product(&app, json!({})).await;
    let clients: Vec<String> = {
        let new = (0..5).map(|n| app.new_client(json!({"firstName": format!("C{n}")})));
        let mut all = Vec::new();
        for one in new {
            all.push(one.await);
        }
        all
    };
    let sell = |n: usize| {
        let (client, product) = (clients[n % 5].clone(), product.clone());
        let app = &app;
        async move {
            let path = format!("/finance/clients/{client}/products");
            let made = app.post(&path, json!({"productId": product})).await.ok();
            text(made.data(), "/invoice/number")
        }
    };
    let mut numbers = futures_util::future::join_all((0..50).map(sell)).await;
    numbers.sort();
    let year = &numbers[0][4..8];
    let all: Vec<String> = (1..=50).map(|n| format!("INV-{year}-{n:06}")).collect();
    assert_eq!(numbers, all);
}

#[scenario]
async fn clients_see_their_own_records(app: App) {
    let (client, token) = people::client(&app).await;
    let other = app.new_client(json!({"firstName": "Other"})).await;
    let own = sold(&app, &client, json!({}), json!({"externalId": random_text()})).await;
    let theirs = sold(&app, &other, json!({}), json!({})).await;
    let response = app.app_as(&token, "GET", "/finance/invoices", None).await.ok();
    assert_eq!(
        (&response.data()["total"], &response.data()["invoices"][0]["invoiceId"]),
        (&json!(1), &json!(own.invoice))
    );
    let response = app.app_as(&token, "GET", "/finance/subscriptions", None).await.ok();
    assert_eq!(response.data()["total"], 1);
    for path in [
        format!("/finance/invoices/{}", theirs.invoice),
        format!("/finance/subscriptions/{}", theirs.course),
        format!("/finance/subscriptions/{}/bills-to-come", theirs.course),
        format!("/finance/subscriptions/{}/requests", theirs.course),
    ] {
        app.app_as(&token, "GET", &path, None).await.refused(404, "resource.not_found");
    }
    let path = format!("/finance/client-products/{}", theirs.product);
    app.app_as(&token, "GET", &path, None)
        .await
        .refused(404, "PUBLIC_API_CLIENT_PRODUCT_NOT_FOUND");
    let path = format!("/finance/client-products/{}", own.product);
    let view = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(view.data()["clientProduct"]["externalId"], Value::Null);
    let sale = json!({"productId": "0".repeat(24)});
    let path = format!("/finance/clients/{client}/products");
    app.app_as(&token, "POST", &path, Some(sale)).await.refused(403, "auth.forbidden");
}

#[scenario]
async fn revoked_sales_end_today(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let gold = json!({"assignCredits": true, "credits": 4});
    let one = sold(&app, &client, gold, json!({})).await;
    app.events().await;
    let path = format!("/finance/client-products/{}/revoke", one.product);
    let ended = app.post(&path, json!({"reason": "Sold by mistake"})).await.ok();
    assert_eq!(ended.data()["clientProduct"]["status"], "revoked");
    app.announced(&[
        "subscription.cancelled",
        "client.updated",
        "credit.revoked",
        "client_product.revoked",
    ])
    .await;
    let credits = app.get(&format!("/finance/clients/{client}/credits")).await.ok();
    assert_eq!(credits.data()["credits"][0]["available"], 0);
    app.post(&path, json!({})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    // The bill stays, for a credit note.
    assert_eq!(invoices(&app, &client).await[0]["status"], "open");
    let unknown = format!("/finance/client-products/{}/revoke", "0".repeat(24));
    app.post(&unknown, json!({})).await.refused(404, "PUBLIC_API_CLIENT_PRODUCT_NOT_FOUND");
    let bad = "/finance/client-products/not-an-id/revoke";
    app.post(bad, json!({})).await.refused(400, "PUBLIC_API_INVALID_CLIENT_PRODUCT_ID");
}
