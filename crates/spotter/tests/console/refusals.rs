//! Refused forms on pages: in the person's language, with typed values kept.

use serde_json::json;
use spotter_harness::{App, browser::Browser, people, scenario, text};

/// A browser with pages in a language.
async fn reading(app: &App, email: &str, language: &str, account: &str) -> Browser {
    let mut browser = Browser::of(app, email).await;
    let page = browser.get(account).await.is(200);
    let display = page.forms().into_iter().find(|form| form.action == "/console/display").unwrap();
    browser.act(display.with("language", language)).await;
    browser
}

#[scenario]
async fn refusals_are_in_the_persons_language(app: App) {
    let (coach, _) = people::coach(&app, "Coach").await;
    let mut dutch = reading(&app, &app.admin_email, "nl", "/console/account").await;
    // Typed values are shown again, also where one end of a range is missing.
    let path = format!("/console/settings/coaches/{coach}");
    let form = dutch.get(&path).await.is(200).form("set_coach_availability");
    let form = form.with("-hours.1.0.startTime", "09:15").with("-hours.1.0.endTime", "12:45");
    let form = form.with("-hours.2.0.startTime", "13:30").with("-hours.2.0.endTime", "25:00");
    let page = dutch.send(form).await.is(422).shows("moet een tijd zijn, zoals 18:30, of 24:00");
    let page = page.shows("value=\"09:15\"").shows("value=\"12:45\"").shows("value=\"13:30\"");
    assert!(!page.main().contains("must be"), "{}", page.main());
    // A comma is the decimal sign here, never a thousands separator.
    let product = dutch.get("/console/products/new").await.form("create_product");
    let product = product.with("productType", "Membership").with("name.en", "Gold");
    let product = product.with("vatPercentage", "21").with("period", "Month");
    for (price, rule) in [
        ("12,345", "moet een bedrag zijn, zoals 49,00"),
        ("-1", "moet een bedrag van 0,00 tot 10000000000,00 EUR zijn"),
    ] {
        dutch.send(product.clone().with("price:money", price)).await.is(422).shows(rule);
    }
    dutch.get("/console/nowhere").await.is(404).shows("Deze pagina bestaat niet.");
    let nobody = format!("/console/clients/{}", "a".repeat(24));
    dutch.get(&nobody).await.is(404).shows("Deze klant bestaat niet.");
    // Remainders are shown before archiving.
    let location = app.post("/locations", json!({"name": "Annex"})).await.ok();
    let location = text(location.data(), "/location/locationId");
    let home = json!({"firstName": "Ann", "homeLocationId": location});
    app.new_client(home).await;
    let page = dutch.get(&format!("/console/settings/locations/{location}")).await.is(200);
    let page = dutch.send(page.form("archive_location")).await.is(200);
    page.shows("1 klanten hebben het als hun vaste locatie.").shows("wordt gearchiveerd");
    app.events().await;
}
