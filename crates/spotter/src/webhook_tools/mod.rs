//! `spotter webhooks`: tools for the integrator's desk. Deliveries are received and verified ([`receive`]), or read from
//! the event log where nothing can reach the desk ([`follow`]); either are forwarded to a program under development, and
//! examples are sent to it ([`forward`]).

mod follow;
mod forward;
mod receive;

pub(crate) use follow::{Credentials, follow};
pub(crate) use forward::{ForwardTarget, example};
pub(crate) use receive::{Listener, run};
