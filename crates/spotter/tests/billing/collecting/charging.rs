//! Charges: when, and what follows from a failure.

use serde_json::{Value, json};
use spotter_billing::{
    billing::{credit_notes, invoice::Invoice},
    collecting::{
        charging::{self, Fetch},
        method::{self, MethodStatus, PaymentMethod},
        provider::{ChargeOutcome, PaymentResult},
    },
    ids::{InvoiceId, PaymentId},
    payments::payment::{FailureCode, PaymentKind, PaymentSource},
};
use spotter_harness::{
    App, Engine,
    billing::{self, get_subscription, invoices, sold},
    people, scenario, send, text,
    travel::{self, Travel, travelling},
};
use spotter_kernel::{
    Id,
    id::ClientId,
    money::{Currency, Money},
};
use spotter_store::{Sql, params};

use super::{
    START, bank, billed, charge, collected, connect, invoice, method as give, payment, payments,
};

/// Makes a payment at the bank two days old, without further notices.
async fn age(app: &App, id: &str) {
    const FORGET: Sql = Sql("UPDATE sandbox_payment SET next_at = NULL WHERE company_id = ?1");
    const AGE: Sql = Sql("UPDATE payment SET created_at = created_at - 172800000 \
        WHERE company_id = ?1 AND payment_id = ?2");
    while payment(app, id).await["status"] == "pending" {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let (company, id) = (app.company, PaymentId(Id::parse(id).unwrap()));
    let aged = app.server.db.write(move |tx| {
        tx.execute(FORGET, params![company])?;
        tx.execute(AGE, params![company, id])
    });
    aged.await.unwrap();
}

#[scenario]
async fn unreachable_providers_are_resolved_by_hand(app: App) {
    connect(&app).await;
    let (client, bill) = billed(&app, "sandbox_slow_ok").await;
    let id = charge(&app, &bill).await;
    let path = format!("/finance/payments/{id}/resolve");
    let say = async |status: &str| app.app("POST", &path, Some(json!({"status": status}))).await;
    say("failed").await.refused(409, "PUBLIC_API_ERROR").about("createdAt");
    age(&app, &id).await;
    say("gone").await.refused(400, "PUBLIC_API_INVALID_ENUM").about("status");
    let response = say("failed").await.ok();
    assert_eq!(response.data()["payment"]["failureCode"], "not_sent");
    assert_eq!(invoice(&app, &bill).await["status"], "open");
    say("succeeded").await.refused(409, "PUBLIC_API_ERROR").about("status");
    // A late success of the provider is accepted.
    let result = PaymentId(Id::parse(&id).unwrap());
    app.as_the_system(move |cx| {
        charging::conclude(cx, result, &ChargeOutcome::Succeeded(PaymentKind::Card))
    })
    .await;
    assert_eq!(payment(&app, &id).await["status"], "succeeded");
    assert_eq!(invoice(&app, &bill).await["status"], "paid");
    let (_, bill) = billed(&app, "sandbox_slow_ok").await;
    let id = charge(&app, &bill).await;
    age(&app, &id).await;
    let path = format!("/finance/payments/{id}/resolve");
    app.app("POST", &path, Some(json!({"status": "succeeded"}))).await.ok();
    assert_eq!(invoice(&app, &bill).await["status"], "paid");
    let cash = json!({"clientId": client, "amount": 100, "kind": "cash"});
    let cash = app.app("POST", "/finance/payments", Some(cash)).await.ok();
    let path = format!("/finance/payments/{}/resolve", text(cash.data(), "/payment/paymentId"));
    let cash = app.app("POST", &path, Some(json!({"status": "failed"}))).await;
    cash.refused(409, "PUBLIC_API_ERROR").about("paymentId");
}

#[scenario(process, clock)]
fn memberships_are_collected_month_by_month(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        travel.app.events().await;
        let one = collected(&travel.app, &client, "sandbox_ok", json!({})).await;
        travel.wait(1).await;
        let now = travel::sent_letters(&travel.app).await;
        for event in ["invoice.created", "invoice.paid", "payment.succeeded"] {
            assert!(now.contains(&event.to_owned()), "{event}: {now:?}");
        }
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
        travel.to("2027-03-02T10:00:00Z").await;
        let all = invoices(&travel.app, &client).await;
        assert_eq!(all.len(), 5);
        assert!(all.iter().all(|one| one["status"] == "paid" && one["collection"] == "automatic"));
        let paid = payments(&travel.app, &client).await;
        assert_eq!(paid.len(), 5);
        for one in &paid {
            let facts = (&one["source"], &one["kind"], &one["attempt"], &one["status"]);
            assert_eq!(
                facts,
                (&json!("automatic"), &json!("card"), &json!(1), &json!("succeeded"))
            );
        }
        assert_eq!(bank(&travel.app).await, 5 * 4900);
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "active");
        // By hand from now on.
        let path = format!("/finance/subscriptions/{}", one.course);
        travel.app.events().await;
        travel.app.app("PATCH", &path, Some(json!({"collection": "manual"}))).await.ok();
        travel.app.announced(&["subscription.changed"]).await;
        travel.to("2027-04-02T10:00:00Z").await;
        assert_eq!(payments(&travel.app, &client).await.len(), 5);
        assert_eq!(invoices(&travel.app, &client).await.len(), 6);
    });
}

