//! Every setting, in the order in which they are documented.

/// One row of the table.
pub struct Setting {
    /// The name in the file; `--data-dir` style as a flag, SPOTTER_DATA_DIR style as a variable.
    pub name: &'static str,
    /// The default; empty for none.
    pub default: &'static str,
    /// What it means.
    pub help: &'static str,
}

const fn setting(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, help }
}

/// Every setting.
pub const TABLE: &[Setting] = &[
    setting("data", "data", "Folder of the database file, the key and the lock"),
    setting("listen", "127.0.0.1:8080", "Address to serve on"),
    setting("database_url", "", "PostgreSQL URL; without one, SQLite in the data folder"),
    setting(
        "database_read_url",
        "",
        "PostgreSQL URL of a server that follows that one, for reports and other slow reads",
    ),
    setting("database_connections", "0", "Connections to PostgreSQL; 0 for three a core"),
    setting("database_readers", "0", "Reads from SQLite side by side; 0 for one a core"),
    setting("database_cache_mb", "48", "Pages that SQLite's writer keeps in memory, in MiB"),
    setting("database_queue", "1024", "Transactions that may wait before callers get 503"),
    setting(
        "secret_key",
        "",
        "The installation's key, 64 hexadecimal digits; without one, secret.key in the data folder",
    ),
    setting(
        "base_url",
        "",
        "The address that others reach this service at, such as https://api.example.com",
    ),
    setting(
        "mcp_url",
        "",
        "The address that assistants reach the MCP server at, without a path; base_url when absent",
    ),
    setting(
        "mcp_listen",
        "",
        "Address to serve the MCP server on by itself; without one, it is served beside everything else",
    ),
    setting(
        "mcp_private_networks",
        "",
        "Networks that are not public and that assistants' metadata documents may be fetched from",
    ),
    setting(
        "mcp_refresh_grace_seconds",
        "0",
        "How long a refresh token of an assistant that was used is answered with the same pair",
    ),
    setting(
        "mcp_loopback_ports",
        "exact",
        "Ports of the own machine that assistants' redirect addresses may have: exact, or any (RFC 8252)",
    ),
    setting("rate_limit", "600", "Requests a minute of one API client or signed-in person"),
    setting(
        "sign_up_rate_limit",
        "60",
        "What strangers may send to public sites in an hour, of one address",
    ),
    setting("visitor_rate_limit", "600", "Requests a minute for public sites, of one address"),
    setting(
        "anonymous_rate_limit",
        "300",
        "Requests a minute without a good token, of one address",
    ),
    setting(
        "trusted_proxies",
        "",
        "Networks of proxies whose X-Forwarded-For is believed, comma-separated",
    ),
    setting(
        "metrics_networks",
        "127.0.0.0/8,::1/128",
        "Networks that may read /metrics, comma-separated",
    ),
    setting("cors_origins", "", "Origins whose pages may call the APIs, comma-separated"),
    setting("tls_certificate", "", "PEM file of the certificate chain; with tls_key, serves HTTPS"),
    setting("tls_key", "", "PEM file of the certificate's private key"),
    setting(
        "log",
        "info",
        "Log filter, such as info or info,spotter_http=debug (which logs every request)",
    ),
    setting("log_format", "auto", "text, json, or auto: text on a terminal and JSON elsewhere"),
    setting(
        "otlp_url",
        "",
        "Collector that traces are sent to (OTLP over HTTP), such as http://127.0.0.1:4318; without one nothing is traced",
    ),
    setting("trace_percent", "100", "How many of a hundred requests, timers and jobs are traced"),
    setting(
        "webhook_private_networks",
        "",
        "Networks that are not public and that webhooks may reach all the same, comma-separated",
    ),
    setting(
        "webhook_certificate_authority",
        "",
        "PEM file of a certificate authority that webhook targets may use beside the system's",
    ),
    setting("webhook_concurrency", "256", "Delivery attempts that may be under way at once"),
    setting("webhook_retention_days", "30", "How long events and deliveries are kept"),
    setting("access_log_days", "180", "How long it is kept who went through which door"),
    setting(
        "files",
        "",
        "Where files that people send are kept: a folder or s3://bucket/prefix; without one, files in \
         the data folder",
    ),
    setting(
        "backups",
        "",
        "Where `spotter backup` keeps sets of backups: a folder or s3://bucket/prefix",
    ),
    setting("backup_keep", "14", "How many sets of backups are kept"),
    setting("upload_max_mb", "25", "The largest file that people may send, in MiB"),
    setting("live_max", "10000", "Streams of live updates that may be open at once"),
    setting("connections_max", "10000", "Connections of callers that may be open at once"),
    setting(
        "smtp_url",
        "",
        "Mail server: smtps://user:password@host, smtp://user:password@host (STARTTLS), or \
         smtp://host?tls=none; without one no mail is sent",
    ),
    setting(
        "mail_from",
        "",
        "The address that mail comes from, such as Riverside <hello@riverside.example>",
    ),
    setting(
        "smtp_certificate_authority",
        "",
        "PEM file of a certificate authority that the mail server may use beside the system's",
    ),
    setting(
        "stripe_url",
        "https://api.stripe.com",
        "Where Stripe is asked, by companies that collect through it",
    ),
    setting("shutdown_seconds", "20", "How long a stop waits for requests that are under way"),
];
