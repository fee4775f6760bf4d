//! Sales at the desk: several products on one invoice, a discount to the cent, fees only where they are wanted, and
//! customers whom nobody knows.

use serde_json::{Value, json};
use spotter_billing::billing::charge;
use spotter_contract::entitlement::ForfeitReason;
use spotter_harness::{
    App, Engine,
    billing::{invoices, new_product},
    letters::{letters, subjects, with_mail},
    random_text, scenario, text,
};
use spotter_kernel::{Id, Money, id::ClientId, money::Currency};

const PATH: &str = "/finance/desk-sales";

/// A thing from the shelf.
async fn thing(app: &App, name: &str, price: i64, vat: i64) -> String {
    let facts =
        json!({"productType": "Other", "name": {"en": name}, "price": price, "vatPercentage": vat});
    new_product(app, facts).await
}

/// A fee that waits for a client's next invoice.
async fn owe_fee(app: &App, client: &str, amount: i64) {
    let client = ClientId(Id::parse(client).unwrap());
    app.as_the_system(move |cx| {
        let fee = Money { amount, currency: Currency::parse("EUR").unwrap() };
        let booking = cx.new_id();
        charge::add(cx, client, booking, ForfeitReason::NoShow, &fee)
    })
    .await;
}

#[scenario]
async fn a_desk_sale_equals_its_preview(app: App) {
    let client = app.new_client(json!({"firstName": "Ann", "lastName": "Bos"})).await;
    let (bottle, towel) =
        (thing(&app, "Bottle", 1_250, 21).await, thing(&app, "Towel", 999, 9).await);
    let pack = json!({"productType": "CreditPack", "name": {"en": "Ten rides"}, "price": 9_900,
        "assignCredits": true, "credits": 10});
    let pack = new_product(&app, pack).await;
    app.events().await;
    let sale = json!({"clientId": client,
        "items": [{"productId": bottle, "quantity": 3}, {"productId": towel}, {"productId": pack}],
        "discount": {"percentage": 10, "reason": "Open day"},
        "payment": {"kind": "cash", "amountReceived": 15_000}});
    let before = app.state().await;
    let preview = app.post(&format!("{PATH}/preview"), sale.clone()).await.ok();
    let preview = &preview.data()["preview"];
    assert_eq!(before, app.state().await, "a preview changes nothing");
    // 14,649 less 1,465: 375, 100 and 990 of the lines.
    let gross: Vec<_> =
        preview["lines"].as_array().unwrap().iter().map(|line| &line["gross"]).collect();
    assert_eq!(gross, [&json!(3_375), &json!(899), &json!(8_910)]);
    assert_eq!(
        (
            &preview["grossTotal"],
            &preview["discountTotal"],
            &preview["amountDue"],
            &preview["change"]
        ),
        (&json!(13_184), &json!(1_465), &json!(13_184), &json!(1_816))
    );
    let made = app.post(PATH, sale).await.ok();
    assert_eq!(made.status, 201);
    let (made, bill) = (made.data(), &made.data()["invoice"]);
    for name in ["lines", "taxes", "netTotal", "taxTotal", "grossTotal", "currency"] {
        assert_eq!(bill[name], preview[name], "{name}");
    }
    assert_eq!((&bill["status"], &bill["balance"]), (&json!("paid"), &json!(0)));
    assert_eq!(bill["lines"][0]["description"], "Bottle, 10% discount (Open day)");
    assert_eq!(bill["lines"][0]["quantity"], 3);
    assert_eq!((&made["payment"]["kind"], &made["change"]), (&json!("cash"), &json!(1_816)));
    assert_eq!(made["payment"]["amount"], 13_184, "what was handed over is not what was paid");
    let products = made["clientProducts"].as_array().unwrap();
    let prices: Vec<_> = products.iter().map(|one| &one["terms"]["price"]).collect();
    assert_eq!(prices, [&json!(1_125), &json!(1_125), &json!(1_125), &json!(899), &json!(8_910)]);
    assert!(products.iter().all(|one| one["invoiceId"] == bill["invoiceId"]));
    let assigned = "client_product.assigned";
    app.announced(&[
        "invoice.created",
        assigned,
        assigned,
        assigned,
        assigned,
        assigned,
        "credit.assigned",
        "invoice.paid",
        "payment.succeeded",
    ])
    .await;
    let credits = app.get(&format!("/finance/clients/{client}/credits")).await.ok();
    assert_eq!(credits.data()["credits"][0]["available"], 10);
}

