//! Forms: what clients are asked, and what they answer.
//!
//! Rules that know no database come first: what can be asked and when ([`question`]), and what an answer must be
//! ([`answer`]). Then forms and their versions ([`form`], [`forms`]); what clients are given ([`assignment`],
//! [`assigning`]), which stays with its version; what they save ([`draft`]), the files that they send ([`file`]),
//! and what they hand in ([`answering`], [`submission`]); and what is told of the two kinds that ask about health:
//! [`intakes`], and [`checkups`], which recur ([`series`]). A coach looks at all of it ([`review`]).

mod answer;
mod assign;
mod assignment;
mod checkups;
mod draft;
mod file;
mod form;
mod forms;
mod intakes;
mod privacy;
mod question;
mod review;
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
