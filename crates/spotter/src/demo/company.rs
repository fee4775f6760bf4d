//! What the demo's company has before its first client comes: people, places, and an offer.

use serde_json::json;
use spotter_company::{
    catalogue::{set_company_facilities, set_company_policies, set_company_services},
    company::{Company, NewCompany},
    locations,
};
use spotter_contract::{Actor, Body, Role};
use spotter_kernel::{
    Result, TimeZone,
    money::Currency,
    text::{Country, Language},
};
use spotter_people::{
    clients::custom_fields,
    coaches::{self, Coach, NewCoach},
};
use spotter_store::Tx;

use super::{
    history::{COMPANY_NAME, DemoBuilder, parse, plain, text, wrong},
    people,
};

impl DemoBuilder {
    pub(super) fn found(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let new = NewCompany {
            name: text(COMPANY_NAME)?,
            time_zone: TimeZone::parse("Europe/Amsterdam").ok_or_else(wrong)?,
            currency: Currency::parse("EUR").ok_or_else(wrong)?,
            language: Language::parse("en").ok_or_else(wrong)?,
            country: Country::parse("NL"),
        };
        Company::create(tx, self.company, new, self.begin)?;
        for (number, (first, last, role)) in (0..).zip(people::COACHES) {
            let new = NewCoach {
                first_name: text(first)?,
                last_name: text(last)?,
                email: parse(json!(format!("{}@riverside.example", plain(first))))?,
                role: Role::parse(role).ok_or_else(wrong)?,
            };
            let at = self.at(0, 480 + number);
            let id = self.step(tx, Actor::System, at, "invite_coach", |cx| {
                let coach = coaches::create(cx, new)?;
                Coach::activate(cx, coach.coach_id)?;
                Ok(coach.coach_id)
            })?;
            self.coaches.push(id);
        }
        Ok(())
    }

    pub(super) fn owner(&self) -> Actor {
        let role = Role::Admin;
        Actor::Coach { id: self.coaches[0], role, session: self.company.0 }
    }

    pub(super) fn create_company(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let week = |opens: &str, closes: &str| -> Vec<serde_json::Value> {
            (1..=6).map(|day| json!({"weekday": day, "opens": opens, "closes": closes})).collect()
        };
        let places = [
            json!({"name": "Riverside Centre", "coordinates": {"latitude": 52.0907, "longitude": 5.1214},
                "address": {"line1": "Kanaalstraat 12", "postalCode": "3531 CJ", "city": "Utrecht", "country": "NL"},
                "phone": "+31 30 555 0101", "openingHours": week("06:30", "22:00"), "accessZones": ["gym", "studio", "sauna"]}),
            json!({"name": "Riverside East", "coordinates": {"latitude": 52.1561, "longitude": 5.3878},
                "address": {"line1": "Parkweg 88", "postalCode": "3812 AB", "city": "Amersfoort", "country": "NL"},
                "openingHours": week("07:00", "21:00"), "accessZones": ["gym"]}),
            json!({"name": "Forest Outdoor", "address": {"line1": "Lindelaan 1", "city": "Zeist", "country": "NL"},
                "openingHours": week("08:00", "20:00")}),
            json!({"name": "Riverside Online", "type": "online", "email": "online@riverside.example"}),
        ];
        for (number, place) in (0..).zip(places) {
            let at = self.at(0, 540 + number);
            let new: locations::NewLocation = parse(place)?;
            let made = self
                .step(tx, self.owner(), at, "create_location", |cx| locations::create(cx, new))?;
            self.places.push(made.id());
        }
        let at = self.at(1, 540);
        let assistants = json!({"mcp": true, "clientAi": true});
        self.request(tx, self.owner(), at, "update_company_features", &[], assistants)?;
        let (centre, east) = (self.places[0], self.places[1]);
        let facilities = json!({"facilities": [
            {"name": "Free weights", "locationId": centre}, {"name": "Sauna", "locationId": centre},
            {"name": "Group studio", "locationId": centre, "description": "For 16 people"},
            {"name": "Rowing corner", "locationId": east}, {"name": "Parking"},
        ]});
        let euro = |amount: i64| json!({"amount": amount, "currency": "EUR"});
        let services = json!({"services": [
            {"name": "Personal training", "durationMinutes": 60, "price": euro(7_500)},
            {"name": "Duo training", "durationMinutes": 60, "price": euro(9_500)},
            {"name": "Small group", "durationMinutes": 45, "price": euro(1_850)},
            {"name": "Online coaching", "description": "A programme and a weekly check-in", "price": euro(9_900)},
            {"name": "Intake", "durationMinutes": 30, "price": euro(0)},
        ]});
        let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 60,
            "lateCancellationFee": euro(1_500), "noShowFee": euro(2_500),
            "termsUrl": "https://riverside.example/terms", "privacyUrl": "https://riverside.example/privacy"});
        let owner = self.owner();
        self.step(tx, owner.clone(), at, "set_company_facilities", |cx| {
            set_company_facilities(cx, Body(parse(facilities)?))
        })?;
        self.step(tx, owner.clone(), at, "set_company_services", |cx| {
            set_company_services(cx, Body(parse(services)?))
        })?;
        self.step(tx, owner.clone(), at, "set_company_policies", |cx| {
            set_company_policies(cx, Body(parse(policies)?))
        })?;
        let fields = [
            json!({"label": "T-shirt size", "type": "select", "options": ["S", "M", "L", "XL"]}),
            json!({"label": "Resting heart rate", "type": "number"}),
            json!({"label": "Contract signed on", "type": "date"}),
            json!({"label": "Has own heart rate monitor", "type": "boolean"}),
        ];
        for (number, field) in (0..).zip(fields) {
            let new: custom_fields::NewCustomField = parse(field)?;
            let at = self.at(2, 540 + number);
            let made = self.step(tx, owner.clone(), at, "create_custom_field", |cx| {
                custom_fields::define(cx, new)
            })?;
            self.fields.push(made);
        }
        Ok(())
    }
}
