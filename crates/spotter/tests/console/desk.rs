//! The desk: from the day to a paid sale in three presses, a discount, a fee that is offered; and classes with everybody
//! in them, checked in at once.

use serde_json::json;
use spotter_harness::{
    App,
    billing::new_product,
    browser::{Browser, Form, Page},
    calendar,
    dates::this_minute,
    scenario, text,
};

/// The address of the first link whose address has a text.
fn link(page: &Page, has: &str) -> String {
    let found = page.links().into_iter().find(|link| link.contains(has));
    found.unwrap_or_else(|| panic!("no link to {has}")).replace("&amp;", "&")
}

/// The forms that make a sale, one for each way to pay.
fn payment_forms(page: &Page) -> Vec<Form> {
    let mut forms = page.forms();
    forms.retain(|form| form.field("-do") == Some("create_desk_sale"));
    forms
}

#[scenario]
async fn a_bottle_is_sold_in_three_presses(app: App) {
    let bottle = json!({"productType": "Other", "name": {"en": "Bottle"}, "price": 1_250, "vatPercentage": 21});
    let bottle = new_product(&app, bottle).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let today = browser.get("/console").await.is(200);
    let shelf = browser.get(&link(&today, "/console/sell")).await.is(200).shows("Walk-in customer");
    let basket = browser.get(&link(&shelf, &bottle)).await.is(200).shows("€12.50");
    let cash = payment_forms(&basket)[1].clone();
    let receipt = browser.act(cash.with("payment.amountReceived:money", "20")).await;
    receipt.shows("Sold.").shows("€7.50").shows("Give change").shows("Paid");
    // Another, with a discount that is typed as a share.
    let off = format!("/console/sell?items={bottle}.2&off=10%25&why=Open+day");
    let basket = browser.get(&off).await.is(200).shows("€22.50");
    let card = payment_forms(&basket)[0].clone();
    browser.act(card).await.shows("2 × Bottle, 10% discount (Open day)").shows("Card");
    // A discount that cannot be given is said, and the sale goes on without it.
    for off in ["30", "110%25", "-5", "1.005", "abc", "1e999%25", "10%25&why="] {
        let wrong = format!("/console/sell?why=Open+day&items={bottle}.2&off={off}");
        let wrong = wrong.replacen(
            "why=Open+day&",
            if off.contains("why") { "" } else { "why=Open+day&" },
            1,
        );
        let page = browser.get(&wrong).await.is(200).shows("role=\"alert\"").shows("up to €25.00");
        assert_eq!(payment_forms(&page).len(), 2, "{off}");
        assert!(payment_forms(&page)[0].field("discount.reason").is_none(), "{off}");
    }
}

#[scenario]
async fn a_client_pays_later_or_on_a_page(app: App) {
    let pass = new_product(&app, json!({})).await;
    let client = app.new_client(json!({"firstName": "Ann", "lastName": "Bos"})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let found = browser.get("/console/sell?search=Ann").await.is(200).shows("Ann Bos");
    let chosen = browser.get(&link(&found, &client)).await.is(200);
    let basket = browser.get(&link(&chosen, &pass)).await.is(200);
    let all = payment_forms(&basket);
    assert_eq!(all.len(), 4, "card, cash, page, later");
    browser.act(all[2].clone()).await.shows("Scan to pay").shows("/pay/");
    let basket = browser.get(&link(&chosen, &pass)).await.is(200);
    let later = payment_forms(&basket).pop().unwrap();
    browser.act(later).await.shows("Open");
}

#[scenario]
async fn a_class_is_checked_in_at_once(app: App) {
    let coach = calendar::coach_at_work(&app).await;
    let spin = json!({"name": "Spin", "kind": "class", "capacity": 8, "coachIds": [coach]});
    let spin = calendar::new_type(&app, spin).await;
    let class = calendar::new_class(&app, &spin, &coach, &this_minute()).await;
    for name in ["Ann", "Bo"] {
        let client = app.new_client(json!({"firstName": name})).await;
        let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
        calendar::book(&app, new).await;
    }
    // Who has cancelled is not marked along, on the day or on the class's own page.
    let client = app.new_client(json!({"firstName": "Cas"})).await;
    let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
    let gone = calendar::book(&app, new).await;
    app.post(&format!("/bookings/{gone}/cancel"), json!({})).await.ok();
    let mut browser = Browser::of(&app, &app.admin_email).await;
    browser.get("/console").await.is(200).shows("Spin").shows("2/8").form("set_event_attendance");
    let own = browser.get(&format!("/console/calendar/events/{class}")).await.is(200);
    browser.act(own.form("set_event_attendance")).await.shows("Attended");
    let list = app.get(&format!("/bookings?calendarEventId={class}")).await.ok();
    for booking in list.data()["bookings"].as_array().unwrap() {
        let came = text(booking, "/bookingId") != gone;
        assert_eq!(text(booking, "/attendanceStatus") == "attended", came, "{booking}");
    }
}
