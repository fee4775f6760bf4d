//! Connections to other hosts: which addresses may be reached, a client that reaches no others, documents, and mail.

pub mod address;
mod bounded_stream;
pub mod fetch;
pub mod http_client;
pub mod smtp;
pub mod target;