#[scenario]
async fn fees_ride_along_only_where_they_are_wanted(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    owe_fee(&app, &client, 2_500).await;
    let sale = |more: Value| {
        let mut sale = json!({"clientId": client, "items": [{"productId": bottle}]});
        sale.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sale
    };
    let preview = app.post(&format!("{PATH}/preview"), sale(json!({}))).await.ok();
    let preview = &preview.data()["preview"];
    assert_eq!(preview["amountDue"], 1_250);
    assert_eq!(
        preview["waitingFees"],
        json!([{"kind": "no_show", "description": "Fee for not showing up", "amount": 2_500}])
    );
    let made = app.post(PATH, sale(json!({}))).await.ok();
    assert_eq!(made.data()["invoice"]["grossTotal"], 1_250, "it still waits");
    // A sale by itself takes it along unless it is told otherwise.
    let products = format!("/finance/clients/{client}/products");
    let left = json!({"productId": bottle, "includeFees": false});
    let left = app.post(&products, left).await.ok();
    assert_eq!(left.data()["invoice"]["grossTotal"], 1_250);
    let made = app.post(PATH, sale(json!({"includeFees": true}))).await.ok();
    assert_eq!(made.data()["invoice"]["grossTotal"], 3_750);
    let made = app.post(&products, json!({"productId": bottle})).await.ok();
    assert_eq!(made.data()["invoice"]["grossTotal"], 1_250, "it was billed once");
}

#[scenario]
async fn walk_in_customers_pay_at_once_and_share_nothing(app: App) {
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    let pass = new_product(&app, json!({})).await;
    let sale = |kind: &str| json!({"items": [{"productId": bottle}], "payment": {"kind": kind}});
    app.events().await;
    let before = app.state().await;
    for refused in
        [json!({"items": [{"productId": bottle}]}), sale("payment_page"), sale("payment_method")]
    {
        app.post(PATH, refused).await.refused(400, "request.invalid").about("payment");
    }
    let of_a_client = json!({"items": [{"productId": pass}], "payment": {"kind": "cash"}});
    app.post(PATH, of_a_client).await.refused(409, "PUBLIC_API_ERROR").about("items[0].productId");
    assert_eq!(before, app.state().await, "nobody is made for a sale that is refused");
    let first = app.post(PATH, sale("card")).await.ok();
    let first = &first.data()["invoice"];
    assert_eq!(
        (&first["status"], &first["buyer"]["name"]),
        (&json!("paid"), &json!("Walk-in customer"))
    );
    app.announced(&[
        "client.created",
        "client.archived",
        "invoice.created",
        "invoice.paid",
        "payment.succeeded",
    ])
    .await;
    let walk_in = text(first, "/clientId");
    // Money that is owed to one of them pays nothing of the next.
    let note = format!("/finance/invoices/{}/credit-notes", text(first, "/invoiceId"));
    app.app("POST", &note, Some(json!({"reason": "Broken"}))).await.ok();
    let preview = app.post(&format!("{PATH}/preview"), sale("cash")).await.ok();
    assert_eq!(preview.data()["preview"]["amountDue"], 1_250);
    let next = app.post(PATH, sale("cash")).await.ok();
    assert_eq!(next.data()["payment"]["amount"], 1_250);
    assert_eq!(text(next.data(), "/invoice/clientId"), walk_in);
    assert_eq!(next.data()["clientProducts"], json!([]));
    // One client stands for all of them, and is in no list of people.
    let list = app.get("/clients?archived=false").await.ok();
    assert_eq!(list.data()["total"], 0);
}

