//! Forms: questions for clients, and their answers.
//!
//! Without database access: questions and conditions ([`question`]), validation of answers ([`answer`]). Then forms and versions
//! ([`form`], [`forms`]), assignments ([`assignment`], [`assign`]), drafts ([`draft`]), files ([`file`]), submissions ([`submit`],
//! [`submission`]) and reviews ([`review`]); [`intakes`]; [`checkups`] and their [`series`].

mod answer;
mod assign;
mod assignment;
mod checkups;
mod draft;
mod effects;
mod file;
mod form;
mod forms;
mod intakes;
mod letters;
mod privacy;
mod question;
mod review;
mod rules;
mod series;
mod submission;
mod submit;

pub use checkups::AssignedCheckups;
use spotter_contract::Area;
pub use submission::SubmittedForms;

/// The operations and statements of this domain.
pub fn area() -> Area {
    let rooms = [
        (
            "Forms",
            vec![
                form::area(),
                forms::area(),
                assignment::area(),
                assign::area(),
                letters::area(),
                draft::area(),
                file::area(),
                submit::area(),
                submission::area(),
                privacy::area(),
            ],
        ),
        ("Intakes", vec![intakes::area()]),
        ("Check-ups", vec![checkups::area(), series::area()]),
    ];
    Area::join(rooms.map(|(heading, chapters)| Area::join(chapters).tagged(heading)))
}
