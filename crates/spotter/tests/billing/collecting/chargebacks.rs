//! Refunds and chargebacks.

use serde_json::{Value, json};
use spotter_billing::{
    collecting::{
        chargeback,
        provider::{ChargebackKind, ChargebackStatus, Dispute},
    },
    ids::PaymentId,
};
use spotter_harness::{
    App, Engine,
    billing::get_subscription,
    rebuild_metrics, scenario, text,
    travel::{self, Travel, travelling},
};
use spotter_kernel::Id;
use spotter_store::{Sql, params};

use super::{START, bank, billed, charge, collected, connect, invoice, payment, payments};

async fn chargebacks(app: &App) -> Vec<Value> {
    let response = app.get("/finance/chargebacks").await.ok();
    response.data()["chargebacks"].as_array().unwrap().clone()
}

#[scenario(process, clock)]
fn charged_back_money_is_owed_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        for (token, kind, status) in
            [("sandbox_return", "debit_return", "lost"), ("sandbox_chargeback", "dispute", "open")]
        {
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            let one = collected(&travel.app, &client, token, json!({})).await;
            travel.wait(1).await;
            assert_eq!(invoice(&travel.app, &one.invoice).await["status"], "paid");
            travel.app.events().await;
            travel.wait(10).await;
            let now = travel::sent_letters(&travel.app).await;
            assert!(now.contains(&"chargeback.created".to_owned()), "{now:?}");
            let all = chargebacks(&travel.app).await;
            let last = &all[0];
            let facts = (&last["kind"], &last["status"], &last["amount"]);
            assert_eq!(facts, (&json!(kind), &json!(status), &json!(4900)));
            let id = text(last, "/chargebackId");
            let got = travel.app.get(&format!("/finance/chargebacks/{id}")).await.ok();
            assert_eq!(&got.data()["chargeback"], last);
            let bill = invoice(&travel.app, &one.invoice).await;
            assert_eq!((&bill["balance"], &bill["paidTotal"]), (&json!(4900), &json!(0)));
            let is = payments(&travel.app, &client).await;
            assert_eq!(
                (&is[0]["status"], &is[0]["disputedTotal"]),
                (&json!("succeeded"), &json!(4900))
            );
            assert_eq!(is[0]["allocations"], json!([]));
            // It is owed again, and so overdue the day after, and the membership past due.
            travel.to(&travel.now().plus_days(2).to_string()).await;
            assert_eq!(get_subscription(&travel.app, &one.course).await["status"], "past_due");
        }
        // An unanswered dispute is lost, and stays lost.
        travel.to("2026-11-20T09:00:00Z").await;
        let all = chargebacks(&travel.app).await;
        assert!(all.len() == 2 && all.iter().all(|one| one["status"] == "lost"), "{all:?}");
        let none = travel.app.get("/finance/chargebacks/65a1b2c3d4e5f6a7b8c9d0e1").await;
        none.refused(404, "PUBLIC_API_CHARGEBACK_NOT_FOUND");
        let wrong = travel.app.get("/finance/chargebacks/x").await;
        wrong.refused(400, "PUBLIC_API_INVALID_CHARGEBACK_ID");
    });
}

#[scenario(process, clock)]
fn a_won_dispute_pays_again(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (client, bill) = billed(&travel.app, "sandbox_chargeback_won").await;
        charge(&travel.app, &bill).await;
        travel.wait(6).await;
        assert_eq!(invoice(&travel.app, &bill).await["status"], "open");
        travel.app.events().await;
        travel.wait(10).await;
        assert_eq!(travel::sent_letters(&travel.app).await, ["invoice.paid"]);
        assert_eq!(chargebacks(&travel.app).await[0]["status"], "won");
        let is = &payments(&travel.app, &client).await[0];
        assert_eq!((&is["disputedTotal"], &is["unallocated"]), (&json!(0), &json!(0)));
    });
}

