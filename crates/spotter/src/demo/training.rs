//! What the demo's clients train: programmes, groups, and eighteen months of sessions.

use serde_json::{Value, json};
use spotter_contract::Actor;
use spotter_kernel::{Date, Result, TimeZone, Timestamp, text::WallTime};
use spotter_store::Tx;

use super::history::{Act, DAY_MILLIS, DAYS, DemoBuilder, MembershipSpan, wrong};

/// One of this many clients trains by a programme.
const TRAINS: usize = 11;

/// An exercise of a day: its name in the starter library, the weight in kilograms that most can
/// begin with, repetitions, and working sets.
type Lift = (&'static str, f64, i64, usize);

/// The days of the programmes.
const LOWER: &[Lift] = &[
    ("Barbell Back Squat", 60.0, 6, 6),
    ("Romanian Deadlift", 50.0, 8, 5),
    ("Leg Press", 100.0, 10, 4),
    ("Standing Calf Raise", 40.0, 12, 3),
    ("Plank", 0.0, 0, 3),
];
const UPPER: &[Lift] = &[
    ("Barbell Bench Press", 45.0, 6, 6),
    ("Barbell Row", 40.0, 8, 5),
    ("Dumbbell Shoulder Press", 14.0, 8, 4),
    ("Lat Pulldown", 40.0, 10, 4),
    ("Triceps Pushdown", 20.0, 12, 4),
];
const WHOLE: &[Lift] = &[
    ("Barbell Deadlift", 70.0, 5, 6),
    ("Goblet Squat", 16.0, 10, 5),
    ("Push-Up", 0.0, 12, 4),
    ("Seated Cable Row", 35.0, 10, 4),
    ("Farmer's Carry", 24.0, 0, 3),
];
const RUN: &[Lift] = &[("Running", 0.0, 0, 1), ("Single-Leg Calf Raise", 0.0, 15, 4)];

/// A programme: name, what it is for, mode, weeks, release policy, and its weekdays with their days.
pub(super) struct Script {
    name: &'static str,
    goal: &'static str,
    difficulty: &'static str,
    mode: &'static str,
    weeks: i64,
    release: &'static str,
    days: &'static [(i64, &'static str, &'static [Lift])],
}

const SCRIPTS: &[Script] = &[
    Script {
        name: "Full Body Foundations",
        goal: "Learn the basic lifts",
        difficulty: "Beginner",
        mode: "recurring",
        weeks: 1,
        release: "all_at_once",
        days: &[(1, "Lower body", LOWER), (3, "Upper body", UPPER), (6, "Whole body", WHOLE)],
    },
    Script {
        name: "Strength in Twelve Weeks",
        goal: "Build strength",
        difficulty: "Intermediate",
        mode: "multi_week",
        weeks: 12,
        release: "weekly_from_start",
        days: &[(2, "Squat and pull", LOWER), (4, "Press and row", UPPER), (7, "Deadlift", WHOLE)],
    },
    Script {
        name: "Ten Kilometres",
        goal: "Run 10 km",
        difficulty: "Beginner",
        mode: "multi_week",
        weeks: 10,
        release: "weekly_from_start",
        days: &[(2, "Easy run", RUN), (5, "Strength for runners", WHOLE), (7, "Long run", RUN)],
    },
];

/// A template of the demo.
pub(super) struct Template {
    id: Value,
    script: &'static Script,
}

/// The plan that a client follows.
pub(super) struct AssignedPlan {
    plan: Value,
    days: Value,
    template: usize,
}

/// A workout that a client does.
pub(super) struct Workout {
    client: usize,
    date: Date,
    week: i64,
    weekday: i64,
    started: Timestamp,
    completed: Timestamp,
    /// How much heavier than where most begin.
    progress: f64,
}

impl DemoBuilder {
    /// Writes the programmes.
    pub(super) fn write_programmes(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        self.add_equipment(tx)?;
        for (number, script) in (0..).zip(SCRIPTS) {
            let template = self.write_template(tx, number, script)?;
            self.templates.push(template);
        }
        Ok(())
    }

    /// Puts those who train into groups.
    pub(super) fn gather(&self, tx: &mut Tx<'_>) -> Result<()> {
        let here = |at: &usize| self.following.get(at).and(self.clients[*at]);
        let trains: Vec<_> = (0..self.clients.len()).filter_map(|at| here(&at)).take(12).collect();
        for (name, members) in ["Early birds", "Saturday crew"].iter().zip(trains.chunks(6)) {
            let at = self.at(DAYS - 1, 600);
            let made = self.request(
                tx,
                self.owner(),
                at,
                "create_workout_group",
                &[],
                json!({"name": name}),
            )?;
            let group = [("groupId", made["group"]["groupId"].clone())];
            let members = json!({"clientIds": members});
            self.request(tx, self.owner(), at, "add_workout_group_members", &group, members)?;
        }
        Ok(())
    }

    /// What the company has beside the starter library.
    fn add_equipment(&self, tx: &mut Tx<'_>) -> Result<()> {
        let at = self.at(2, 700);
        let sled =
            json!({"label": "River Stone", "category": "free_weights", "movementTags": ["carry"]});
        self.request(tx, self.owner(), at, "create_workout_equipment", &[], sled)?;
        let lift = json!({"name": "River Stone Carry", "primaryMuscles": ["upper_back", "abdominals"],
            "equipment": ["river_stone"], "trackingType": "weight_distance"});
        self.request(tx, self.owner(), at, "create_workout_exercise", &[], lift)?;
        let draft = json!({"name": "Winter Challenge", "layout": "calendar_week", "mode": "multi_week", "weeks": 4});
        self.request(tx, self.coach(), at, "create_workout_template", &[], draft).map(drop)
    }

    fn write_template(
        &self,
        tx: &mut Tx<'_>,
        number: u64,
        script: &'static Script,
    ) -> Result<Template> {
        let (coach, at) = (self.coach(), self.at(2, 600 + number));
        let facts = json!({"name": script.name, "goal": script.goal, "difficulty": script.difficulty,
            "category": "Programmes", "layout": "calendar_week", "mode": script.mode,
            "releasePolicy": script.release, "weeks": 1});
        let made = self.request(tx, coach.clone(), at, "create_workout_template", &[], facts)?;
        let id = made["template"]["_id"].clone();
        let plan = [("planId", id.clone())];
        for (weekday, name, lifts) in script.days {
            let exercises: Result<Vec<_>> = lifts.iter().map(|lift| self.planned(lift)).collect();
            let day = json!({"name": name, "weekday": weekday, "startTime": "18:30",
                "plannedDurationMinutes": 60, "exercises": exercises?});
            self.request(tx, coach.clone(), at, "create_workout_moment", &plan, day)?;
        }
        for _ in 1..script.weeks {
            let copy = json!({"duplicateOf": 1});
            self.request(tx, coach.clone(), at, "add_workout_week", &plan, copy)?;
        }
        let path = [("templateId", id.clone())];
        self.request(tx, coach, at, "publish_workout_template", &path, json!({}))?;
        Ok(Template { id, script })
    }

    fn exercise(&self, name: &str) -> Result<Value> {
        self.exercises.get(name).map(|id| json!(id)).ok_or_else(|| wrong())
    }

    fn planned(&self, (name, weight, reps, sets): &Lift) -> Result<Value> {
        let set = match (*weight > 0.0, *reps) {
            (true, 0) => json!({"weight": weight, "distanceMeters": 40}),
            (false, 0) if *name == "Running" => json!({"distanceMeters": 5_000}),
            (false, 0) => json!({"durationSeconds": 45}),
            (true, reps) => json!({"weight": weight, "reps": reps, "rpe": 8}),
            (false, reps) => json!({"reps": reps}),
        };
        Ok(
            json!({"exerciseId": self.exercise(name)?, "restSeconds": 120, "sets": vec![set; *sets]}),
        )
    }

    /// Which programmes the clients follow, one after the other, and the workouts that they do.
    pub(super) fn training(&self, stays: &[MembershipSpan]) -> Result<Vec<(Timestamp, Act)>> {
        let zone = TimeZone::parse("Europe/Amsterdam").ok_or_else(|| wrong())?;
        let (dice, mut acts) = (&self.dice, Vec::new());
        for (client, stay) in stays.iter().enumerate().step_by(TRAINS) {
            let strength = 0.6 + dice.below(80) as f64 / 100.0;
            let begin = zone.date_at(self.at(stay.joined + 3, 0)).monday();
            let (mut weeks, mut turn) = (0, client / TRAINS);
            while weeks * 7 + stay.joined + 3 < stay.left {
                let template = turn % SCRIPTS.len();
                let script = &SCRIPTS[template];
                let start = begin.plus_days(7 * weeks).ok_or_else(|| wrong())?;
                let at = self.at(stay.joined + 3 + 7 * weeks, 0).min(start.start_in(&zone));
                let at = at.max(self.at(stay.joined + 1, 0));
                acts.push((at, Act::Follow { client, template, start }));
                let lasts = if script.mode == "recurring" { 26 } else { script.weeks };
                for nth in 0..lasts {
                    let week = if script.weeks == 1 { 1 } else { nth + 1 };
                    for (weekday, ..) in script.days {
                        let date = start.plus_days(7 * nth + weekday - 1).ok_or_else(|| wrong())?;
                        if !self.is_in(date, *stay, &zone) || !dice.chance(78) {
                            continue;
                        }
                        let time = format!("{:02}:{:02}", 17 + dice.below(3), 15 * dice.below(4));
                        let started =
                            date.at(&WallTime::parse(&time).ok_or_else(|| wrong())?, &zone);
                        let completed = started.plus_seconds(2_400 + dice.below(1_800) as i64);
                        let progress = strength * (1.0 + 0.006 * (weeks + nth) as f64);
                        let weekday = *weekday;
                        let workout =
                            Workout { client, date, week, weekday, started, completed, progress };
                        acts.push((completed, Act::Work(workout)));
                    }
                }
                weeks += lasts;
                turn += 1;
            }
        }
        Ok(acts)
    }

    /// Whether a client trains on a date: there since a few days, and not about to leave.
    fn is_in(&self, date: Date, stay: MembershipSpan, zone: &TimeZone) -> bool {
        // Days are counted in UTC, where the company's begin the evening before.
        let noon = date.start_in(zone).millis() + DAY_MILLIS / 2;
        let day = (noon - self.begin.millis()).div_euclid(DAY_MILLIS);
        (stay.joined + 3..stay.left.min(DAYS - 1)).contains(&day)
    }

    /// Gives a client a programme.
    pub(super) fn follow(
        &mut self,
        tx: &mut Tx<'_>,
        at: Timestamp,
        client: usize,
        template: usize,
        start: Date,
    ) -> Result<()> {
        let id = self.clients[client].ok_or_else(|| wrong())?;
        let wanted = json!({"templateId": self.templates[template].id, "startDate": start});
        // A client follows one programme at a time.
        if let Some(before) = self.following.get(&client) {
            let path = [("clientId", json!(id)), ("templateId", before.plan.clone())];
            let over = json!({"status": "Completed"});
            self.request(tx, self.coach(), at, "update_client_workout_plan", &path, over)?;
        }
        let path = [("clientId", json!(id))];
        let made = self.request(tx, self.coach(), at, "assign_workout_plan", &path, wanted)?;
        let plan = made["plan"]["_id"].clone();
        let of_plan = [("planId", plan.clone())];
        let days =
            self.request(tx, self.coach(), at, "list_workout_moments", &of_plan, json!({}))?;
        self.following.insert(client, AssignedPlan { plan, days, template });
        Ok(())
    }

    /// Has a client do a workout.
    pub(super) fn work(&self, tx: &mut Tx<'_>, workout: &Workout) -> Result<()> {
        let Workout { client, date, week, weekday, started, completed, progress } = workout;
        let (dice, id) = (&self.dice, self.clients[*client].ok_or_else(|| wrong())?);
        let following = self.following.get(client).ok_or_else(|| wrong())?;
        let mut days = following.days["moments"].as_array().into_iter().flatten();
        let day = days.find(|day| day["weekNumber"] == *week && day["weekday"] == *weekday);
        let day = day.ok_or_else(|| wrong())?;
        let mut lifts = self.templates[following.template].script.days.iter();
        let (.., lifts) = lifts.find(|(on, ..)| on == weekday).ok_or_else(|| wrong())?;
        let mut exercises = Vec::new();
        for lift in *lifts {
            let (exercise, sets) = (self.exercise(lift.0)?, self.sets(lift, *progress));
            exercises.push(json!({"exerciseId": exercise, "sets": sets}));
        }
        let actor = Actor::Client { id, session: self.company.0 };
        let session = json!({"planId": following.plan, "planMomentId": day["_id"],
            "occurrenceDate": date, "startedAt": started, "completedAt": completed,
            "exercises": exercises});
        let of_client = ("clientId", json!(id));
        let path = [of_client.clone()];
        let made =
            self.request(tx, actor.clone(), *completed, "begin_workout_session", &path, session)?;
        if dice.chance(20) {
            let feedback = json!({"rating": 5 + dice.below(6),
                "difficulty": dice.pick(&["Easy", "Moderate", "Hard"]),
                "emojiRating": dice.pick(&["Strong", "Energized", "Challenging", "Satisfied"])});
            let path = [of_client, ("sessionId", made["session"]["sessionId"].clone())];
            self.request(tx, actor, *completed, "update_workout_feedback", &path, feedback)?;
        }
        Ok(())
    }

    /// The logged sets of an exercise: a warm-up where it is heavy, then working sets.
    fn sets(&self, (name, weight, reps, sets): &Lift, progress: f64) -> Vec<Value> {
        let dice = &self.dice;
        let heavy = (weight * progress / 2.5).round() * 2.5;
        let mut log = Vec::new();
        if *weight >= 40.0 && *reps > 0 {
            log.push(json!({"type": "warmup", "weight": (heavy * 0.2).round() * 2.5, "reps": 8}));
        }
        for number in 0..*sets {
            let tired = i64::from(number + 1 == *sets && dice.chance(40));
            log.push(match (*weight > 0.0, *reps) {
                (true, 0) => json!({"weight": heavy, "distanceMeters": 30 + 10 * dice.below(3)}),
                (false, 0) if *name == "Running" => {
                    let metres = ((3_000.0 + dice.below(2_500) as f64) * progress).min(12_000.0);
                    json!({"distanceMeters": metres.round(), "durationSeconds": (metres * 0.36).round()})
                }
                (false, 0) => json!({"durationSeconds": 30 + 15 * dice.below(5)}),
                (true, reps) => json!({"weight": heavy, "reps": reps - tired + dice.below(2) as i64,
                    "rpe": 7.0 + dice.below(6) as f64 / 2.0}),
                (false, reps) => json!({"reps": reps - tired + dice.below(4) as i64}),
            });
        }
        log
    }
}
