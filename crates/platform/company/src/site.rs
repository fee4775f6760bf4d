//! The public site of a company: the address at which strangers find it, the face that it has there, and what they may
//! do without an account. What they see of the timetable, the coaches and the products stands in those areas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Actor, Area, Body, Caller, Path, Read, Write, answer, operation, path};
use spotter_kernel::{
    Change, Id, Key, Many, Patch, Problem, Result, TimeZone, Timestamp,
    id::{CompanyId, LocationId},
    localized::Localized,
    money::Currency,
    number::BoundedInteger,
    text::{Color, Origin, Slug},
};
use spotter_store::{Json, Tx, params, record, set, statements, values, words};

use crate::{
    company::Company,
    locations::{Address, Coordinates, Location, OpeningHours},
    rules::CompanyRule,
    uploads::{self, UploadId},
};

words! {
    /// Whether strangers may sign up: not at all, as clients whom the company looks at first, or at once.
    pub enum SignUpPolicy { Closed = "closed", Review = "review", Open = "open" }
}

words! {
    /// How a client pays for what they buy by themselves: on the provider's page, by transfer, or at the desk.
    pub enum PaymentChoice { Online = "online", Transfer = "transfer", Desk = "desk" }
}

/// A line of a site, by language.
pub type Tagline = Localized<200>;
/// What a site says about its company, by language.
pub type SiteText = Localized<4000>;

record! {
    /// The public site of the company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Site {
        /// The site's address: the last part of `/g/{slug}`, unique in the installation.
        pub slug: String,
        /// Whether strangers see the site.
        pub is_published: bool,
        /// One line about the company, by language.
        pub tagline: Json<Tagline>,
        /// What the company says about itself, by language.
        pub about: Json<SiteText>,
        /// The company's color; shades of it that can be read are chosen for each use.
        pub accent_color: Option<String>,
        /// The company's logo.
        pub logo_id: Option<UploadId>,
        /// The picture at the top of the site.
        pub cover_id: Option<UploadId>,
        /// Whether the site lists the coaches by name.
        pub shows_coaches: bool,
        /// Whether the site lists what is sold.
        pub shows_products: bool,
        /// Whether strangers may sign up.
        pub sign_up_policy: SignUpPolicy,
        /// How clients may pay for what they buy by themselves, in the order in which they are offered.
        pub payment_choices: Json<Vec<PaymentChoice>>,
        /// Minutes for which a seat or a price is held until it is paid.
        pub hold_minutes: i64,
        /// Forms that newcomers are given.
        pub newcomer_form_ids: Json<Vec<Id>>,
        /// Origins of web pages that may show parts of the site in a frame.
        pub embed_origins: Json<Vec<Origin>>,
        /// When it was last updated.
        updated_at: Timestamp,
    }
}

impl Site {
    /// The company's site; one that is not published yet, where nothing was chosen.
    pub fn of(cx: &mut Read) -> Result<Self> {
        if let Some(site) = cx.one_kept(FIND, params![])? {
            return Ok(site);
        }
        let company = Company::find(cx)?;
        Ok(Self {
            slug: slug_for(&company.name, company.company_id),
            is_published: false,
            tagline: Json(Tagline::default()),
            about: Json(SiteText::default()),
            accent_color: None,
            logo_id: None,
            cover_id: None,
            shows_coaches: true,
            shows_products: true,
            sign_up_policy: SignUpPolicy::Review,
            payment_choices: Json(vec![PaymentChoice::Online, PaymentChoice::Desk]),
            hold_minutes: 15,
            newcomer_form_ids: Json(Vec::new()),
            embed_origins: Json(Vec::new()),
            updated_at: company.created_at(),
        })
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("site", cx.company().0, changed) else { return Ok(()) };
        self.updated_at = now;
        // The address is claimed with the first change, so that no other company takes it meanwhile.
        if cx.execute(CLAIM_ADDRESS, params![self.slug.as_str(), self.is_published])? == 0 {
            return Err(Problem::conflict("slug", CompanyRule::AddressOfOther));
        }
        cx.execute(FREE_OTHERS, params![self.slug.as_str()])?;
        cx.defer(SAVE, &self.params())
    }
}