#[scenario(process, clock)]
fn failures_are_retried_and_then_left(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = collected(&travel.app, &client, "sandbox_insufficient", json!({})).await;
        travel.app.events().await;
        travel.wait(1).await;
        assert_eq!(
            travel::sent_letters(&travel.app).await,
            ["payment.failed", "subscription.changed"]
        );
        let failed = payments(&travel.app, &client).await;
        assert_eq!(failed[0]["failureCode"], "insufficient_funds");
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "past_due");
        assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "overdue");
        // Three, five and seven days after the first attempt; a manager's own attempt does not count.
        travel.to("2026-11-04T09:00:00Z").await;
        charge(&travel.app, &one.invoice).await;
        travel.wait(1).await;
        for (before, after, number) in [
            ("2026-11-04T23:59:00Z", "2026-11-05T00:01:00Z", 2),
            ("2026-11-06T23:59:00Z", "2026-11-07T00:01:00Z", 3),
            ("2026-11-08T23:59:00Z", "2026-11-09T00:01:00Z", 4),
        ] {
            let automatic = |all: Vec<Value>| {
                all.into_iter().filter(|one| one["source"] == "automatic").count()
            };
            travel.to(before).await;
            assert_eq!(automatic(payments(&travel.app, &client).await), number - 1, "{before}");
            travel.to(after).await;
            assert_eq!(automatic(payments(&travel.app, &client).await), number, "{after}");
        }
        travel.to("2026-11-20T09:00:00Z").await;
        assert_eq!(payments(&travel.app, &client).await.len(), 5);
        // Another card pays the rest, and the membership runs again.
        let good = give(&travel.app, &client, "sandbox_ok").await;
        let path = format!("/finance/payment-methods/{good}/default");
        travel.app.app("POST", &path, None).await.ok();
        travel.app.events().await;
        charge(&travel.app, &one.invoice).await;
        travel.wait(1).await;
        let now = travel::sent_letters(&travel.app).await;
        assert_eq!(now, ["invoice.paid", "payment.succeeded", "subscription.changed"]);
        assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "active");
        assert_eq!(bank(&travel.app).await, 4900);
    });
}

#[scenario(process, clock)]
fn sandbox_cards_behave_as_named(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        for (token, at_once, at_last, code) in [
            ("sandbox_ok", "succeeded", "succeeded", None),
            ("sandbox_declined", "failed", "failed", Some("declined")),
            ("sandbox_insufficient", "failed", "failed", Some("insufficient_funds")),
            ("sandbox_expired", "failed", "failed", Some("method_expired")),
            ("sandbox_action", "failed", "failed", Some("authentication_required")),
            ("sandbox_slow_ok", "processing", "succeeded", None),
            ("sandbox_slow_fail", "processing", "failed", Some("provider_error")),
        ] {
            let (_, bill) = billed(&travel.app, token).await;
            let id = charge(&travel.app, &bill).await;
            travel.app.events().await;
            travel.wait(1).await;
            assert_eq!(payment(&travel.app, &id).await["status"], at_once, "{token}");
            travel.wait(10).await;
            let is = payment(&travel.app, &id).await;
            assert_eq!(
                (&is["status"], &is["failureCode"]),
                (&json!(at_last), &json!(code)),
                "{token}"
            );
            let bill = invoice(&travel.app, &bill).await;
            assert_eq!(bill["status"], if code.is_none() { "paid" } else { "open" }, "{token}");
            let now = travel::sent_letters(&travel.app).await;
            let event = if code.is_none() { "payment.succeeded" } else { "payment.failed" };
            assert_eq!(now.iter().filter(|name| *name == event).count(), 1, "{token}: {now:?}");
        }
    });
}

