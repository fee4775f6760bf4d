//! The same facts for search engines (JSON-LD in the words of schema.org).

use serde_json::{Value, json};

use super::{context::SiteContext, picture};
use crate::{
    api::{Json, SiteClass, SiteProduct},
    parts::format::JsonFields,
};
use spotter_kernel::money::Currency;

const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Leaves out what is not known.
fn known(mut facts: Value) -> Value {
    if let Some(fields) = facts.as_object_mut() {
        fields.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
    }
    facts
}

/// The gym: a place that can be visited.
pub(super) fn gym(cx: &SiteContext<'_, '_>) -> Value {
    let own = cx.gym();
    let first = own.locations().iter().find(|place| !place.is_online());
    let hours = first.map(|place| {
        let hours = place.opening_hours().iter().map(|hours| {
            let day = usize::try_from(hours.weekday() - 1).unwrap_or_default().min(6);
            json!({"@type": "OpeningHoursSpecification", "dayOfWeek": DAYS[day],
                "opens": hours.opens(), "closes": hours.closes()})
        });
        hours.collect::<Vec<Value>>()
    });
    let image = (!own.cover_id().is_empty()).then(|| picture::absolute(cx, own.cover_id()));
    let logo = (!own.logo_id().is_empty()).then(|| picture::absolute(cx, own.logo_id()));
    known(json!({
        "@context": "https://schema.org",
        "@type": "ExerciseGym",
        "name": own.name(),
        "url": cx.absolute(""),
        "description": cx.localized(own.tagline()),
        "telephone": own.phone(),
        "email": own.email(),
        "image": image,
        "logo": logo,
        "address": first.map_or(Value::Null, |place| address(place.json().at("address"))),
        "openingHoursSpecification": hours,
    }))
}

/// A postal address.
fn address(own: &Value) -> Value {
    if own.is_null() {
        return Value::Null;
    }
    known(json!({
        "@type": "PostalAddress",
        "streetAddress": own.text("line1"),
        "postalCode": own.text("postalCode"),
        "addressLocality": own.text("city"),
        "addressRegion": own.text("region"),
        "addressCountry": own.text("country"),
    }))
}

/// A class: an event with an offer.
pub(super) fn class(cx: &SiteContext<'_, '_>, own: SiteClass<'_>) -> Value {
    let gym = cx.gym();
    let location = gym.locations().iter().find(|place| place.location_id() == own.location_id());
    let url = cx.absolute(&format!("/classes/{}", own.calendar_event_id()));
    let is_online = location.is_some_and(|place| place.is_online());
    let place = match location {
        Some(place) if is_online => {
            json!({"@type": "VirtualLocation", "name": place.name(), "url": url})
        }
        Some(place) => known(
            json!({"@type": "Place", "name": place.name(), "address": address(place.json().at("address"))}),
        ),
        None => json!({"@type": "Place", "name": gym.name()}),
    };
    let availability = if own.capacity_left() > 0 { "InStock" } else { "SoldOut" };
    let mode = if is_online { "OnlineEventAttendanceMode" } else { "OfflineEventAttendanceMode" };
    known(json!({
        "@context": "https://schema.org",
        "@type": "Event",
        "name": own.name(),
        "description": own.description(),
        "startDate": own.local_starts_at(),
        "endDate": own.ends_at().to_string(),
        "eventStatus": "https://schema.org/EventScheduled",
        "eventAttendanceMode": format!("https://schema.org/{mode}"),
        "location": place,
        "organizer": {"@type": "Organization", "name": gym.name(), "url": cx.absolute("")},
        "performer": {"@type": "Person", "name": own.coach_name()},
        "maximumAttendeeCapacity": own.capacity(),
        "remainingAttendeeCapacity": own.capacity_left(),
        "offers": {"@type": "Offer", "url": url, "availability": format!("https://schema.org/{availability}")},
    }))
}

/// A product with its price.
pub(super) fn product(cx: &SiteContext<'_, '_>, own: SiteProduct<'_>) -> Value {
    let url = cx.absolute(&format!("/prices/{}", own.product_id()));
    let price = Currency::parse(own.currency()).map(|currency| currency.decimal(own.price()));
    known(json!({
        "@context": "https://schema.org",
        "@type": "Product",
        "name": cx.localized(own.name()),
        "description": cx.localized(own.description()),
        "url": url,
        "offers": {"@type": "Offer", "url": url, "price": price, "priceCurrency": own.currency(),
            "availability": "https://schema.org/InStock"},
    }))
}
