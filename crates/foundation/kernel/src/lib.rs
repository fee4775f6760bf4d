//! The words of the product: ids, times, money, the error keys, the scopes and the events.
//!
//! Nothing here does any input or output, reads a clock or draws a random number. The lists that
//! the public contract fixes (scopes, events, error keys, limits) are tables in this crate, and
//! everything that documents or checks them reads these tables.

pub mod clock;
pub mod color;
pub mod date;
pub mod date_range;
pub mod encoding;
pub mod event;
pub mod id;
pub mod key;
pub mod limits;
pub mod localized;
pub mod many;
pub mod money;
pub mod number;
pub mod page;
pub mod panics;
pub mod patch;
pub mod phrase;
pub mod problem;
pub mod rule;
pub mod scope;
pub mod secret;
pub mod span;
pub mod text;
pub mod verdict;

/// Target of the spans that operators' traces are made of; nothing else is sent to a collector.
pub const TRACE_TARGET: &str = "spotter_trace";

pub use clock::{Clock, Entropy, Timestamp, in_order};
pub use date::{BirthDate, Date, TimeZone};
pub use date_range::DateRange;
pub use event::Event;
pub use id::Id;
pub use many::Many;
pub use money::Money;
pub use page::{Cursor, Page, PageRequest};
pub use patch::{Change, Patch};
pub use phrase::{Locale, Phrase};
pub use problem::{Key, Problem, Result};
pub use rule::Rule;
pub use scope::{Gate, Scope, ScopeSet};
pub use verdict::Verdict;
