//! The descriptions of the metrics, by name.

use metrics::{describe_counter, describe_gauge, describe_histogram};

/// Counters.
const COUNTERS: &[(&str, &str)] = &[
    ("spotter_http_connections_refused_total", "Connections refused because there were too many."),
    ("spotter_http_requests_total", "Requests by route, method and status."),
    ("spotter_job_attempts_total", "Attempts at jobs by kind and outcome."),
    ("spotter_repeating_runs_total", "Runs of repeating work by name and outcome."),
    (
        "spotter_store_retries_total",
        "Transactions run again: after a conflict, or because one of several writes in it failed.",
    ),
    (
        "spotter_store_slow_reads_total",
        "Slow reads by the server of PostgreSQL that answered: database or replica.",
    ),
    ("spotter_timer_runs_total", "Timers run by kind and outcome."),
    ("spotter_webhooks_attempts_total", "Attempts to deliver webhooks by outcome."),
    (
        "spotter_webhooks_leases_lost_total",
        "Deliveries taken over from a node that did not finish them.",
    ),
    ("spotter_webhooks_targets_blocked_total", "Deliveries to addresses that may not be reached."),
];

/// Counters without labels: they are there from the start, at 0, so that a rule about them holds before they count.
const UNLABELLED: &[&str] = &[
    "spotter_http_connections_refused_total",
    "spotter_store_retries_total",
    "spotter_webhooks_leases_lost_total",
    "spotter_webhooks_targets_blocked_total",
];

/// Gauges.
const GAUGES: &[(&str, &str)] = &[
    (
        "spotter_backup_timestamp_seconds",
        "When the last backup was made, in Unix time; absent before the first.",
    ),
    ("spotter_build_info", "Always 1; the version is a label."),
    (
        "spotter_certificate_end_timestamp_seconds",
        "When the certificate ends, in Unix time; absent without one.",
    ),
    ("spotter_database_server_away", "Whether a server of a cluster does not answer: 1 or 0."),
    (
        "spotter_database_up",
        "Whether the database answered when it was last asked, each minute: 1 or 0.",
    ),
    ("spotter_disk_bytes", "Size of the disk of the data folder."),
    ("spotter_disk_free_bytes", "Free bytes on the disk of the data folder."),
    ("spotter_http_connections", "Connections that are open."),
    ("spotter_jobs_oldest_due_seconds", "For how long the oldest job of a kind has been due."),
    ("spotter_jobs_past_due", "Jobs of a kind that are due and not done."),
    ("spotter_live_streams", "Streams of live updates that are open."),
    ("spotter_timers_oldest_due_seconds", "For how long the oldest timer has been due."),
    ("spotter_timers_past_due", "Timers that are due and not run."),
    ("spotter_webhooks_oldest_due_seconds", "For how long the oldest delivery has been due."),
    ("spotter_webhooks_past_due", "Deliveries that are due and not made."),
];

/// Histograms.
const HISTOGRAMS: &[(&str, &str)] = &[
    ("spotter_http_request_seconds", "How long requests took, by route."),
    ("spotter_job_attempt_seconds", "How long attempts at jobs took, by kind."),
    ("spotter_store_batch_size", "Writes that were committed together."),
    ("spotter_webhooks_first_attempt_seconds", "From an event to the first attempt to deliver it."),
];

/// Registers the description of each metric.
pub(crate) fn describe() {
    COUNTERS.iter().for_each(|(name, help)| describe_counter!(*name, *help));
    GAUGES.iter().for_each(|(name, help)| describe_gauge!(*name, *help));
    HISTOGRAMS.iter().for_each(|(name, help)| describe_histogram!(*name, *help));
    UNLABELLED.iter().for_each(|name| metrics::counter!(*name).increment(0));
}
