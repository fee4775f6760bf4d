-- Every table leads its key with company_id. Times are UTC milliseconds, JSON is TEXT.

CREATE TABLE company (
    company_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT,
    phone TEXT,
    website TEXT,
    country TEXT,
    language TEXT NOT NULL,
    currency TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    public_api_enabled BOOLEAN NOT NULL,
    workout_enabled BOOLEAN NOT NULL,
    programme_calendar_enabled BOOLEAN NOT NULL,
    mcp_enabled BOOLEAN NOT NULL,
    client_ai_enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE coach (
    company_id TEXT NOT NULL REFERENCES company,
    coach_id TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, coach_id)
);
CREATE UNIQUE INDEX coach_email ON coach (company_id, email);

-- A coach's or a client's way in: an e-mail address and, once an invitation is accepted, a password.
CREATE TABLE account (
    company_id TEXT NOT NULL REFERENCES company,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    email TEXT NOT NULL,
    password TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, subject, subject_id)
);
CREATE UNIQUE INDEX account_email ON account (email, company_id, subject);

CREATE TABLE invitation (
    company_id TEXT NOT NULL REFERENCES company,
    digest BLOB NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, digest)
);
CREATE INDEX invitation_subject ON invitation (company_id, subject, subject_id);

-- One row a signed-in device: the current access token and the current refresh token.
CREATE TABLE app_session (
    company_id TEXT NOT NULL REFERENCES company,
    session_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    access_digest BLOB NOT NULL,
    access_expires_at BIGINT NOT NULL,
    refresh_digest BLOB NOT NULL,
    refresh_expires_at BIGINT NOT NULL,
    previous_refresh_digest BLOB,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, session_id)
);
CREATE UNIQUE INDEX app_session_access ON app_session (company_id, access_digest);
CREATE UNIQUE INDEX app_session_refresh ON app_session (company_id, refresh_digest);
CREATE INDEX app_session_previous ON app_session (company_id, previous_refresh_digest);
CREATE INDEX app_session_subject ON app_session (company_id, subject, subject_id);
CREATE INDEX app_session_expiry ON app_session (refresh_expires_at);

CREATE TABLE api_client (
    company_id TEXT NOT NULL REFERENCES company,
    api_client_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    scopes TEXT NOT NULL,
    health_data BOOLEAN NOT NULL,
    private_communication BOOLEAN NOT NULL,
    default_assigned_coach_id TEXT,
    secret_digest BLOB NOT NULL,
    secret_last4 TEXT NOT NULL,
    secret_rotated_at BIGINT,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, api_client_id)
);

CREATE TABLE access_token (
    company_id TEXT NOT NULL REFERENCES company,
    digest BLOB NOT NULL,
    api_client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, digest)
);
CREATE INDEX access_token_client ON access_token (company_id, api_client_id);
CREATE INDEX access_token_expiry ON access_token (expires_at);

-- A key that was used, and what for. It is inserted before anything is read, so that concurrent
-- writers never read what others insert; the answer follows in a row of its own.
CREATE TABLE idempotency (
    company_id TEXT NOT NULL,
    caller_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, caller_id, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

CREATE TABLE idempotency_answer (
    company_id TEXT NOT NULL,
    caller_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer BLOB NOT NULL,
    sealed BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, caller_id, idempotency_key)
);

CREATE TABLE audit_log (
    company_id TEXT NOT NULL,
    audit_log_id TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT,
    operation TEXT NOT NULL,
    outcome TEXT NOT NULL,
    target_type TEXT,
    target_id TEXT,
    changed_fields TEXT NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (company_id, audit_log_id)
);
CREATE INDEX audit_log_actor ON audit_log (company_id, actor_id, audit_log_id);
CREATE INDEX audit_log_operation ON audit_log (company_id, operation, audit_log_id);

-- The outbox: what happened, for webhooks to tell.
CREATE TABLE event (
    company_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (company_id, event_id)
);

-- Totals of large lists; shard 0 holds the sum, other shards changes not yet added to it.
CREATE TABLE tally (
    company_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    shard BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (company_id, subject, shard)
) WITHOUT ROWID;

CREATE TABLE location (
    company_id TEXT NOT NULL REFERENCES company,
    location_id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    address TEXT,
    coordinates TEXT,
    phone TEXT,
    email TEXT,
    opening_hours TEXT NOT NULL,
    access_zones TEXT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, location_id)
);

CREATE TABLE facility (
    company_id TEXT NOT NULL REFERENCES company,
    facility_id TEXT NOT NULL,
    location_id TEXT,
    name TEXT NOT NULL,
    description TEXT,
    PRIMARY KEY (company_id, facility_id)
);

CREATE TABLE service (
    company_id TEXT NOT NULL REFERENCES company,
    service_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    duration_minutes BIGINT,
    price TEXT,
    PRIMARY KEY (company_id, service_id)
);

CREATE TABLE company_policy (
    company_id TEXT NOT NULL PRIMARY KEY REFERENCES company,
    cancellation_window_hours BIGINT NOT NULL,
    late_cancellation_fee TEXT,
    no_show_fee TEXT,
    booking_window_days BIGINT NOT NULL,
    terms_url TEXT,
    privacy_url TEXT,
    updated_at BIGINT NOT NULL
);
