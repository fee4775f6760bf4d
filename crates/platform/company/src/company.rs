//! The company: its profile and settings, its features, and how it is created.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Features, Offboarding, Read, Write, answer, operation};
use spotter_kernel::{
    Change, Key, Patch, Problem, Result, TimeZone, Timestamp,
    id::CompanyId,
    money::Currency,
    text::{Country, Email, Language, Name, Phone, WebUrl},
};
use spotter_store::{Record, Tx, params, places, record, statements};

use crate::rules::CompanyRule;

record! {
    /// A company and its enabled features.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Company {
        /// The company's id.
        pub company_id: CompanyId,
        /// Display name.
        pub name: String,
        email: Option<String>,
        phone: Option<String>,
        website: Option<String>,
        /// ISO 3166-1 alpha-2 code.
    pub country: Option<String>,
        /// Language as an ISO 639-1 code, such as `nl`.
        pub language: String,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// IANA name; the zone of the company's dates.
        pub time_zone: String,
        /// Whether integrations are admitted.
        #[serde(skip)]
        pub public_api_enabled: bool,
        #[serde(skip)]
        workout_enabled: bool,
        #[serde(skip)]
        programme_calendar_enabled: bool,
        #[serde(skip)]
        mcp_enabled: bool,
        #[serde(skip)]
        client_ai_enabled: bool,
        #[serde(skip)]
        health_consent_enabled: bool,
        #[serde(skip)]
        second_step_demanded: bool,
        /// Since when the operator keeps its people and integrations out.
        #[serde(skip)]
        suspended_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// What a new company is made of.
#[derive(Debug, Clone)]
pub struct NewCompany {
    /// Display name.
    pub name: Name<120>,
    /// The zone of its dates.
    pub time_zone: TimeZone,
    /// What it counts money in.
    pub currency: Currency,
    /// Language as an ISO 639-1 code, such as `nl`.
    pub language: Language,
    /// ISO 3166-1 alpha-2 code.
    pub country: Option<Country>,
}

impl Company {
    /// Asks ahead for a company.
    pub fn ask_ahead_for(tx: &mut Tx<'_>, company: CompanyId) -> Result<()> {
        tx.ask_ahead(FIND, params![company])
    }

    /// The company with this id.
    pub fn with_id(tx: &mut Tx<'_>, company: CompanyId) -> Result<Self> {
        tx.one_kept(FIND, params![company])?.ok_or_else(|| Key::CompanyNotFound.into())
    }

    /// Asks ahead for the caller's company.
    pub fn ask_ahead(cx: &mut Read) -> Result<()> {
        cx.ask_ahead(FIND, params![])
    }

    /// The caller's company.
    pub fn find(cx: &mut Read) -> Result<Self> {
        cx.one_kept(FIND, params![])?.ok_or_else(|| Key::CompanyNotFound.into())
    }

    /// Starts a company with everything but AI switched on.
    pub fn create(tx: &mut Tx, id: CompanyId, new: NewCompany, now: Timestamp) -> Result<Self> {
        let company = Self {
            company_id: id,
            name: new.name.into(),
            email: None,
            phone: None,
            website: None,
            country: new.country.map(Into::into),
            language: new.language.into(),
            currency: new.currency,
            time_zone: new.time_zone.name().to_owned(),
            public_api_enabled: true,
            workout_enabled: true,
            programme_calendar_enabled: true,
            mcp_enabled: false,
            client_ai_enabled: false,
            health_consent_enabled: false,
            second_step_demanded: false,
            suspended_at: None,
            created_at: now,
            updated_at: now,
        };
        tx.execute(INSERT, &company.params())?;
        Ok(company)
    }

