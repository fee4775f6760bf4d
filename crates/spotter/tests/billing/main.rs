//! Billing over HTTP on both engines; with a clock of its own where months pass.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod admission;
mod billing_schedule;
mod collecting;
mod credit_periods;
mod credits;
mod desk;
mod dunning;
mod far;
mod freed;
mod invoice_pdf;
mod letters;
mod money;
mod orders;
mod pauses;
mod products;
mod races;
mod requests;
mod sales;
mod stripe;