#[scenario]
async fn nobody_is_taken_for_the_walk_in_customer(app: App) {
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    let sale = json!({"items": [{"productId": bottle}], "payment": {"kind": "cash", "amountReceived": 2_000}});
    let sold = app.post(PATH, sale.clone()).await.ok();
    let walk_in = text(sold.data(), "/invoice/clientId");
    app.events().await;
    let before = app.state().await;
    let named = json!({"clientId": walk_in, "items": [{"productId": bottle}]});
    app.post(PATH, named).await.refused(409, "PUBLIC_API_ERROR").about("clientId");
    let alone = format!("/finance/clients/{walk_in}/products");
    app.post(&alone, json!({"productId": bottle})).await.refused(409, "PUBLIC_API_ERROR");
    for (method, path, body) in [
        (
            "POST",
            "/finance/payments".to_owned(),
            json!({"clientId": walk_in, "kind": "cash", "amount": 77}),
        ),
        (
            "POST",
            "/finance/invoices".to_owned(),
            json!({"clientId": walk_in,
            "lines": [{"description": "Towel", "amount": 100}]}),
        ),
        (
            "PATCH",
            format!("/clients/{walk_in}"),
            json!({"firstName": "Piet", "email": "piet@example.com"}),
        ),
        ("POST", format!("/clients/{walk_in}/restore"), json!({})),
        ("PUT", format!("/clients/{walk_in}/tags"), json!({"tags": ["vip"]})),
    ] {
        let body = Some(body).filter(|body| *body != json!({}));
        let reply = app.app(method, &path, body).await;
        reply.refused(409, "PUBLIC_API_ERROR").about("clientId");
    }
    let many = json!({"clientIds": [walk_in], "addTags": ["vip"]});
    let many = app.post("/clients/bulk", many).await.ok();
    assert_eq!(many.data()["report"]["refused"], 1);
    app.announced(&[]).await;
    let after = app.state().await;
    for table in ["client", "invoice", "payment", "client_product"] {
        assert_eq!(before.get(table), after.get(table), "{table}");
    }
}

#[scenario]
async fn a_day_is_counted_by_the_way_it_was_paid(app: App) {
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    let sale = |kind: &str| json!({"items": [{"productId": bottle}], "payment": {"kind": kind}});
    let cash = json!({"items": [{"productId": bottle, "quantity": 2}],
        "payment": {"kind": "cash", "amountReceived": 5_000}});
    let cash = app.post(PATH, cash).await.ok();
    assert_eq!(cash.data()["payment"]["amountReceived"], 5_000);
    app.post(PATH, sale("cash")).await.ok();
    app.post(PATH, sale("card")).await.ok();
    let refund = format!("/finance/payments/{}/refunds", text(cash.data(), "/payment/paymentId"));
    app.app("POST", &refund, Some(json!({"amount": 1_000, "reason": "Broken"}))).await.ok();
    let day = app.get("/finance/takings").await.ok();
    let taken = |kind: &str, received: i64, refunded: i64| {
        json!({"kind": kind, "currency": "EUR", "received": received, "refunded": refunded,
            "net": received - refunded})
    };
    assert_eq!(
        day.data()["takings"],
        json!([taken("card", 1_250, 0), taken("cash", 3_750, 1_000)])
    );
    let other = app.get("/finance/takings?date=2020-01-01").await.ok();
    assert_eq!(other.data()["takings"], json!([]));
    app.get("/finance/takings?date=yesterday").await.refused(400, "PUBLIC_API_INVALID_DATE");
}