#[scenario(process, clock)]
fn a_lost_answer_charges_nobody_twice(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_lost_answer").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(120).await;
        assert_eq!(payment(&travel.app, &id).await["status"], "succeeded");
        assert_eq!(bank(&travel.app).await, 1000);
        assert_eq!(invoice(&travel.app, &bill).await["paidTotal"], 1000);
    });
}

#[scenario(process, clock)]
fn desk_payments_prevent_charges(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        give(&travel.app, &client, "sandbox_ok").await;
        // A membership that begins in a week is collected then, unless it was paid before.
        let sale = json!({"collection": "automatic", "startsOn": "2026-11-09"});
        let one = sold(&travel.app, &client, json!({}), sale).await;
        billing::pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-10T09:00:00Z").await;
        assert_eq!(bank(&travel.app).await, 0);
        assert_eq!(payments(&travel.app, &client).await.len(), 1);
        // A payment in progress is not sent twice, and an unneeded one pays the next invoice.
        let two = sold(&travel.app, &client, json!({}), json!({})).await;
        let slow = give(&travel.app, &client, "sandbox_slow_ok").await;
        let path = format!("/finance/invoices/{}/charge", two.invoice);
        let chosen = json!({"paymentMethodId": slow});
        travel.app.app("POST", &path, Some(chosen)).await.ok();
        let twice = travel.app.app("POST", &path, None).await;
        twice.refused(409, "PUBLIC_API_ERROR").about("payment");
        travel.wait(1).await;
        billing::pay(&travel.app, &client, &two.invoice, None).await;
        travel.wait(10).await;
        let all = payments(&travel.app, &client).await;
        let charged = all.iter().find(|one| one["kind"] == "sepa_debit").unwrap();
        assert_eq!(
            (&charged["status"], &charged["unallocated"]),
            (&json!("succeeded"), &json!(4900))
        );
        let three = sold(&travel.app, &client, json!({}), json!({})).await;
        assert_eq!(invoice(&travel.app, &three.invoice).await["status"], "paid");
    });
}

#[scenario(process, clock)]
fn a_provider_is_not_left_while_money_is_on_its_way(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let leave = async |app: &App| app.app("DELETE", "/company/payment-provider", None).await;
        let (_, bill) = billed(&travel.app, "sandbox_slow_ok").await;
        let id = charge(&travel.app, &bill).await;
        leave(&travel.app).await.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
        travel.wait(10).await;
        assert_eq!(payment(&travel.app, &id).await["status"], "succeeded");
        leave(&travel.app).await.ok();
        let path = format!("/finance/payments/{id}/refunds");
        let refused = travel.app.app("POST", &path, Some(json!({"amount": 1}))).await;
        refused.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
        // Notices of the meantime arrive when the provider is connected again.
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_return").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        leave(&travel.app).await.ok();
        travel.wait(20).await;
        assert_eq!(payment(&travel.app, &id).await["disputedTotal"], 0);
        connect(&travel.app).await;
        travel.wait(1).await;
        assert_eq!(payment(&travel.app, &id).await["disputedTotal"], 1000);
    });
}

