//! The names, places and words that the demo is made of.

/// Given names.
pub(super) const FIRST: &[&str] = &[
    "Anna",
    "Bram",
    "Chloé",
    "Daan",
    "Elif",
    "Fatima",
    "Gijs",
    "Hanna",
    "Imane",
    "Jasper",
    "Kaya",
    "Lars",
    "Mila",
    "Noah",
    "Olivia",
    "Pieter",
    "Quinten",
    "Roos",
    "Sanne",
    "Thijs",
    "Umut",
    "Vera",
    "Wout",
    "Xenia",
    "Yara",
    "Zoë",
    "Amir",
    "Bente",
    "Cas",
    "Dewi",
    "Emma",
    "Finn",
    "Guus",
    "Hugo",
    "Iris",
    "Jip",
    "Koen",
    "Lotte",
    "Mees",
    "Nora",
    "Otis",
    "Puck",
    "Rens",
    "Sofía",
    "Tess",
    "Valentina",
    "Willem",
    "Youssef",
    "Zara",
    "Maël",
];

/// Family names.
pub(super) const LAST: &[&str] = &[
    "de Vries",
    "Jansen",
    "van den Berg",
    "Bakker",
    "Visser",
    "Smit",
    "Meijer",
    "Mulder",
    "de Boer",
    "Bos",
    "Vos",
    "Peters",
    "Hendriks",
    "van Dijk",
    "Dekker",
    "Brouwer",
    "de Wit",
    "Dijkstra",
    "Smits",
    "de Graaf",
    "van der Meer",
    "Yılmaz",
    "El Amrani",
    "Núñez",
    "Kowalski",
    "Novák",
    "Okafor",
    "Silva",
    "Rossi",
    "Müller",
    "Schmidt",
    "Dubois",
    "Lefèvre",
    "Andersson",
    "Hansen",
    "O'Brien",
    "Murphy",
    "Kaur",
    "Chen",
    "Nguyen",
    "Haddad",
    "Öztürk",
    "Bennani",
    "Kramer",
    "Prins",
    "Schouten",
    "Verhoeven",
    "Willems",
    "Maas",
    "Koster",
];

/// Streets.
pub(super) const STREETS: &[&str] = &[
    "Kanaalstraat",
    "Parkweg",
    "Molenlaan",
    "Stationsplein",
    "Dijkstraat",
    "Havenkade",
    "Lindelaan",
    "Kerkstraat",
    "Singel",
    "Marktplein",
];

/// Towns and the first digits of their postal codes.
pub(super) const TOWNS: &[(&str, u64)] =
    &[("Utrecht", 35), ("Amersfoort", 38), ("Zeist", 37), ("Hilversum", 12)];

/// Tags.
pub(super) const TAGS: &[&str] =
    &["strength", "weight loss", "running", "prenatal", "senior", "corporate", "rehab", "vip"];

/// Sources of clients.
pub(super) const SOURCES: &[&str] = &["website", "referral", "walk-in", "instagram", "event"];

/// Why clients leave.
pub(super) const REASONS: &[&str] =
    &["Moved away", "No time", "Price", "Reached the goal", "Injury", "Trains elsewhere"];

/// Notes that coaches write.
pub(super) const NOTES: &[(&str, &str)] = &[
    ("Intake", "Wants to train twice a week, prefers mornings. Sits at a desk all day."),
    ("Progress", "Squat feels stable now; we add weight from next week on."),
    ("Planning", "Away for two weeks in summer; programme for hotel gyms agreed."),
    ("Check-in", "Sleeps better, energy is up. Steps target raised to nine thousand."),
    ("Technique", "Keeps the lower back neutral in the deadlift; tempo work helps."),
    ("Motivation", "Goes for the ten kilometre run in spring."),
];

/// The people who work there: name, family name, role.
pub(super) const COACHES: &[(&str, &str, &str)] = &[
    ("Marit", "Hoekstra", "Admin"),
    ("Jonas", "Verbeek", "Manager"),
    ("Sara", "Lindqvist", "Manager"),
    ("Tim", "Aarts", "Coach"),
    ("Naomi", "Boateng", "Coach"),
    ("Ruben", "Castillo", "Coach"),
    ("Eva", "Dings", "Coach"),
    ("Milan", "Evers", "Coach"),
    ("Leyla", "Fırat", "Coach"),
    ("Stijn", "Goossens", "Coach"),
    ("Amélie", "Huart", "Coach"),
    ("Kofi", "Mensah", "Coach"),
];

/// What hurts.
pub(super) const ACHES: &[&str] = &[
    "My left knee, when I go down the stairs; since the spring.",
    "The lower back, after long days at the desk.",
    "My right shoulder, as soon as the arm is above the head.",
];

/// How a week was.
pub(super) const WEEKS: &[&str] = &[
    "Three trainings, all of them done. The Sunday walk was the best of it.",
    "Two of three: a deadline on Thursday. Food was fine until Friday.",
    "Heavy legs at first, better from Wednesday on.",
    "Slept badly, so I left out the intervals.",
    "A good week. The squats felt light.",
];

/// What coaches say to it.
pub(super) const REVIEWS: &[&str] = &[
    "Well done. We stay at these weights for one more week.",
    "Thank you. Let us move Thursday's training to Saturday.",
    "Good to know. We go easier on the legs next week.",
    "Keep the bedtime that you had on Monday; everything else follows.",
];

/// Meals with their energy in kcal and protein in g.
pub(super) const MEALS: &[(&str, i64, i64)] = &[
    ("Oats with apple and curd", 420, 24),
    ("Bread with egg and tomato", 380, 21),
    ("Lentil soup", 450, 25),
    ("Rice with chicken and beans", 620, 42),
    ("Potatoes with salmon", 590, 36),
    ("Pasta with vegetables", 560, 19),
    ("Salad with chickpeas and feta", 480, 20),
];