/// An address for a company without one: its name in plain letters, and the end of its id where nothing is left of that.
fn slug_for(name: &str, id: CompanyId) -> String {
    let mut slug = String::new();
    for c in crate::folding::haystack([name]).chars() {
        match c.is_ascii_lowercase() || c.is_ascii_digit() {
            true => slug.push(c),
            false if !slug.ends_with('-') && !slug.is_empty() => slug.push('-'),
            false => {}
        }
    }
    slug.truncate(50);
    match Slug::parse(slug.trim_end_matches('-')) {
        Some(slug) => slug.into(),
        None => format!("gym-{}", &id.to_string()[18..]),
    }
}

/// The stranger at a published site; 404 where there is none at this address.
pub fn visitor(tx: &mut Tx<'_>, slug: &str) -> Result<Caller> {
    let slug = Slug::parse(slug).ok_or(Key::NotFound)?;
    let found: Option<(CompanyId,)> = tx.one(PUBLISHED, params![&*slug])?;
    let (company,) = found.ok_or(Key::NotFound)?;
    let features = Company::with_id(tx, company)?.admit().map_err(|_| Key::NotFound)?;
    Ok(Caller { features, ..Caller::new(company, Actor::Visitor) })
}

/// The address of the site of an installation that has one company, if it is published.
pub fn only_address(tx: &mut Tx<'_>) -> Result<Option<String>> {
    let companies: Vec<(CompanyId,)> = tx.all(COMPANIES, params![])?;
    let [(company,)] = companies.as_slice() else { return Ok(None) };
    let found: Option<(String,)> = tx.one(ADDRESS_OF, params![*company])?;
    Ok(found.map(|(slug,)| slug))
}

/// What a company is known by, where it is the only one of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Face {
    /// Display name.
    pub name: String,
    /// The path of its logo, where its site is published.
    pub logo: Option<String>,
    /// Its color.
    pub accent_color: Option<String>,
}

/// The face of the only company of an installation.
pub fn only_face(tx: &mut Tx<'_>) -> Result<Option<Face>> {
    let companies: Vec<(CompanyId,)> = tx.all(COMPANIES, params![])?;
    let [(id,)] = companies.as_slice() else { return Ok(None) };
    let name = Company::with_id(tx, *id)?.name;
    let site: Option<Site> = tx.one(FIND, params![*id])?;
    let published = site.as_ref().filter(|site| site.is_published);
    let logo =
        published.and_then(|site| Some(format!("/site-pictures/{}/{}", site.slug, site.logo_id?)));
    Ok(Some(Face { name, logo, accent_color: site.and_then(|site| site.accent_color) }))
}

answer!(SiteAnswer { site: Site });

fn get_site(cx: &mut Read) -> Result<SiteAnswer> {
    Ok(SiteAnswer { site: Site::of(cx)? })
}

/// The fields of the site to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct SiteChanges {
    slug: Change<Slug>,
    is_published: Change<bool>,
    tagline: Change<Tagline>,
    about: Change<SiteText>,
    accent_color: Patch<Color>,
    /// A picture that was uploaded as `site_picture`.
    logo_id: Patch<UploadId>,
    /// A picture that was uploaded as `site_picture`.
    cover_id: Patch<UploadId>,
    shows_coaches: Change<bool>,
    shows_products: Change<bool>,
    sign_up_policy: Change<SignUpPolicy>,
    payment_choices: Change<Many<PaymentChoice, 0, 3>>,
    hold_minutes: Change<BoundedInteger<5, 120>>,
    newcomer_form_ids: Change<Many<Id, 0, 10>>,
    embed_origins: Change<Many<Origin, 0, 20>>,
}