#[scenario(process, clock)]
fn unsent_payments_are_checked_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        // In one transaction, so that nothing is sent in between: charged, and the card revoked.
        let (client, bill) = billed(&travel.app, "sandbox_ok").await;
        let bill = InvoiceId(Id::parse(&bill).unwrap());
        let own = ClientId(Id::parse(&client).unwrap());
        let fetch = move || Fetch {
            money: Money { amount: 1000, currency: Currency::parse("EUR").unwrap() },
            source: PaymentSource::Manual,
            invoice: Some(bill),
            request: None,
            attempt: 1,
        };
        travel
            .app
            .as_the_system(move |cx| {
                let card = PaymentMethod::of(cx, own, None)?.unwrap();
                charging::charge(cx, &card, fetch())?;
                method::end(cx, &card, MethodStatus::Revoked).map(drop)
            })
            .await;
        travel.wait(1).await;
        let failed = payments(&travel.app, &client).await;
        assert_eq!(failed[0]["failureCode"], "method_revoked");
        // Charged, and some of it is paid at the desk: no more than is left is sent.
        give(&travel.app, &client, "sandbox_ok").await;
        travel
            .app
            .as_the_system(move |cx| {
                let card = PaymentMethod::of(cx, own, None)?.unwrap();
                charging::charge(cx, &card, fetch())?;
                let mut invoice = Invoice::find(cx, bill)?;
                credit_notes::credit(cx, &mut invoice, 400, None, None).map(drop)
            })
            .await;
        travel.wait(1).await;
        assert_eq!(bank(&travel.app).await, 600);
        assert_eq!(invoice(&travel.app, &bill.to_string()).await["status"], "paid");
    });
}

#[scenario(process, clock)]
fn sent_payments_are_queried_before_giving_up(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (client, bill) = billed(&travel.app, "sandbox_ok").await;
        let (own, id) = (Id::parse(&client).unwrap(), Id::parse(&bill).unwrap());
        travel
            .app
            .as_the_system(move |cx| {
                let card = PaymentMethod::of(cx, ClientId(own), None)?.unwrap();
                let fetch = Fetch {
                    money: Money { amount: 1000, currency: Currency::parse("EUR").unwrap() },
                    source: PaymentSource::Manual,
                    invoice: Some(InvoiceId(id)),
                    request: None,
                    attempt: 1,
                };
                let payment =
                    charging::create_payment(cx, ClientId(own), card.provider, Some(&card), fetch)?;
                let next = charging::next(cx, payment.payment_id)?;
                assert!(matches!(next, charging::ChargeStep::Send(..)));
                Ok(())
            })
            .await;
        // The server was down for a weekend: the provider is queried before giving up.
        let payment = text(&payments(&travel.app, &client).await[0], "/paymentId");
        let payment = PaymentId(Id::parse(&payment).unwrap());
        travel.leap(travel.now().plus_seconds(50 * 3_600)).await;
        travel
            .app
            .as_the_system(move |cx| {
                let next = charging::next(cx, payment)?;
                assert!(matches!(next, charging::ChargeStep::Ask(_, _, None)));
                Ok(())
            })
            .await;
        // Another amount is not credible; a late arrival after giving up is accepted.
        let euro = Currency::parse("EUR").unwrap();
        let came = move |amount| PaymentResult {
            outcome: ChargeOutcome::Succeeded(PaymentKind::Card),
            reference: None,
            money: Some(Money { amount, currency: euro }),
        };
        travel
            .app
            .as_the_system(move |cx| {
                assert!(!charging::apply_result(cx, payment, &came(1))?);
                charging::conclude(cx, payment, &ChargeOutcome::Failed(FailureCode::NotSent))
            })
            .await;
        assert_eq!(payments(&travel.app, &client).await[0]["failureCode"], "not_sent");
        travel
            .app
            .as_the_system(move |cx| {
                assert!(charging::apply_result(cx, payment, &came(1000))?);
                Ok(())
            })
            .await;
        let is = &payments(&travel.app, &client).await[0];
        assert_eq!((&is["status"], &is["failureCode"]), (&json!("succeeded"), &Value::Null));
        assert_eq!(invoice(&travel.app, &bill).await["status"], "paid");
    });
}

