//! What the tests share.

pub mod requirements;