    /// When it was created.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The zone of its dates.
    pub fn zone(&self) -> TimeZone {
        TimeZone::parse(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// The enabled features.
    pub fn features(&self) -> Features {
        Features {
            public_api: self.public_api_enabled,
            workout: self.workout_enabled,
            programme_calendar: self.programme_calendar_enabled,
            mcp: self.mcp_enabled,
            client_ai: self.client_ai_enabled,
            health_consent: self.health_consent_enabled,
            second_step: self.second_step_demanded,
        }
    }

    /// The enabled features of a company whose people and integrations are admitted: `auth.forbidden` while the operator
    /// has suspended it.
    pub fn admit(&self) -> Result<Features> {
        match self.suspended_at {
            None => Ok(self.features()),
            Some(_) => Err(Problem::because(Key::Forbidden, CompanyRule::CompanySuspended)),
        }
    }

    /// How it is reached: its email address, its telephone number and its website.
    pub(crate) fn contact(&self) -> (Option<String>, Option<String>, Option<String>) {
        (self.email.clone(), self.phone.clone(), self.website.clone())
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("company", self.company_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params()[1..])
    }
}

answer!(CompanyAnswer { company: Company });

answer!(ProfileAnswer { profile: Company });

fn get_company_profile(cx: &mut Read) -> Result<ProfileAnswer> {
    Ok(ProfileAnswer { profile: Company::find(cx)? })
}

fn get_company_settings(cx: &mut Read) -> Result<CompanyAnswer> {
    Ok(CompanyAnswer { company: Company::find(cx)? })
}

/// The columns of a company but its id, which never changes: where companies are spread over servers, it says on which a
/// row is.
const ALL_BUT_KEY: &str = Company::COLUMNS.split_at("company_id, ".len()).1;

/// The settings of a company to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "CompanySettingsChanges")]
struct SettingsChange {
    name: Change<Name<120>>,
    email: Patch<Email>,
    phone: Patch<Phone>,
    website: Patch<WebUrl>,
    country: Patch<Country>,
    language: Change<Language>,
    currency: Change<Currency>,
    time_zone: Change<TimeZone>,
}

fn update_company_settings(
    cx: &mut Write,
    Body(change): Body<SettingsChange>,
) -> Result<CompanyAnswer> {
    let before = Company::find(cx)?;
    let mut company = before.clone();
    change.name.apply(&mut company.name);
    change.email.map(Into::into).apply(&mut company.email);
    change.phone.map(Into::into).apply(&mut company.phone);
    change.website.map(Into::into).apply(&mut company.website);
    change.country.map(Into::into).apply(&mut company.country);
    change.language.apply(&mut company.language);
    change.currency.apply(&mut company.currency);
    change.time_zone.map(|zone| zone.name().to_owned()).apply(&mut company.time_zone);
    company.save(cx, &before)?;
    Ok(CompanyAnswer { company })
}

answer!(FeaturesAnswer { features: Features });

fn get_company_features(cx: &mut Read) -> Result<FeaturesAnswer> {
    Ok(FeaturesAnswer { features: Company::find(cx)?.features() })
}

/// The features to enable or disable.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "CompanyFeaturesChanges")]
struct FeaturesChange {
    public_api: Change<bool>,
    workout: Change<bool>,
    programme_calendar: Change<bool>,
    mcp: Change<bool>,
    client_ai: Change<bool>,
    /// Whether health data requires the client's consent.
    health_consent: Change<bool>,
    /// Managers and admins do nothing before they have added a second step to their sign-in.
    second_step: Change<bool>,
}

fn update_company_features(
    cx: &mut Write,
    Body(change): Body<FeaturesChange>,
) -> Result<FeaturesAnswer> {
    let before = Company::find(cx)?;
    let mut company = before.clone();
    let switches = [
        (change.public_api, &mut company.public_api_enabled),
        (change.workout, &mut company.workout_enabled),
        (change.programme_calendar, &mut company.programme_calendar_enabled),
        (change.mcp, &mut company.mcp_enabled),
        (change.client_ai, &mut company.client_ai_enabled),
        (change.health_consent, &mut company.health_consent_enabled),
        (change.second_step, &mut company.second_step_demanded),
    ];
    for (wanted, switch) in switches {
        wanted.apply(switch);
    }
    company.save(cx, &before)?;
    let (was, is) = (before.features(), company.features());
    if (was.mcp && !is.mcp) || (was.client_ai && !is.client_ai) {
        let company = cx.company();
        cx.end(Offboarding::AssistantsOff, company.0)?;
    }
    Ok(FeaturesAnswer { features: company.features() })
}

/// The operations and statements of this domain.
pub fn area() -> Area {
    let own = Area::of(STATEMENTS).operations([
        operation!(GET "/company/profile", CompanyCatalogRead, get_company_profile)
            .summary("Get the company's profile")
            .describe(
                "Returns the company's name, time zone, currency, language and contact details.",
            )
            .fails(&[Key::CompanyNotFound])
            .tagged("Company catalogue"),
        operation!(app GET "/company/settings", Coach, get_company_settings)
            .summary("Get the company's settings")
            .describe(
                "Returns the company's name, contact details, time zone, language and currency.",
            ),
        operation!(app PATCH "/company/settings", Manager, update_company_settings)
            .summary("Update the company's settings")
            .describe("Changes the fields that are sent."),
        operation!(app GET "/company/features", Coach, get_company_features)
            .summary("Get the company's features")
            .describe("Returns which features are switched on."),
        operation!(app PATCH "/company/features", Manager, update_company_features)
            .summary("Update the company's features")
            .describe("Switches features on and off.")
            .reauthentication(),
    ]);
    let test = [crate::test_environment::area(), crate::test_clock::area()];
    let test = Area::join(test).tagged("Test environment");
    Area::join([
        Area::join([own, crate::catalogue::area(), crate::site::area()]).tagged("Company"),
        crate::companies::area(),
        test,
    ])
}

statements! {
    FIND = "SELECT ", Company::COLUMNS, " FROM company WHERE company_id = ?1";
    INSERT = "INSERT INTO company (", Company::COLUMNS, ") VALUES (", places(1, Company::WIDTH), ")";
    SAVE = "UPDATE company SET (", ALL_BUT_KEY, ") = (", places(2, Company::WIDTH), ") WHERE company_id = ?1";
}
