//! The contract's limits, each a constant with its unit.

/// Longest `Idempotency-Key`, in characters; the shortest is 1.
pub const IDEMPOTENCY_KEY_MAX: usize = 200;
/// How long a stored answer is replayed at least, in seconds (24 hours).
pub const IDEMPOTENCY_RETENTION_SECONDS: i64 = 86_400;
/// Most items on a page of a list.
pub const PAGE_MAX: i64 = 100;
/// Items on a page when the caller doesn't say.
pub const PAGE_DEFAULT: i64 = 20;
/// Largest request body, in bytes (1 MiB).
pub const BODY_MAX: usize = 1 << 20;
/// Lifetime of an access token, in seconds (1 hour).
pub const ACCESS_TOKEN_SECONDS: i64 = 3_600;
/// Lifetime of a refresh token of the application API, in seconds (30 days).
pub const REFRESH_TOKEN_SECONDS: i64 = 30 * 86_400;
/// Lifetime of an invitation, in seconds (14 days).
pub const INVITATION_SECONDS: i64 = 14 * 86_400;
/// Lifetime of what sets a new password, in seconds (1 hour).
pub const PASSWORD_RESET_SECONDS: i64 = 3_600;
/// Delivery attempts of a webhook in all.
pub const WEBHOOK_ATTEMPTS_MAX: u32 = 3;
/// Seconds from a failed delivery attempt to the next one.
pub const WEBHOOK_BACKOFF_SECONDS: [u32; 2] = [60, 120];
/// The longest delay that a schedule of delivery attempts may ever have, in seconds (1 hour).
pub const WEBHOOK_BACKOFF_CAP_SECONDS: u32 = 3_600;
/// Requests a minute of an API client where nothing else is set.
pub const RATE_LIMIT_DEFAULT: u32 = 600;
/// The window of the rate limit, in seconds.
pub const RATE_WINDOW_SECONDS: i64 = 60;
/// Shortest and longest password, in characters.
pub const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 10..=200;
/// Lifetime of an authorization code of the MCP server, in seconds (10 minutes).
pub const MCP_CODE_SECONDS: i64 = 600;
/// Lifetime of a refresh token of the MCP server, in seconds (90 days).
pub const MCP_REFRESH_TOKEN_SECONDS: i64 = 90 * 86_400;
/// Longest lifetime of a static key of the MCP server, in days.
pub const MCP_KEY_DAYS_MAX: i64 = 365;
/// Default lifetime of a static MCP key, in days.
pub const MCP_KEY_DAYS_DEFAULT: i64 = 90;