fn update_site(cx: &mut Write, Body(change): Body<SiteChanges>) -> Result<SiteAnswer> {
    let before = Site::of(cx)?;
    let mut site = before.clone();
    change.slug.apply(&mut site.slug);
    change.is_published.apply(&mut site.is_published);
    change.tagline.map(Json).apply(&mut site.tagline);
    change.about.map(Json).apply(&mut site.about);
    change.accent_color.map(|color| color.to_lowercase()).apply(&mut site.accent_color);
    change.shows_coaches.apply(&mut site.shows_coaches);
    change.shows_products.apply(&mut site.shows_products);
    change.sign_up_policy.apply(&mut site.sign_up_policy);
    change
        .payment_choices
        .map(|choices| Json(unique(choices.into_vec())))
        .apply(&mut site.payment_choices);
    change.hold_minutes.map(i64::from).apply(&mut site.hold_minutes);
    change
        .embed_origins
        .map(|origins| Json(unique(origins.into_vec())))
        .apply(&mut site.embed_origins);
    if let Some(forms) = change.newcomer_form_ids.value() {
        for form in forms.iter() {
            cx.forms()?.check_form(cx, *form, "newcomerFormIds")?;
        }
        site.newcomer_form_ids = Json(unique(forms.into_vec()));
    }
    picture(cx, "logoId", change.logo_id, &mut site.logo_id)?;
    picture(cx, "coverId", change.cover_id, &mut site.cover_id)?;
    site.save(cx, &before)?;
    Ok(SiteAnswer { site })
}

fn unique<T: PartialEq>(items: Vec<T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

/// Puts a picture in place of another, which is deleted.
fn picture(
    cx: &mut Write,
    field: &str,
    change: Patch<UploadId>,
    place: &mut Option<UploadId>,
) -> Result<()> {
    let before = *place;
    if change.value() == before.as_ref() {
        return Ok(());
    }
    if let Some(id) = change.value() {
        let rule = CompanyRule::NotSitePicture;
        uploads::attach_site_picture(cx, *id).map_err(|none| none.missing(field, rule))?;
    }
    change.apply(place);
    match before.filter(|before| Some(*before) != *place) {
        Some(gone) => uploads::discard(cx, gone),
        None => Ok(()),
    }
}

path!(
    /// The address of a public site.
    pub SitePath {
        /// The address of the company's public site.
        slug: Slug,
    }
);

/// What strangers see of a company.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteProfile {
    slug: String,
    /// Display name of the company.
    name: String,
    email: Option<String>,
    phone: Option<String>,
    website: Option<String>,
    /// Language as an ISO 639-1 code, such as `nl`.
    language: String,
    currency: Currency,
    /// IANA name; the zone of the company's dates.
    time_zone: String,
    tagline: Json<Tagline>,
    about: Json<SiteText>,
    accent_color: Option<String>,
    /// The company's logo, at `/site-pictures/{slug}/{logoId}`.
    logo_id: Option<UploadId>,
    /// The picture at the top of the site, at `/site-pictures/{slug}/{coverId}`.
    cover_id: Option<UploadId>,
    shows_coaches: bool,
    shows_products: bool,
    /// Whether strangers may sign up; `closed` where the installation sends no mail.
    sign_up_policy: SignUpPolicy,
    /// Origins of web pages that may show parts of the site in a frame.
    embed_origins: Json<Vec<Origin>>,
    locations: Vec<SiteLocation>,
}

/// Where a company trains its clients, as strangers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteLocation {
    location_id: LocationId,
    name: String,
    is_online: bool,
    time_zone: TimeZone,
    address: Option<Json<Address>>,
    coordinates: Option<Json<Coordinates>>,
    phone: Option<String>,
    email: Option<String>,
    opening_hours: Vec<OpeningHours>,
}

answer!(SiteProfileAnswer { site: SiteProfile });

