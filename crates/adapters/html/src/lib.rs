//! The HTML that the console, the consent pages of assistants and the payment pages share.
//!
//! - `words`: the strings of all pages, in each language; `display`: the language and appearance that a browser asks
//!   for;
//! - `page`: standalone pages, and the security policy of every page; `assets`: style sheets and scripts;
//! - `forms`: parsing submitted forms and detecting forged ones; `theme`: the colors of a company; `sign_in`: the fields of a sign-in.

pub mod assets;
pub mod cookies;
pub mod display;
pub mod forms;
pub mod page;
pub mod sign_in;
pub mod theme;
pub mod timetable_style;
pub mod words;
