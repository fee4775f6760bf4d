//! HTTP: routing from the operations table, the life of a request, sign-in, files, live updates, the API description
//! and monitoring endpoints.

mod address;
mod docs;
mod documents;
mod envelope;
mod etag;
mod incoming;
mod live;
mod observe;
pub mod openapi;
mod permits;
mod pipeline;
mod quotas;
mod rate_limit;
mod rules;
mod server;
mod sign_in;
mod site_pictures;
mod table;
mod token;
mod unread_body;
mod uploads;
mod visitor;

pub use documents::accepted_language;
pub use incoming::{read_body, read_body_within};
pub use live::listen;
pub use observe::RequestId;
pub use pipeline::{may_reach, takes_long};
pub use rate_limit::{RateLimitStatus, network};
pub use server::{
    Compressible, FormRoom, HttpSettings, State, no_test_environment, refusing, router, serve_also,
    serve_only, unmatched,
};
pub use sign_in::{Login, passwords, recognise, recognise_by_ticket};
pub use site_pictures::site_picture;
pub use table::csv_of_pages;
pub use uploads::{UploadedFile, keep_file, message_file};
pub use visitor::write;
