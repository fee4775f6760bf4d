//! What is sold at the desk, as the address of the page says it: the basket, the client and the discount.

use std::fmt;

use serde_json::{Value, json};

use crate::{
    api, page_context::PageContext, page_request::PageAddress, parts::fields::Form,
    request_body::minor_units,
};

/// The most units of a product in a basket.
const UNITS_MAX: i64 = 50;

/// Products and their units, as the address holds them: `ID.2,ID.1`.
#[derive(Clone, Default)]
pub(super) struct Basket(pub(super) Vec<(String, i64)>);

impl fmt::Display for Basket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<_> = self.0.iter().map(|(id, units)| format!("{id}.{units}")).collect();
        f.write_str(&items.join(","))
    }
}

impl Basket {
    pub(super) fn parse(text: &str) -> Self {
        let item = |item: &str| {
            let (id, units) = item.split_once('.')?;
            let units = units.parse().ok().filter(|units| (1..=UNITS_MAX).contains(units))?;
            Some((id.to_owned(), units))
        };
        Self(text.split(',').filter_map(item).take(20).collect())
    }

    /// The same with units added or, by a negative number, taken out.
    pub(super) fn with(&self, product: &str, units: i64) -> Self {
        let mut basket = self.clone();
        match basket.0.iter_mut().find(|(id, _)| id == product) {
            Some((_, own)) => *own = (*own + units).min(UNITS_MAX),
            None => basket.0.push((product.to_owned(), units)),
        }
        basket.0.retain(|(_, units)| *units > 0);
        basket
    }

    /// The address of the page with this basket.
    pub(super) fn address(&self, place: &PageAddress) -> String {
        place.with_parameters(&[("items", &self.to_string()), ("search", "")])
    }
}

/// What is sold, to whom and with which discount, as the address says it.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) basket: Basket,
    pub(super) client: String,
    /// What is typed as the discount: a share or an amount.
    pub(super) off: String,
    /// Why it is given.
    pub(super) why: String,
    pub(super) with_fees: bool,
}

impl Order {
    pub(super) fn of(place: &PageAddress) -> Self {
        let text = |name| place.parameter(name).trim().to_owned();
        Self {
            basket: Basket::parse(place.parameter("items")),
            client: text("client"),
            off: text("off"),
            why: text("why"),
            with_fees: place.parameter("fees") == "1",
        }
    }

    /// The field of the discount and its value; `None` without one, and where it is written otherwise.
    pub(super) fn discount(&self, cx: &PageContext<'_, '_>) -> Option<(&'static str, Value)> {
        match self.off.strip_suffix('%') {
            Some(share) => {
                let share = share.trim().replace(',', ".").parse::<f64>().ok();
                share.filter(|share| share.is_finite()).map(|share| ("percentage", json!(share)))
            }
            None => {
                let (currency, locale) = (cx.person.company.currency, cx.person.caller.locale);
                let amount = minor_units(&self.off, &currency, locale)?;
                amount.parse::<i64>().ok().map(|amount| ("amount", json!(amount)))
            }
        }
    }

    /// The same without the discount, which was written wrongly.
    pub(super) fn without_discount(&self) -> Self {
        Self { off: String::new(), why: String::new(), ..self.clone() }
    }

    /// The body of the preview.
    pub(super) fn body(&self, cx: &PageContext<'_, '_>) -> Value {
        let items = self.basket.0.iter();
        let items = items.map(|(id, units)| json!({"productId": id, "quantity": units}));
        let mut body = json!({"items": items.collect::<Vec<_>>(), "includeFees": self.with_fees});
        if !self.client.is_empty() {
            body["clientId"] = json!(self.client);
        }
        if let Some((kind, value)) = self.discount(cx) {
            body["discount"] = json!({kind: value, "reason": self.why});
        }
        body
    }

    /// The form that makes the sale, paid in one of the ways; `None` leaves the invoice open.
    pub(super) fn form<'f>(&self, cx: &'f PageContext<'_, '_>, way: Option<&str>) -> Form<'f> {
        let mut form = Form::with_key(cx, way.unwrap_or("later"), api::create_desk_sale())
            .next("/console/sell/{invoice.invoiceId}");
        for (at, (id, units)) in self.basket.0.iter().enumerate() {
            form = form
                .hidden(&format!("items.{at}.productId"), &**id)
                .hidden(&format!("items.{at}.quantity"), units.to_string());
        }
        if !self.client.is_empty() {
            form = form.hidden("clientId", &*self.client);
        }
        if let Some((kind, value)) = self.discount(cx) {
            form = form
                .hidden(&format!("discount.{kind}"), value.to_string())
                .hidden("discount.reason", &*self.why);
        }
        if self.with_fees {
            form = form.hidden("includeFees", "true");
        }
        match way {
            Some(way) => form.hidden("payment.kind", way),
            None => form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basket_is_read_as_it_was_written() {
        let basket = Basket::default().with("a", 1).with("b", 2).with("a", 1);
        assert_eq!(basket.to_string(), "a.2,b.2");
        assert_eq!(Basket::parse("a.2,b.2").with("b", -2).to_string(), "a.2");
        assert_eq!(Basket::parse("a.0,b,c.x,d.51,e.50").with("e", 1).to_string(), "e.50");
    }
}
