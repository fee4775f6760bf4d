-- Doors, gates and turnstiles.
CREATE TABLE access_device (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    device_id TEXT NOT NULL,
    name TEXT NOT NULL,
    location_id TEXT NOT NULL,
    zones TEXT NOT NULL,
    direction TEXT NOT NULL,
    status TEXT NOT NULL,
    passback TEXT NOT NULL,
    passback_minutes BIGINT NOT NULL,
    offline_policy TEXT NOT NULL,
    key_digest BLOB NOT NULL,
    key_last4 TEXT NOT NULL,
    previous_key_digest BLOB,
    previous_key_until BIGINT,
    last_seen_at BIGINT,
    silent_since BIGINT,
    clock_skew_ms BIGINT,
    firmware TEXT,
    queue_depth BIGINT,
    list_version TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, device_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX access_device_key ON access_device (company_id, key_digest);
CREATE INDEX access_device_previous_key ON access_device (company_id, previous_key_digest);
CREATE INDEX access_device_location ON access_device (company_id, location_id);

-- By what clients are known at doors.
CREATE TABLE access_credential (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    credential_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    digest BLOB,
    sealed_number BLOB,
    last4 TEXT,
    valid_from BIGINT,
    valid_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, credential_id)
) WITHOUT ROWID;
CREATE INDEX access_credential_client ON access_credential (company_id, client_id, credential_id);
CREATE INDEX access_credential_digest ON access_credential (company_id, digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX access_credential_in_use ON access_credential (company_id, digest)
    WHERE digest IS NOT NULL AND status IN ('active', 'suspended');
CREATE INDEX access_credential_listed ON access_credential (company_id, status, kind, credential_id);

-- Who is let in nowhere.
CREATE TABLE access_block (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    note TEXT,
    blocked_at BIGINT NOT NULL,
    blocked_by TEXT,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;

-- Where and when a product lets in.
CREATE TABLE access_rule (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    product_id TEXT NOT NULL,
    location_ids TEXT NOT NULL,
    zones TEXT NOT NULL,
    hours TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, product_id)
) WITHOUT ROWID;

-- What is asked of everybody who enters a zone. The zone without a name is the location as a whole.
CREATE TABLE access_zone (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    location_id TEXT NOT NULL,
    zone TEXT NOT NULL,
    capacity BIGINT,
    needs_booking BOOLEAN NOT NULL,
    credits_per_visit BIGINT NOT NULL,
    credit_pools TEXT NOT NULL,
    form_id TEXT,
    admits_overdue BOOLEAN NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, location_id, zone)
) WITHOUT ROWID;

-- What devices asked, and what became of it.
CREATE TABLE access_scan (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    access_scan_id TEXT NOT NULL,
    device_id TEXT NOT NULL,
    scan_id TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    location_id TEXT NOT NULL,
    zone TEXT NOT NULL,
    direction TEXT NOT NULL,
    kind TEXT NOT NULL,
    credential_id TEXT,
    client_id TEXT,
    decision TEXT NOT NULL,
    reason TEXT,
    offline BOOLEAN NOT NULL,
    would_have_been TEXT,
    passback_broken BOOLEAN NOT NULL,
    stale BOOLEAN NOT NULL,
    visit_id TEXT,
    occurred_at BIGINT NOT NULL,
    device_time BIGINT,
    clock_is_off BOOLEAN NOT NULL,
    list_version TEXT,
    answer TEXT,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, access_scan_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX access_scan_of_device ON access_scan (company_id, device_id, scan_id);
CREATE INDEX access_scan_time ON access_scan (company_id, occurred_at DESC, access_scan_id DESC);
CREATE INDEX access_scan_client ON access_scan (company_id, client_id, occurred_at DESC, access_scan_id DESC)
    WHERE client_id IS NOT NULL;
CREATE INDEX access_scan_device ON access_scan (company_id, device_id, occurred_at DESC, access_scan_id DESC);

-- Clients' days at locations.
CREATE TABLE visit (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    visit_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    day TEXT NOT NULL,
    entered_at BIGINT NOT NULL,
    left_at BIGINT,
    entries BIGINT NOT NULL,
    credits BIGINT NOT NULL,
    client_product_id TEXT,
    PRIMARY KEY (company_id, visit_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX visit_of_day ON visit (company_id, client_id, location_id, day);
CREATE INDEX visit_time ON visit (company_id, entered_at DESC, visit_id DESC);
CREATE INDEX visit_client ON visit (company_id, client_id, entered_at DESC, visit_id DESC);

-- Where clients went last, by zone.
CREATE TABLE access_presence (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    location_id TEXT NOT NULL,
    zone TEXT NOT NULL,
    client_id TEXT NOT NULL,
    inside BOOLEAN NOT NULL,
    moved_at BIGINT NOT NULL,
    code_step BIGINT NOT NULL,
    PRIMARY KEY (company_id, location_id, zone, client_id)
) WITHOUT ROWID;
CREATE INDEX access_presence_inside ON access_presence (company_id, location_id, zone, moved_at) WHERE inside;
CREATE INDEX access_presence_moved ON access_presence (company_id, moved_at);
CREATE INDEX access_presence_client ON access_presence (company_id, client_id);

-- Numbers that a device was shown and nobody has, one kind of them.
CREATE TABLE access_lockout (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    device_id TEXT NOT NULL,
    since BIGINT NOT NULL,
    unknown BIGINT NOT NULL,
    locked_until BIGINT,
    PRIMARY KEY (company_id, device_id)
) WITHOUT ROWID;

-- Who has handed in a form.
CREATE INDEX form_submission_form ON form_submission (company_id, form_id, client_id);