fn get_site_profile(cx: &mut Read, Path(_): Path<SitePath>) -> Result<SiteProfileAnswer> {
    let company = Company::find(cx)?;
    let site = Site::of(cx)?;
    let locations = Location::active(cx)?.into_iter().map(|location| SiteLocation {
        location_id: location.id(),
        name: location.name().to_owned(),
        is_online: location.is_online(),
        time_zone: location.time_zone(),
        opening_hours: location.opening_hours().to_vec(),
        address: location.address,
        coordinates: location.coordinates,
        phone: location.phone,
        email: location.email,
    });
    let (email, phone, website) = company.contact();
    Ok(SiteProfileAnswer {
        site: SiteProfile {
            slug: site.slug,
            email,
            phone,
            website,
            language: company.language,
            currency: company.currency,
            time_zone: company.time_zone,
            name: company.name,
            tagline: site.tagline,
            about: site.about,
            accent_color: site.accent_color,
            logo_id: site.logo_id,
            cover_id: site.cover_id,
            shows_coaches: site.shows_coaches,
            shows_products: site.shows_products,
            sign_up_policy: if cx.sends_mail() {
                site.sign_up_policy
            } else {
                SignUpPolicy::Closed
            },
            embed_origins: site.embed_origins,
            locations: locations.collect(),
        },
    })
}

/// The operations and statements of this module.
pub fn area() -> Area {
    Area::of(STATEMENTS)
        .operations([
            operation!(GET "/company/site", CompanyCatalogRead, get_site)
                .summary("Get the public site")
                .describe(
                    "Returns the address and the face of the company's public site, and what \
                     strangers may do there.",
                )
                .for_every_client(&["embedOrigins", "newcomerFormIds"])
                .fails(&[Key::CompanyNotFound]),
            operation!(app PATCH "/company/site", Manager, update_site)
                .summary("Update the public site")
                .describe(
                    "Changes the fields that are sent. The site is seen by strangers while \
                     `isPublished` is true. Its address is taken from its first change on.",
                )
                .fails(&[Key::NotFound, Key::ApiError]),
            operation!(visitor GET "/site/{slug}", get_site_profile)
                .summary("Get a company's public profile")
                .describe(
                    "Returns what strangers see of a company: its name, texts, pictures, contact \
                     details and locations. 404 unless the site is published.",
                )
                .fails(&[Key::CompanyNotFound]),
        ])
        .tagged("Public site")
}

statements! {
    FIND = "SELECT ", Site::COLUMNS, " FROM site WHERE company_id = ?1";
    SAVE = "INSERT INTO site ", values!(Site), " ON CONFLICT (company_id) DO UPDATE SET ", set!(Site);
    FREE_OTHERS = "DELETE FROM site_address WHERE company_id = ?1 AND slug <> ?2";
    CLAIM_ADDRESS = "INSERT INTO site_address (company_id, slug, is_published) VALUES (?1, ?2, ?3) \
        ON CONFLICT (slug) DO UPDATE SET is_published = excluded.is_published \
        WHERE site_address.company_id = excluded.company_id";
    PUBLISHED = "SELECT company_id FROM site_address WHERE slug = ?1 AND is_published";
    COMPANIES = "SELECT company_id FROM company ORDER BY company_id LIMIT 2";
    ADDRESS_OF = "SELECT slug FROM site_address WHERE company_id = ?1 AND is_published";
}

#[cfg(test)]
mod tests {
    use spotter_kernel::{Id, Timestamp};

    use super::*;

    #[test]
    fn a_name_becomes_an_address() {
        let id = CompanyId(Id::new(Timestamp::from_millis(1), [7; 6]));
        assert_eq!(slug_for("Dok Noord – Gym & Co.", id), "dok-noord-gym-co");
        assert_eq!(slug_for("Zoë's", id), "zoe-s");
        let none = slug_for("道場", id);
        assert!(none.starts_with("gym-") && Slug::parse(&none).is_some(), "{none}");
    }
}