#[scenario(process, clock)]
fn refunds_go_through_the_bank(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_ok").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        let path = format!("/finance/payments/{id}/refunds");
        let made = travel.app.app("POST", &path, Some(json!({"amount": 400}))).await.ok();
        assert_eq!(made.data()["payment"]["refunds"][0]["status"], "pending");
        travel.wait(1).await;
        assert_eq!(payment(&travel.app, &id).await["refunds"][0]["status"], "succeeded");
        assert_eq!(bank(&travel.app).await, 600);
        // A refund without an answer for half a day is retried, and happens once.
        const PENDING: Sql = Sql("UPDATE refund SET status = 'pending' WHERE company_id = ?1");
        const USED_UP: Sql = Sql("UPDATE job SET state = 'unknown', attempts = 8, due_at = NULL \
            WHERE company_id = ?1 AND kind = 'send_refund'");
        const TOMORROW: Sql = Sql(
            "INSERT INTO timer (company_id, kind, subject, due_at, attempts) \
            SELECT company_id, 'send_refund_again', refund_id, ?2, 0 FROM refund WHERE company_id = ?1",
        );
        let (company, at) = (travel.app.company, travel.now().plus_seconds(60));
        let stuck = travel.app.server.db.write(move |tx| {
            tx.execute(PENDING, params![company])?;
            tx.execute(USED_UP, params![company])?;
            tx.execute(TOMORROW, params![company, at])
        });
        assert_eq!(stuck.await.unwrap(), 1);
        travel.wait(120).await;
        assert_eq!(payment(&travel.app, &id).await["refunds"][0]["status"], "succeeded");
        assert_eq!(bank(&travel.app).await, 600);
        // What the bank cannot refund stays the client's.
        const EMPTY: Sql =
            Sql("UPDATE sandbox_payment SET refunded = amount WHERE company_id = ?1");
        travel.app.server.db.write(move |tx| tx.execute(EMPTY, params![company])).await.unwrap();
        travel.app.app("POST", &path, Some(json!({"amount": 100}))).await.ok();
        travel.wait(1).await;
        let is = payment(&travel.app, &id).await;
        assert_eq!(is["refunds"][1]["status"], "failed");
        assert_eq!((&is["refundedTotal"], &is["unallocated"]), (&json!(400), &json!(100)));
        rebuild_metrics(&travel.app).await;
    });
}

#[scenario(process, clock)]
fn chargebacks_are_kept_after_refunds(engine: Engine) {
    travelling(engine, START, |mut travel: Travel| async move {
        connect(&travel.app).await;
        let (_, bill) = billed(&travel.app, "sandbox_ok").await;
        let id = charge(&travel.app, &bill).await;
        travel.wait(1).await;
        let path = format!("/finance/payments/{id}/refunds");
        travel.app.app("POST", &path, Some(json!({"amount": 700}))).await.ok();
        travel.wait(1).await;
        travel.app.events().await;
        let response = Dispute {
            reference: id.clone(),
            payment: PaymentId(Id::parse(&id).unwrap()),
            kind: ChargebackKind::DebitReturn,
            amount: 1000,
            currency: spotter_kernel::money::Currency::parse("EUR").unwrap(),
            reason: "returned".into(),
            status: ChargebackStatus::Lost,
            evidence_due_at: None,
        };
        travel.app.as_the_system(move |cx| chargeback::follow(cx, &response)).await;
        assert_eq!(travel::sent_letters(&travel.app).await, ["chargeback.created"]);
        let all = chargebacks(&travel.app).await;
        assert_eq!((&all[0]["amount"], &all[0]["taken"]), (&json!(1000), &json!(300)));
        let is = payment(&travel.app, &id).await;
        let totals = (&is["refundedTotal"], &is["disputedTotal"], &is["unallocated"]);
        assert_eq!(totals, (&json!(700), &json!(300), &json!(0)));
    });
}