#[scenario]
async fn unchargeable_methods_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let one = sold(&app, &client, json!({}), json!({})).await;
    let charge = format!("/finance/invoices/{}/charge", one.invoice);
    let methods = format!("/finance/clients/{client}/payment-methods");
    let token = json!({"sandboxToken": "sandbox_ok"});
    app.app("POST", &charge, None).await.refused(409, "PUBLIC_API_ERROR").about("paymentProvider");
    app.app("POST", &methods, Some(token.clone())).await.refused(409, "PUBLIC_API_ERROR");
    app.app("POST", &format!("{methods}/setups"), None).await.refused(409, "PUBLIC_API_ERROR");
    connect(&app).await;
    app.app("POST", &charge, None).await.refused(409, "PUBLIC_API_ERROR").about("paymentMethodId");
    let theirs = give(&app, &other, "sandbox_ok").await;
    let product = json!({"productType": "Membership", "period": "Month", "autoRenew": true});
    let product = billing::new_product(&app, product).await;
    app.events().await;
    let before = app.state().await;
    let named = json!({"paymentMethodId": theirs});
    let refused = app.app("POST", &charge, Some(named.clone())).await;
    refused.refused(404, "resource.not_found").about("paymentMethodId");
    let wrong = json!({"sandboxToken": "visa"});
    app.app("POST", &methods, Some(wrong)).await.refused(400, "PUBLIC_API_INVALID_ENUM");
    let sale = json!({"productId": product, "collection": "automatic"});
    let path = format!("/finance/clients/{client}/memberships");
    app.post(&path, sale.clone()).await.refused(409, "PUBLIC_API_ERROR").about("paymentMethodId");
    let subscription = format!("/finance/subscriptions/{}", one.course);
    let change = json!({"collection": "automatic"});
    app.app("PATCH", &subscription, Some(change)).await.refused(409, "PUBLIC_API_ERROR");
    app.app("PATCH", &subscription, Some(named)).await.refused(404, "resource.not_found");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
    app.app("DELETE", "/company/payment-provider", None).await.ok();
    app.app("DELETE", "/company/payment-provider", None).await.refused(404, "resource.not_found");
    let none = app.app("GET", "/company/payment-provider", None).await.ok();
    assert_eq!(none.data()["paymentProvider"], Value::Null);
}

#[scenario]
async fn methods_are_masked_and_revoked(app: App) {
    connect(&app).await;
    let (client, token) = people::client(&app).await;
    let first = give(&app, &client, "sandbox_ok").await;
    let second = give(&app, &client, "sandbox_return").await;
    let list = format!("/finance/clients/{client}/payment-methods");
    let all = app.get(&list).await.ok();
    let all = &all.data()["paymentMethods"];
    let facts: Vec<_> =
        all.as_array().unwrap().iter().map(|one| (&one["type"], &one["isDefault"])).collect();
    assert_eq!(facts, [(&json!("sepa_debit"), &json!(false)), (&json!("card"), &json!(true))]);
    assert!(!all.to_string().contains("sandbox_return"), "tokens stay here");
    let act = |id: &str, what: &str| format!("/finance/payment-methods/{id}/{what}");
    app.app_as(&token, "POST", &act(&second, "default"), None).await.ok();
    let revoked = app.app_as(&token, "POST", &act(&second, "revoke"), None).await.ok();
    let is = &revoked.data()["paymentMethod"];
    assert_eq!((&is["status"], &is["isDefault"]), (&json!("revoked"), &json!(false)));
    let left = app.get(&list).await.ok();
    assert_eq!(left.data()["paymentMethods"][1]["isDefault"], true, "the other takes its place");
    app.app("POST", &act(&second, "revoke"), None).await.ok();
    app.app("POST", &act(&second, "default"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("status");
    // Another client neither sees nor changes them.
    let (_, stranger) = people::client(&app).await;
    app.app_as(&stranger, "POST", &act(&first, "revoke"), None)
        .await
        .refused(404, "resource.not_found");
}

#[scenario]
async fn notices_are_believed_with_their_signature_alone(app: App) {
    let path = format!("/providers/sandbox/{}", app.company);
    let body = r#"{"notice":"x","about":"payment","reference":"65a1b2c3d4e5f6a7b8c9d0e1"}"#;
    let tell = |signature: &'static str| {
        let request =
            app.server.request("POST", &path).body(body).header("sandbox-signature", signature);
        async move { send(request).await.status }
    };
    assert_eq!(tell("").await, 404, "no provider is connected");
    connect(&app).await;
    for wrong in ["", "t=1,v1=00", "t=99999999999,v1=00"] {
        assert_eq!(tell(wrong).await, 400, "{wrong}");
    }
    const KEPT: Sql = Sql("SELECT COUNT(*) FROM provider_notice WHERE company_id = ?1");
    let company = app.company;
    let kept = app.server.db.read(move |tx| tx.one::<(i64,)>(KEPT, params![company])).await;
    assert_eq!(kept.unwrap().unwrap().0, 0);
}
