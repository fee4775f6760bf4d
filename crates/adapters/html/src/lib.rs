//! The HTML that the console, the consent pages of assistants and the pages of payments share.
//!
//! - `words`: the strings of all pages, in each language; `display`: which language and looks a browser asks for;
//! - `page`: pages that stand alone, and the policy that every page is sent with; `assets`: style sheets and scripts;
//! - `forms`: reading submitted forms and telling forged ones apart; `sign_in`: the fields of a sign-in.

pub mod assets;
pub mod display;
pub mod forms;
pub mod page;
pub mod sign_in;
pub mod timetable_style;
pub mod words;
