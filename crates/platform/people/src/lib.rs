//! The people of a company: coaches and clients, how each of them proves who they are, and the API clients that act for
//! integrations.

pub mod clients;
pub mod coaches;
mod effects;
pub mod founding;
pub mod identity;
pub mod platform;
mod rules;
