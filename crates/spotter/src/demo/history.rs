//! Eighteen months of a company, played through the same functions that serve its APIs.

mod act;

use std::{collections::HashMap, sync::Arc, time::Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use spotter_company::uploads::StoredFile;
use spotter_contract::{
    Actor, Arguments, Body, Caller, Content, Env, Operation, Read, Role, Write, handler::Bound,
};
use spotter_files::Files;
use spotter_kernel::{
    Entropy, Event, Id, Problem, Result, Scope, Timestamp,
    id::{ClientId, CoachId, CompanyId, LocationId},
    secret::{Credential, CredentialKind},
};
use spotter_mail::Recipient;
use spotter_people::{
    clients::{Client, custom_fields, lifecycle, notes, onboarding, profile},
    coaches::Coach,
    identity::{
        accounts::{self, Password, Subject},
        api_clients::{Consents, NewApiClient, create_api_client},
    },
};
use spotter_store::Tx;
use spotter_training::exercises::{ExerciseId, starter_ids};

use super::{
    ApiClientLogin, ClientLogin, Demo, DemoLogin, people,
    random::Seeded,
    training::{AssignedPlan, Template},
};
pub(super) use act::{Act, MembershipSpan, parse, plain, text, wrong};

/// Name of the company.
pub(super) const COMPANY_NAME: &str = "Riverside Coaching";

/// Clients whose history is played; the newcomer of this morning is one more.
const CLIENTS: u64 = 549;
/// How long it is, in days.
pub(super) const DAYS: i64 = 548;
const SEED: u64 = 20_260_329;
pub(super) const DAY_MILLIS: i64 = 86_400_000;

/// Clients that join in one transaction of a crowd.
const CROWD_STEP: u64 = 2_000;

/// Builds the demo in one transaction and returns how to sign in. Clients beyond the usual number are added without a
/// history, in steps.
pub(super) async fn build(
    env: &Env,
    db: &spotter_store::Db,
    files: &Files,
    clients: u64,
) -> Result<Demo> {
    let env = env.clone();
    let hashed = tokio::task::spawn_blocking({
        let entropy = env.entropy.clone();
        move || -> Result<Vec<(String, String)>> {
            (0..3).map(|_| new_password(&*entropy)).collect()
        }
    });
    let passwords = hashed.await.map_err(Problem::internal)??;
    eprintln!("Playing {} months of a company's history …", DAYS / 30);
    let (story, demo) = {
        let env = env.clone();
        // There are no other users yet, so reads need no conflict checks.
        db.write_rows(move |tx| DemoBuilder::new(&env).run(tx, &passwords)).await?
    };
    for (stored, bytes) in &story.pictures {
        let mut writing = files.create(&stored.key());
        writing.put(bytes.clone()).await.map_err(Problem::internal)?;
        writing.finish().await.map_err(Problem::internal)?;
    }
    let story = Arc::new(story);
    let (mut from, clients) = (CLIENTS, clients - 1);
    let mut output = Instant::now();
    while from < clients {
        let (story, to) = (story.clone(), clients.min(from + CROWD_STEP));
        db.write_rows(move |tx| (from..to).try_for_each(|number| story.join_crowd(tx, number)))
            .await?;
        from = to;
        if output.elapsed().as_secs() >= 1 {
            output = Instant::now();
            eprintln!("{from} of {clients} clients have joined");
        }
    }
    db.fold_tallies().await?;
    db.fold_metrics(spotter_company::metrics::TABLES).await?;
    Ok(demo)
}

/// A password to be read aloud, and its hash.
fn new_password(entropy: &dyn Entropy) -> Result<(String, String)> {
    let mut random = [0; 8];
    entropy.fill(&mut random);
    let word: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let password = format!("demo-{word}");
    let hash = Password::new(password.clone()).hash(entropy)?;
    Ok((password, hash))
}

pub(super) struct DemoBuilder {
    /// The real clock, randomness and key.
    pub(super) env: Env,
    /// The same with randomness that is the same at every start.
    story: Env,
    /// Where the links of letters lead, once there are some.
    mail_links: Option<Arc<str>>,
    pub(super) dice: Arc<Seeded>,
    pub(super) company: CompanyId,
    pub(super) begin: Timestamp,
    pub(super) coaches: Vec<CoachId>,
    pub(super) places: Vec<LocationId>,
    pub(super) clients: Vec<Option<ClientId>>,
    pub(super) fields: Vec<custom_fields::CustomField>,
    /// The operations table, by name.
    operations: HashMap<&'static str, Operation>,
    /// The starter library's exercises, by name.
    pub(super) exercises: HashMap<&'static str, ExerciseId>,
    pub(super) templates: Vec<Template>,
    /// What those who train follow, by their number.
    pub(super) following: HashMap<usize, AssignedPlan>,
    /// Pictures that clients sent, and their places in the file store.
    pub(super) pictures: Vec<(StoredFile, Bytes)>,
}

impl DemoBuilder {
    fn new(env: &Env) -> Self {
        let dice = Arc::new(Seeded::new(SEED));
        let mail_links = env.mail_links.clone();
        let env = Env { mail_links: None, ..env.clone() };
        let story = Env { entropy: dice.clone(), ..env.clone() };
        // The story ends on the latest Monday, so that it is the same all week.
        let days = env.clock.now().millis() / DAY_MILLIS;
        let monday = days - (days + 3) % 7;
        let begin = Timestamp::from_millis((monday - DAYS) * DAY_MILLIS);
        let company = CompanyId(Id::new(begin, [0x5e; 6]));
        let (coaches, places, fields) = (Vec::new(), Vec::new(), Vec::new());
        let clients = vec![None; CLIENTS as usize];
        let operations = crate::areas::operations().into_iter().map(|each| (each.id, each));
        let operations = operations.collect();
        let exercises = starter_ids().into_iter().map(|(id, name)| (name, id)).collect();
        Self {
            env,
            story,
            mail_links,
            dice,
            company,
            begin,
            coaches,
            places,
            clients,
            fields,
            operations,
            exercises,
            templates: Vec::new(),
            following: HashMap::new(),
            pictures: Vec::new(),
        }
    }

    pub(super) fn at(&self, day: i64, minute: u64) -> Timestamp {
        self.begin.plus_days(day).plus_seconds(minute as i64 * 60)
    }

    /// One request of the story: its actor, its time, its audit row.
    pub(super) fn step<T>(
        &self,
        tx: &mut Tx<'_>,
        actor: Actor,
        at: Timestamp,
        operation: &'static str,
        step: impl FnOnce(&mut Write<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let caller = Caller::new(self.company, actor);
        let read = Read::new(tx, &caller, at);
        let mut cx = Write::new(read, &self.story, operation, Event::ALL, "demo")?;
        let done = step(&mut cx)?;
        cx.audit()?;
        Ok(done)
    }

    /// One request of the story, by the name of its operation and as its callers write it; that of a list
    /// by its query.
    pub(super) fn request(
        &self,
        tx: &mut Tx<'_>,
        actor: Actor,
        at: Timestamp,
        operation: &str,
        path: &[(&str, Value)],
        body: Value,
    ) -> Result<Value> {
        let operation = self.operations.get(operation).ok_or_else(|| wrong())?;
        let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
        let path = path.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect();
        let (query, body) = match operation.writes {
            true => (String::new(), body.into()),
            false => (body.as_str().unwrap_or("limit=100").to_owned(), Content::Nothing),
        };
        let output = match operation.bind(&Arguments { path, query, body })? {
            Bound::Write(mut requested) => {
                self.step(tx, actor, at, operation.id, |cx| requested(cx))?
            }
            Bound::Read(mut requested) => {
                let caller = Caller::new(self.company, actor);
                requested(&mut Read::new(tx, &caller, at).with_env(&self.env))?
            }
        };
        serde_json::from_str(&output).map_err(Problem::internal)
    }

    fn run(mut self, tx: &mut Tx<'_>, passwords: &[(String, String)]) -> Result<(Self, Demo)> {
        self.found(tx)?;
        self.create_company(tx)?;
        self.open_shop(tx)?;
        self.open_site(tx)?;
        self.write_programmes(tx)?;
        let (mut acts, stays) = self.script();
        acts.extend(self.training(&stays)?);
        acts.sort_by_key(|(at, _)| *at);
        for (at, act) in acts {
            self.run_story(tx, at, &act)?;
        }
        self.gather(tx)?;
        self.talk(tx, &stays)?;
        self.keep_timetable(tx, &stays)?;
        self.keep_books(tx, &stays)?;
        self.keep_measure(tx, &stays)?;
        self.assign_forms(tx, &stays)?;
        self.add_private_records(tx, &stays)?;
        // Nobody uses the invitations of the demo, and their tokens can be computed.
        accounts::prune(tx, Timestamp::from_millis(i64::MAX))?;
        let demo = self.let_in(tx, passwords)?;
        // What happened before was written of then; what happens this morning is written of now.
        self.story.mail_links = self.mail_links.clone();
        self.call_off_a_class(tx)?;
        self.welcome_newcomer(tx)?;
        Ok((self, demo))
    }

    /// The events of the demo, in time. The first client stays, and is the one who can sign in.
    fn script(&self) -> (Vec<(Timestamp, Act)>, Vec<MembershipSpan>) {
        let dice = &self.dice;
        let (mut acts, mut stays) = (Vec::new(), Vec::new());
        for number in 0..CLIENTS {
            let day = if number < 180 { 3 + dice.below(12) } else { 15 + dice.below(530) } as i64;
            let mut add = |day: i64, act| {
                if day < DAYS {
                    acts.push((self.at(day, 420 + dice.below(780)), act));
                }
            };
            add(day, Act::Join(number));
            if dice.chance(60) {
                add(day + 1, Act::Invite(number));
                if dice.chance(80) {
                    add(day + 2 + dice.below(6) as i64, Act::OpenPortal(number));
                }
            }
            for _ in 0..dice.below(4) {
                add(day + 3 + dice.below(200) as i64, Act::Note(number));
            }
            if dice.chance(70) {
                add(day + 4, Act::Fill(number));
            }
            if dice.chance(12) {
                add(day + 30 + dice.below(120) as i64, Act::NewCoach(number));
            }
            // 3 % leave each month.
            let left = (1..19).find(|_| dice.chance(3)).filter(|_| number > 0);
            if let Some(month) = left {
                add(day + month * 30, Act::Leave(number));
            }
            let left = left.map_or(DAYS, |month| (day + month * 30).min(DAYS));
            stays.push(MembershipSpan { joined: day, left });
        }
        (acts, stays)
    }

    pub(super) fn coach(&self) -> Actor {
        let number = 3 + self.dice.below(people::COACHES.len() as u64 - 3) as usize;
        self.coach_actor(self.coaches[number])
    }

    /// A coach who is signed in.
    pub(super) fn coach_actor(&self, id: CoachId) -> Actor {
        Actor::Coach { id, role: Role::Coach, session: self.company.0 }
    }

    fn run_story(&mut self, tx: &mut Tx<'_>, at: Timestamp, act: &Act) -> Result<()> {
        let known = |number: &u64| self.clients[*number as usize].ok_or_else(|| wrong());
        let dice = self.dice.clone();
        match act {
            Act::Join(number) => {
                let new = self.newcomer(*number, at)?;
                let join = |cx: &mut Write<'_, '_>| profile::create(cx, new);
                let client = self.step(tx, self.coach(), at, "create_client", join)?;
                self.clients[*number as usize] = Some(client.client_id);
            }
            Act::Invite(number) => {
                let id = known(number)?;
                let invite = |cx: &mut Write<'_, '_>| match Client::find(cx, id)?.may_be_invited() {
                    true => onboarding::invite(cx, id).map(drop),
                    false => Ok(()),
                };
                self.step(tx, self.coach(), at, "invite_client", invite)?;
            }
            Act::OpenPortal(number) => {
                let id = known(number)?;
                let open = |cx: &mut Write<'_, '_>| match Client::find(cx, id)?.is_invited() {
                    true => onboarding::open_portal(cx, id).map(drop),
                    false => Ok(()),
                };
                self.step(tx, Actor::System, at, "accept_invitation", open)?;
            }
            Act::Note(number) => {
                let (id, (title, body)) = (known(number)?, dice.pick(people::NOTES));
                let new = parse(json!({"title": title, "body": body}))?;
                let write = |cx: &mut Write<'_, '_>| notes::write_note(cx, id, new);
                self.step(tx, self.coach(), at, "create_client_note", write)?;
            }
            Act::Fill(number) => {
                let id = known(number)?;
                let values = self.values()?;
                let fill = |cx: &mut Write<'_, '_>| {
                    let client = Client::find(cx, id)?;
                    custom_fields::set_values(cx, &client, values)
                };
                self.step(tx, self.coach(), at, "update_client_custom_fields", fill)?;
            }
            Act::NewCoach(number) => {
                let (id, coach) = (known(number)?, *dice.pick(&self.coaches[3..]));
                let assign = |cx: &mut Write<'_, '_>| lifecycle::assign_coach(cx, id, coach);
                self.step(tx, self.owner(), at, "assign_client_coach", assign)?;
            }
            Act::Follow { client, template, start } => {
                self.follow(tx, at, *client, *template, *start)?;
            }
            Act::Work(workout) => self.work(tx, workout)?,
            Act::Leave(number) => {
                let (id, reason) = (known(number)?, (*dice.pick(people::REASONS)).to_owned());
                let leave =
                    |cx: &mut Write<'_, '_>| lifecycle::archive(cx, id, Some(reason), false);
                self.step(tx, self.owner(), at, "archive_client", leave)?;
                self.following.remove(&(*number as usize));
            }
        }
        Ok(())
    }

    fn join_crowd(&self, tx: &mut Tx<'_>, number: u64) -> Result<()> {
        let at = self.at(self.dice.below(DAYS as u64) as i64, 420 + self.dice.below(780));
        let new = self.newcomer(number, at)?;
        let join = |cx: &mut Write<'_, '_>| profile::create(cx, new).map(drop);
        self.step(tx, self.coach(), at, "create_client", join)
    }

    fn newcomer(&self, number: u64, at: Timestamp) -> Result<profile::NewClient> {
        let dice = &self.dice;
        let (first, last) = (*dice.pick(people::FIRST), *dice.pick(people::LAST));
        let (town, code) = *dice.pick(people::TOWNS);
        let recent = at >= self.at(DAYS - 21, 0);
        let mut new = json!({
            "firstName": first,
            "lastName": last,
            "language": if dice.chance(70) { "nl" } else { "en" },
            "source": dice.pick(people::SOURCES),
            "assignedCoachId": dice.pick(&self.coaches[3..]),
            "homeLocationId": dice.pick(&self.places),
            "memberStatus": match dice.below(100) { 0..75 => "active", 75..80 => "paused", _ => "lead" },
            "optIns": {"email": dice.chance(80), "sms": dice.chance(30), "push": dice.chance(50)},
            "externalId": format!("RC-{:05}", 10_000 + number),
            "dateOfBirth": format!("{}-{:02}-{:02}", 1950 + dice.below(56), 1 + dice.below(12), 1 + dice.below(28)),
            "gender": if dice.chance(54) { "female" } else { "male" },
        });
        if number == 0 || dice.chance(94) {
            new["email"] = json!(format!("{}.{}{number}@example.com", plain(first), plain(last)));
        }
        if dice.chance(85) {
            new["phone"] =
                json!(format!("+31 6 {:04} {:04}", dice.below(10_000), dice.below(10_000)));
        }
        if dice.chance(75) {
            new["address"] = json!({
                "line1": format!("{} {}", dice.pick(people::STREETS), 1 + dice.below(180)),
                "postalCode": format!("{code}{:02} {}{}", 10 + dice.below(80),
                    char::from(b'A' + dice.below(26) as u8), char::from(b'A' + dice.below(26) as u8)),
                "city": town, "country": "NL",
            });
        }
        if dice.chance(40) {
            new["emergencyContact"] = json!({"name": format!("{} {last}", dice.pick(people::FIRST)),
                "phone": format!("+31 6 {:08}", dice.below(100_000_000)), "relationship": "partner"});
        }
        if dice.chance(65) {
            new["tags"] = json!([dice.pick(people::TAGS), dice.pick(people::TAGS)]);
        }
        if recent && number > 0 && dice.chance(30) {
            new["relationshipStatus"] = json!("pending");
        }
        parse(new)
    }

    fn values(&self) -> Result<Vec<custom_fields::NewValue>> {
        let dice = &self.dice;
        let choices = [
            json!(dice.pick(&["S", "M", "L", "XL"])),
            json!(48 + dice.below(40)),
            json!(format!("2025-{:02}-{:02}", 1 + dice.below(12), 1 + dice.below(28))),
            json!(dice.chance(45)),
        ];
        let mut values = Vec::new();
        for (field, value) in self.fields.iter().zip(choices) {
            if dice.chance(75) || values.is_empty() {
                values.push(parse(json!({"fieldId": field.id(), "value": value}))?);
            }
        }
        Ok(values)
    }

    /// The API client and the three people who can sign in, with secrets that cannot be computed.
    fn let_in(&self, tx: &mut Tx<'_>, passwords: &[(String, String)]) -> Result<Demo> {
        let caller = Caller::new(self.company, self.owner());
        let read = Read::new(tx, &caller, self.env.clock.now());
        let mut cx = Write::new(read, &self.env, "create_api_client", Event::ALL, "demo")?;
        let new = NewApiClient {
            name: text("Demo integration")?,
            scopes: Scope::ALL.to_vec(),
            default_assigned_coach_id: Some(self.coaches[3]),
            consents: Consents { health_data: true, private_communication: true },
        };
        let made = create_api_client(&mut cx, Body(new))?;
        let first = self.clients[0].ok_or_else(|| wrong())?;
        let client = Client::find(&mut cx, first)?;
        let people = [
            (
                Subject::Coach,
                self.coaches[1].0,
                Coach::find(&mut cx, self.coaches[1])?.email().to_owned(),
            ),
            (
                Subject::Coach,
                self.coaches[3].0,
                Coach::find(&mut cx, self.coaches[3])?.email().to_owned(),
            ),
            (Subject::Client, first.0, client.email().ok_or_else(|| wrong())?.to_owned()),
        ];
        let mut logins = Vec::new();
        for ((subject, id, email), (password, hash)) in people.into_iter().zip(passwords) {
            let to = Recipient {
                email: &email,
                name: "",
                language: None,
                client: None,
                signs_in: false,
            };
            let token = accounts::invite(&mut cx, subject, id, to)?.token;
            let token =
                token.and_then(|token| Credential::parse(CredentialKind::Invitation, &token));
            accounts::accept(&mut cx, &token.ok_or_else(|| wrong())?, hash)?;
            logins.push(DemoLogin { email, password: password.clone() });
        }
        cx.audit()?;
        let [manager, coach, client]: [DemoLogin; 3] = logins.try_into().map_err(|_| wrong())?;
        Ok(Demo {
            base_url: String::new(),
            mcp_url: String::new(),
            company_id: self.company.0,
            api_client: ApiClientLogin {
                client_id: made.client_id,
                client_secret: made.client_secret,
            },
            manager,
            coach,
            client: ClientLogin {
                email: client.email,
                password: client.password,
                client_id: first.0,
            },
        })
    }
}
