//! The demo's public site, with a face, and a newcomer who came through it this morning.

use serde_json::json;
use spotter_company::uploads::{self, MediaType, PictureDetails, Purpose, StoredFile, UploadId};
use spotter_contract::Actor;
use spotter_files::picture::{self, Picture};
use spotter_kernel::{Problem, Result, Timestamp};
use spotter_people::clients::profile;
use spotter_store::Tx;

use super::history::{DemoBuilder, parse, wrong};

/// Sizes of the pictures, in pixels.
const COVER: (u32, u32) = (1_600, 640);
const LOGO: (u32, u32) = (256, 256);

/// Hills behind a river, at dawn.
fn cover(x: u32, y: u32) -> [u8; 3] {
    let (across, down) = (f64::from(x) / f64::from(COVER.0), f64::from(y) / f64::from(COVER.1));
    let hill =
        |height: f64, width: f64, shift: f64| height - 0.08 * ((across + shift) * width).sin();
    let mix = |from: [u8; 3], to: [u8; 3], share: f64| -> [u8; 3] {
        let part =
            |at: usize| f64::from(from[at]) + (f64::from(to[at]) - f64::from(from[at])) * share;
        [part(0) as u8, part(1) as u8, part(2) as u8]
    };
    let river = 0.80 + 0.02 * (across * 7.0).sin();
    if down > river {
        mix([38, 96, 110], [20, 58, 72], (down - river) * 4.0)
    } else if down > hill(0.68, 5.0, 0.3) {
        [26, 74, 58]
    } else if down > hill(0.55, 4.0, 0.9) {
        [52, 110, 86]
    } else if down > hill(0.44, 3.0, 1.7) {
        [104, 152, 128]
    } else {
        mix([250, 214, 170], [132, 178, 196], 1.0 - down * 2.2)
    }
}

/// A wave in a disc.
fn logo(x: u32, y: u32) -> [u8; 3] {
    let (dx, dy) = (f64::from(x) - 128.0, f64::from(y) - 128.0);
    let wave = |shift: f64| (dy - shift - 14.0 * (dx / 22.0).sin()).abs() < 9.0;
    if dx.hypot(dy) > 120.0 || wave(-34.0) || wave(10.0) || wave(54.0) {
        [255, 255, 255]
    } else {
        [23, 107, 77]
    }
}

impl DemoBuilder {
    /// Publishes the site of the company.
    pub(super) fn open_site(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let at = self.at(3, 600);
        let contact = json!({"email": "hello@riverside.example", "phone": "+31 30 555 0101"});
        self.request(tx, self.owner(), at, "update_company_settings", &[], contact)?;
        let logo = self.draw(tx, at, picture::paint(LOGO.0, LOGO.1, logo))?;
        let cover = self.draw(tx, at, picture::paint(COVER.0, COVER.1, cover))?;
        let site = json!({
            "slug": "riverside",
            "isPublished": true,
            "tagline": {
                "en": "Strong in small groups, on the bank of the canal.",
                "nl": "Sterk in kleine groepen, aan de oever van het kanaal.",
                "de": "Stark in kleinen Gruppen, am Ufer des Kanals.",
            },
            "about": {
                "en": "Eight coaches, three places, and a studio for sixteen. We know your name, your knee and your goal.\nCome by for a trial day: it is free, and there is coffee.",
                "nl": "Acht coaches, drie plekken en een studio voor zestien. We kennen je naam, je knie en je doel.\nKom langs voor een proefdag: die is gratis, en er is koffie.",
                "de": "Acht Coaches, drei Orte und ein Studio für sechzehn. Wir kennen Ihren Namen, Ihr Knie und Ihr Ziel.\nKommen Sie zum Probetag: Er ist kostenlos, und es gibt Kaffee.",
            },
            "accentColor": "#176b4d",
            "logoId": logo,
            "coverId": cover,
            "signUpPolicy": "open",
            "paymentChoices": ["online", "desk"],
        });
        self.request(tx, self.owner(), at, "update_site", &[], site).map(drop)
    }

    fn draw(
        &mut self,
        tx: &mut Tx<'_>,
        at: Timestamp,
        painted: std::result::Result<Picture, picture::PictureRefusal>,
    ) -> Result<UploadId> {
        let failed = |_| Problem::internal("a picture was not painted");
        let Picture { large, thumbnail, width, height } = painted.map_err(failed)?;
        let sizes = [large.len() as i64, thumbnail.len() as i64];
        let sent = self.step(tx, self.owner(), at, "complete_upload", |cx| {
            let mut begin = || {
                let name = parse(json!("picture.jpg"))?;
                uploads::create(cx, name, MediaType::Jpeg, Purpose::SitePicture)
            };
            let [large, thumbnail] = [begin()?, begin()?];
            uploads::complete(cx, thumbnail, sizes[1], None)?;
            let details = PictureDetails { thumbnail, width, height };
            uploads::complete(cx, large, sizes[0], Some(details))?;
            Ok([large, thumbnail])
        })?;
        let stored = sent.into_iter().zip([large, thumbnail]);
        for (upload, bytes) in stored {
            self.pictures.push((StoredFile { company: self.company, upload }, bytes.into()));
        }
        Ok(sent[0])
    }

    /// A stranger who signed up this morning, and took a trial day.
    pub(super) fn welcome_newcomer(&self, tx: &mut Tx<'_>) -> Result<()> {
        let at = self.env.clock.now().plus_seconds(-2 * 3_600);
        let new = parse(
            json!({"firstName": "Noor", "lastName": "Vermeer", "email": "noor.vermeer@example.com",
            "language": "nl", "source": "Public site"}),
        )?;
        let made =
            self.step(tx, Actor::Visitor, at, "confirm_sign_up", |cx| profile::create(cx, new))?;
        let owner = self.owner();
        let all = json!("limit=100&search=trial");
        let found = self.request(tx, owner, at, "list_products", &[], all)?;
        let trial = found["products"].as_array().and_then(|all| all.first()).ok_or_else(wrong)?;
        let client = Actor::Client { id: made.client_id, session: made.client_id.0 };
        let order = json!({"productId": trial["productId"], "paymentChoice": "desk"});
        let path = [("clientId", json!(made.client_id))];
        self.request(tx, client, at, "create_shop_order", &path, order).map(drop)
    }
}
