//! The words of training that requests and answers share.

use spotter_store::words;

words! {
    /// What is measured of a set. The weight of `assisted` is assistance, of which less is better; that of
    /// `bodyweight_plus` is added to the body weight.
    pub enum TrackingType {
        WeightReps = "weight_reps", Reps = "reps", Duration = "duration",
        WeightDuration = "weight_duration", DistanceDuration = "distance_duration",
        WeightDistance = "weight_distance", Assisted = "assisted",
        BodyweightPlus = "bodyweight_plus",
    }
}

impl TrackingType {
    /// Whether the body is moved, with assistance or added weight.
    pub(super) const fn moves_body(self) -> bool {
        matches!(self, Self::Assisted | Self::BodyweightPlus)
    }
}

words! {
    /// A muscle group; `cardiovascular` stands for endurance work.
    pub enum Muscle {
        Abdominals = "abdominals", Abductors = "abductors", Adductors = "adductors",
        Biceps = "biceps", Calves = "calves", Cardiovascular = "cardiovascular", Chest = "chest",
        Forearms = "forearms", Glutes = "glutes", Hamstrings = "hamstrings",
        HipFlexors = "hip_flexors", Lats = "lats", LowerBack = "lower_back", Neck = "neck",
        Obliques = "obliques", Quadriceps = "quadriceps", RearShoulders = "rear_shoulders",
        Shoulders = "shoulders", Traps = "traps", Triceps = "triceps", UpperBack = "upper_back",
    }
}

words! {
    /// What a set is for. Warm-ups count for no volume and no record.
    pub enum SetType {
        Normal = "normal", Warmup = "warmup", Dropset = "dropset", Failure = "failure",
    }
}

impl SetType {
    /// The default type of a set.
    pub(super) const fn normal() -> Self {
        Self::Normal
    }
}

words! {
    /// Where an item of a library comes from: the starter library, the company, or one client.
    pub enum LibrarySource { System = "system", Company = "company", Client = "client" }
}

words! {
    /// How the days of a plan lie: one after the other, or on weekdays.
    pub enum Layout { Sequence = "sequence", CalendarWeek = "calendar_week" }
}

words! {
    /// Whether a plan's weeks come round again or end.
    pub enum Mode { Recurring = "recurring", MultiWeek = "multi_week" }
}

words! {
    /// When a client sees the weeks of a plan.
    pub enum ReleasePolicy { AllAtOnce = "all_at_once", WeeklyFromStart = "weekly_from_start" }
}
