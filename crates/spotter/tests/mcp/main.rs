//! The MCP server: admission of assistants, their permissions, and attacks.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod ai_access;
mod attacks;
mod documents;
mod flow;
mod page;
mod tool_results;
mod tools;