#[scenario]
async fn what_cannot_be_sold_so_is_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    let dollars = json!({"productType": "Other", "currency": "USD"});
    let dollars = new_product(&app, dollars).await;
    let gold = json!({"productType": "Membership", "period": "Week", "autoRenew": true});
    let gold = new_product(&app, gold).await;
    let of = |more: Value| {
        let mut sale = json!({"clientId": client, "items": [{"productId": bottle}]});
        sale.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sale
    };
    app.events().await;
    let before = app.state().await;
    for (sale, status, field) in [
        (
            of(json!({"items": [
                {"productId": bottle, "quantity": 50},
                {"productId": bottle, "quantity": 50},
                {"productId": bottle}]})),
            400,
            "items",
        ),
        (of(json!({"items": []})), 400, "items"),
        (of(json!({"items": [{"productId": bottle, "quantity": 51}]})), 400, "items[0].quantity"),
        (
            of(json!({"items": [{"productId": bottle}, {"productId": dollars}]})),
            400,
            "items[1].productId",
        ),
        (of(json!({"items": [{"productId": gold}]})), 409, "items[0].productId"),
        (of(json!({"discount": {"percentage": 10, "amount": 5, "reason": "x"}})), 400, "discount"),
        (of(json!({"discount": {"reason": "x"}})), 400, "discount"),
        (of(json!({"discount": {"amount": 1_251, "reason": "x"}})), 400, "discount.amount"),
        (of(json!({"discount": {"percentage": 10}})), 400, "discount.reason"),
        (
            of(json!({"payment": {"kind": "cash", "amountReceived": 1_249}})),
            400,
            "payment.amountReceived",
        ),
        (
            of(json!({"payment": {"kind": "card", "amountReceived": 1_250}})),
            400,
            "payment.amountReceived",
        ),
    ] {
        for path in [PATH.to_owned(), format!("{PATH}/preview")] {
            let reply = app.post(&path, sale.clone()).await;
            assert_eq!(reply.status, status, "{sale}: {:?}", reply.body);
            reply.about(field);
        }
    }
    let nobody = json!({"clientId": "0".repeat(24), "items": [{"productId": bottle}]});
    app.post(PATH, nobody).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    app.post(PATH, of(json!({"payment": {"kind": "payment_method"}})))
        .await
        .refused(409, "PUBLIC_API_ERROR");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn a_sale_may_be_paid_later(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let bottle = thing(&app, "Bottle", 1_250, 21).await;
    let sale = |payment: Value| json!({"clientId": client, "items": [{"productId": bottle}], "payment": payment});
    let open = app.post(PATH, sale(Value::Null)).await.ok();
    assert_eq!(open.data()["invoice"]["status"], "open");
    let page = app.post(PATH, sale(json!({"kind": "payment_page"}))).await.ok();
    assert_eq!(page.data()["paymentRequest"]["amount"], 1_250);
    assert!(page.data()["paymentRequest"]["payUrl"].is_string());
    // What the client has paid too much pays first; the rest is taken in cash.
    let over = json!({"clientId": client, "amount": 3_000, "kind": "cash"});
    app.app("POST", "/finance/payments", Some(over)).await.ok();
    let rest = app.post(PATH, sale(json!({"kind": "cash", "amountReceived": 1_000}))).await.ok();
    let rest = rest.data();
    assert_eq!(
        (&rest["invoice"]["prepaidTotal"], &rest["payment"]["amount"], &rest["change"]),
        (&json!(500), &json!(750), &json!(250))
    );
    // All of it off leaves nothing to pay.
    let mut free = sale(json!({"kind": "cash", "amountReceived": 0}));
    free["discount"] = json!({"percentage": 100, "reason": "Birthday"});
    let free = app.post(PATH, free).await.ok();
    assert_eq!(
        (&free.data()["invoice"]["status"], &free.data()["payment"]),
        (&json!("paid"), &Value::Null)
    );
    assert_eq!(invoices(&app, &client).await.len(), 4);
}

#[scenario(process, clock)]
fn the_receipt_says_that_it_is_paid(engine: Engine) {
    with_mail(engine, "2027-03-01T12:00:00Z", async |mut travel| {
        let email = format!("{}@example.com", random_text());
        let client = travel.app.new_client(json!({"firstName": "Ann", "email": email})).await;
        let bottle = thing(&travel.app, "Bottle", 1_250, 21).await;
        let other = format!("{}@example.com", random_text());
        let sale = json!({"clientId": client, "items": [{"productId": bottle}],
            "payment": {"kind": "card"}, "receiptEmail": other});
        let made = travel.app.post(PATH, sale).await.ok();
        let number = text(made.data(), "/invoice/number");
        travel.wait(1).await;
        for address in [&email, &other] {
            let got = letters(&travel.app, address, &mut 0);
            assert_eq!(subjects(&got), [format!("Invoice {number} of Test Gym, paid").as_str()]);
            assert_eq!(got[0].attachments.len(), 1);
        }
    });
}
