//! What the demo's clients entrust to their coaches beside it: photos, meals and documents.

use serde_json::{Value, json};
use spotter_company::uploads::{self, MediaType, PictureDetails, Purpose, StoredFile};
use spotter_contract::Actor;
use spotter_files::picture::{self, Picture};
use spotter_kernel::{Problem, Result, TimeZone, id::ClientId};
use spotter_store::Tx;

use super::{
    history::{DAYS, DemoBuilder, MembershipSpan, parse},
    people,
};

/// One of this many clients sends photos.
const PHOTOGRAPHED: usize = 3;
/// this often, four weeks apart.
const PHOTOS: i64 = 4;
/// Number of days with logged meals.
const MEAL_DAYS: i64 = 14;
/// The size of a photo.
const WIDTH: u32 = 480;
const HEIGHT: u32 = 640;

/// A standing figure of this width.
fn figure(half_width: i64) -> impl Fn(u32, u32) -> [u8; 3] {
    move |x, y| {
        let (x, y) = (i64::from(x) - 240, i64::from(y));
        let within = |(at, down): (i64, i64), (wide, high): (i64, i64)| {
            let (dx, dy) = ((x - at) * 1_000 / wide, (y - down) * 1_000 / high);
            dx * dx + dy * dy < 1_000_000
        };
        let legs = (330..560).contains(&y) && (12..half_width * 2 / 3).contains(&x.abs());
        if within((0, 110), (48, 58)) {
            [224, 178, 148]
        } else if within((0, 270), (half_width, 120)) {
            [38, 92, 120]
        } else if legs {
            [52, 60, 72]
        } else if y > 555 {
            [178, 170, 160]
        } else {
            [234, 238, 240]
        }
    }
}

impl DemoBuilder {
    /// Photos of some, meals of those who keep habits, and documents of everybody who is followed.
    pub(super) fn add_private_records(
        &mut self,
        tx: &mut Tx<'_>,
        stays: &[MembershipSpan],
    ) -> Result<()> {
        let folder = json!({"name": "Contracts"});
        let made =
            self.request(tx, self.owner(), self.at(2, 700), "create_document_folder", &[], folder)?;
        let folder = made["documentFolder"]["folderId"].clone();
        let rules = json!({"name": "House rules", "type": "other", "url": "https://riverside.example/house-rules"});
        self.request(tx, self.owner(), self.at(2, 705), "link_document", &[], rules)?;
        let followed: Vec<_> = self.followed(stays).collect();
        for (at, (turn, client, joined)) in followed.into_iter().enumerate() {
            let contract = json!({"name": "Coaching agreement", "type": "contract", "clientId": client, "folderId": folder,
                "url": format!("https://riverside.example/agreements/{client}"),
                "expiresOn": self.date(joined + 730, &TimeZone::UTC)});
            self.request(tx, self.coach(), self.at(joined, 800), "link_document", &[], contract)?;
            if at < PHOTOGRAPHED {
                self.photograph(tx, client)?;
            }
            if turn.is_multiple_of(3) {
                self.log_meals(tx, client)?;
            }
        }
        Ok(())
    }

    fn photograph(&mut self, tx: &mut Tx<'_>, client: ClientId) -> Result<()> {
        let mut half_width = 96 + self.dice.below(20) as i64;
        for number in 0..PHOTOS {
            let at = self.at(DAYS - 2 - 28 * (PHOTOS - 1 - number), 450);
            half_width -= 4 + self.dice.below(4) as i64;
            let failed = |_| Problem::internal("a picture was not painted");
            let Picture { large, thumbnail, width, height } =
                picture::paint(WIDTH, HEIGHT, figure(half_width)).map_err(failed)?;
            let sizes = [large.len() as i64, thumbnail.len() as i64];
            let actor = Actor::Client { id: client, session: client.0 };
            let sent = self.step(tx, actor, at, "complete_upload", |cx| {
                let mut begin = || {
                    let name = parse(json!("front.jpg"))?;
                    uploads::create(cx, name, MediaType::Jpeg, Purpose::ProgressPhoto)
                };
                let [large, thumbnail] = [begin()?, begin()?];
                uploads::complete(cx, thumbnail, sizes[1], None)?;
                uploads::complete(
                    cx,
                    large,
                    sizes[0],
                    Some(PictureDetails { thumbnail, width, height }),
                )?;
                Ok([large, thumbnail])
            })?;
            let photo = json!({"uploadId": sent[0], "pose": "front"});
            self.of(tx, client, at, "add_progress_photo", &[], photo)?;
            for (upload, bytes) in sent.into_iter().zip([large, thumbnail]) {
                self.pictures.push((StoredFile { company: self.company, upload }, bytes.into()));
            }
        }
        Ok(())
    }

    fn log_meals(&self, tx: &mut Tx<'_>, client: ClientId) -> Result<()> {
        let from = self.at(DAYS - MEAL_DAYS, 480);
        let path = [
            ("clientId", json!(client)),
            ("date", json!(self.date(DAYS - MEAL_DAYS, &TimeZone::UTC))),
        ];
        let target = json!({"amounts": {"energyKcal": 2_100, "proteinG": 130}});
        self.request(tx, self.coach(), from, "set_nutrition_target", &path, target)?;
        for day in DAYS - MEAL_DAYS..DAYS {
            for (meal, minute) in [("breakfast", 450), ("lunch", 765), ("dinner", 1_140)] {
                if !self.dice.chance(90) {
                    continue;
                }
                let (name, energy, protein) = *self.dice.pick(people::MEALS);
                let item: Value = json!({"name": name, "amount": 1, "unit": "serving",
                    "nutrients": {"energyKcal": energy, "proteinG": protein}});
                let eaten = json!({"mealType": meal, "items": [item]});
                let at = self.at(day, minute + self.dice.below(45));
                self.of(tx, client, at, "log_meal", &[], eaten)?;
            }
        }
        Ok(())
    }
}
