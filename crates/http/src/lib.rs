//! HTTP: routing from the operations table, the life of a request, sign-in, files, live updates,
//! the API description and what operators look at.

mod address;
mod app_sign_in;
mod docs;
mod envelope;
mod etag;
mod incoming;
mod leftover;
mod live;
mod observe;
pub mod openapi;
mod pipeline;
mod rate;
mod server;
mod token;
mod uploads;
mod visitor;

pub use app_sign_in::{Login, recognise};
pub use incoming::read_body;
pub use observe::RequestId;
pub use server::{Settings, State, router, serve_also};
pub use visitor::write;
