//! What the demo sells.

use serde_json::{Value, json};
use spotter_kernel::Result;
use spotter_store::Tx;

use super::history::DemoBuilder;

impl DemoBuilder {
    /// Puts the products on their shelves.
    pub(super) fn open_shop(&self, tx: &mut Tx<'_>) -> Result<()> {
        for (number, product) in (0..).zip(products()) {
            let at = self.at(2, 480 + number);
            self.request(tx, self.owner(), at, "create_product", &[], product)?;
        }
        // Sold in the first year, under a name without a language.
        let legacy = json!({"productType": "DayPass", "name": {"und": "Zomerkaart"}, "price": 1_000,
            "vatPercentage": 9});
        let made =
            self.request(tx, self.owner(), self.at(3, 480), "create_product", &[], legacy)?;
        let path = [("productId", made["product"]["productId"].clone())];
        self.request(tx, self.owner(), self.at(300, 480), "archive_product", &path, json!({}))?;
        Ok(())
    }
}

fn products() -> Vec<Value> {
    let span = |value: i64, unit: &str| json!({"value": value, "unit": unit});
    let texts = |en: &str, nl: &str| json!({"en": en, "nl": nl});
    let membership = |name: Value, price: i64, credits: i64, period: &str| {
        json!({"productType": "Membership", "name": name, "price": price, "vatPercentage": 9,
            "period": period, "autoRenew": true, "contractPeriod": span(3, "Month"),
            "cancellationNoticePeriod": "Month", "assignCredits": true, "credits": credits,
            "creditValidity": span(1, "Month"), "creditCalendar": "CalendarMonth"})
    };
    let pack = |name: Value, price: i64, credits: i64| {
        json!({"productType": "CreditPack", "name": name, "price": price, "vatPercentage": 9,
            "credits": credits, "creditValidity": span(6, "Month"), "allowNegativeCredits": true,
            "maxNegativeCredits": 1})
    };
    let mut unlimited = membership(texts("Unlimited", "Onbeperkt"), 9_950, 31, "Month");
    unlimited["description"] =
        texts("Train every day, sauna included.", "Elke dag trainen, met sauna.");
    unlimited["creditPools"] = json!([{"key": "sauna", "name": "Sauna", "credits": 4,
        "scheduleInterval": 1, "scheduleUnit": "Month", "mode": "Reset"}]);
    vec![
        json!({"productType": "DayPass", "name": texts("Day pass", "Dagpas"), "price": 1_500,
            "description": texts("One day of free training.", "Een dag vrij trainen."),
            "vatPercentage": 9, "validityAfterPurchase": span(3, "Month")}),
        json!({"productType": "DayPass", "name": texts("Trial day", "Proefdag"), "price": 0,
            "trial": true, "visibility": "VisibleInStore", "vatPercentage": 9}),
        json!({"productType": "WeekPass", "name": texts("Week pass", "Weekpas"), "price": 4_500,
            "vatPercentage": 9, "daysUsable": 5, "visibility": "VisibleInStoreAndApp"}),
        json!({"productType": "WeekPass", "name": texts("Holiday week", "Vakantieweek"),
            "price": 3_500, "vatPercentage": 9, "visibility": "HideProduct"}),
        membership(texts("Once a week", "Eens per week"), 4_950, 5, "Month"),
        membership(texts("Twice a week", "Twee keer per week"), 7_950, 9, "FourWeeks"),
        unlimited,
        pack(texts("Ten sessions", "Tien lessen"), 65_000, 10),
        pack(texts("Five sessions", "Vijf lessen"), 34_500, 5),
        json!({"productType": "Other", "name": texts("Water bottle", "Bidon"), "price": 1_250,
            "vatPercentage": 21, "visibility": "VisibleInApp"}),
    ]
}
