-- When coaches work; a PUT writes it whole.
CREATE TABLE coach_availability (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    coach_id TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    weekly TEXT NOT NULL,
    overrides TEXT NOT NULL,
    prep_minutes BIGINT NOT NULL,
    finish_minutes BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, coach_id)
) WITHOUT ROWID;

-- When locations can be used.
CREATE TABLE location_availability (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    location_id TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    weekly TEXT,
    overrides TEXT NOT NULL,
    max_concurrent_events BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, location_id)
) WITHOUT ROWID;

-- Closures.
CREATE TABLE availability_rule (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    availability_rule_id TEXT NOT NULL,
    applies_to TEXT NOT NULL,
    location_id TEXT,
    coach_id TEXT,
    start_date TEXT NOT NULL,
    end_date TEXT NOT NULL,
    start_time TEXT,
    end_time TEXT,
    reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, availability_rule_id)
) WITHOUT ROWID;
CREATE INDEX availability_rule_end ON availability_rule (company_id, end_date);

CREATE TABLE event_type (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    event_type_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    duration_minutes BIGINT NOT NULL,
    capacity BIGINT NOT NULL,
    slot_interval_minutes BIGINT NOT NULL,
    buffer_before_minutes BIGINT,
    buffer_after_minutes BIGINT,
    min_notice_minutes BIGINT NOT NULL,
    booking_window_days BIGINT,
    cancellation_window_minutes BIGINT,
    requires_approval BOOLEAN NOT NULL,
    approval_minutes BIGINT NOT NULL,
    clients_may_book BOOLEAN NOT NULL,
    coach_ids TEXT NOT NULL,
    location_ids TEXT NOT NULL,
    daily_limit_per_coach BIGINT,
    credits BIGINT NOT NULL,
    waitlist TEXT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, event_type_id)
) WITHOUT ROWID;

CREATE TABLE event_template (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    event_template_id TEXT NOT NULL,
    name TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    duration_minutes BIGINT NOT NULL,
    capacity BIGINT,
    coach_id TEXT,
    location_id TEXT,
    status TEXT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, event_template_id)
) WITHOUT ROWID;

-- What takes place. Its row is the queue of those who want a seat.
CREATE TABLE calendar_event (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    calendar_event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    event_template_id TEXT,
    name TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    location_id TEXT,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    time_zone TEXT NOT NULL,
    capacity BIGINT NOT NULL,
    seats_taken BIGINT NOT NULL,
    waitlisted BIGINT NOT NULL,
    last_position BIGINT NOT NULL,
    status TEXT NOT NULL,
    event_series_id TEXT,
    occurrence_date TEXT,
    is_exception BOOLEAN NOT NULL,
    before_minutes BIGINT NOT NULL,
    after_minutes BIGINT NOT NULL,
    moves BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, calendar_event_id)
);
CREATE INDEX calendar_event_start ON calendar_event (company_id, starts_at, calendar_event_id);
CREATE INDEX calendar_event_coach ON calendar_event (company_id, coach_id, starts_at, calendar_event_id);
CREATE INDEX calendar_event_location ON calendar_event (company_id, location_id, starts_at, calendar_event_id);
CREATE INDEX calendar_event_updated ON calendar_event (company_id, updated_at, calendar_event_id);
CREATE INDEX calendar_event_type ON calendar_event (company_id, event_type_id, coach_id, starts_at);
CREATE UNIQUE INDEX calendar_event_series ON calendar_event (company_id, event_series_id, occurrence_date)
    WHERE event_series_id IS NOT NULL AND status = 'scheduled';

-- Classes of a recurrence.
CREATE TABLE event_series (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    event_series_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    event_template_id TEXT,
    name TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    location_id TEXT,
    duration_minutes BIGINT NOT NULL,
    capacity BIGINT NOT NULL,
    recurrence TEXT NOT NULL,
    on_conflict TEXT NOT NULL,
    skipped TEXT NOT NULL,
    status TEXT NOT NULL,
    made_through TEXT NOT NULL,
    previous_id TEXT,
    next_id TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, event_series_id)
);
CREATE INDEX event_series_coach ON event_series (company_id, coach_id, event_series_id);

-- What takes the time of a coach, or the room of a location, on a UTC day, packed.
CREATE TABLE calendar_day (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    owner_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    busy BLOB NOT NULL,
    PRIMARY KEY (company_id, owner_id, day)
);

CREATE TABLE booking (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    booking_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    calendar_event_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    location_id TEXT,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    time_zone TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    attendance_status TEXT NOT NULL,
    checked_in_at BIGINT,
    waitlist_position BIGINT,
    offer_expires_at BIGINT,
    recurring_booking_id TEXT,
    occurrence_date TEXT,
    is_exception BOOLEAN NOT NULL,
    booking_request_id TEXT,
    rescheduled_from BIGINT,
    policy TEXT NOT NULL,
    entitlement TEXT NOT NULL,
    fee TEXT,
    cancelled_at BIGINT,
    cancelled_by TEXT,
    cancellation_timing TEXT,
    cancellation_reason TEXT,
    note TEXT,
    external_id TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, booking_id)
);
CREATE INDEX booking_start ON booking (company_id, starts_at, booking_id);
CREATE INDEX booking_client ON booking (company_id, client_id, starts_at, booking_id);
CREATE INDEX booking_event ON booking (company_id, calendar_event_id, status, waitlist_position, booking_id);
CREATE INDEX booking_coach ON booking (company_id, coach_id, starts_at, booking_id);
CREATE INDEX booking_location ON booking (company_id, location_id, starts_at, booking_id);
CREATE INDEX booking_updated ON booking (company_id, updated_at, booking_id);
CREATE INDEX booking_series ON booking (company_id, recurring_booking_id, starts_at)
    WHERE recurring_booking_id IS NOT NULL;
-- A client has one live booking of an event.
CREATE UNIQUE INDEX booking_live ON booking (company_id, calendar_event_id, client_id)
    WHERE status <> 'cancelled';
CREATE UNIQUE INDEX booking_external ON booking (company_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE booking_request (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    booking_request_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    calendar_event_id TEXT,
    coach_id TEXT NOT NULL,
    location_id TEXT,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    time_zone TEXT NOT NULL,
    status TEXT NOT NULL,
    rejection_cause TEXT,
    expires_at BIGINT NOT NULL,
    decided_at BIGINT,
    booking_id TEXT,
    note TEXT,
    external_id TEXT,
    allow_overlap BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, booking_request_id)
);
CREATE UNIQUE INDEX booking_request_external ON booking_request (company_id, external_id)
    WHERE external_id IS NOT NULL AND status = 'pending';
CREATE INDEX booking_request_status ON booking_request (company_id, status, booking_request_id);
CREATE INDEX booking_request_client ON booking_request (company_id, client_id, booking_request_id);
CREATE INDEX booking_request_coach ON booking_request (company_id, coach_id, booking_request_id);
CREATE INDEX booking_request_type ON booking_request (company_id, status, coach_id, event_type_id);
CREATE INDEX booking_request_event ON booking_request (company_id, calendar_event_id)
    WHERE calendar_event_id IS NOT NULL;

CREATE TABLE calendar_task (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    calendar_task_id TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    title TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    blocks_slots BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    client_id TEXT,
    note TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, calendar_task_id)
);
CREATE INDEX calendar_task_start ON calendar_task (company_id, starts_at, calendar_task_id);
CREATE INDEX calendar_task_coach ON calendar_task (company_id, coach_id, starts_at, calendar_task_id);

-- A client's bookings of a recurrence.
CREATE TABLE recurring_booking (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    recurring_booking_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    location_id TEXT,
    recurrence TEXT NOT NULL,
    on_conflict TEXT NOT NULL,
    skipped TEXT NOT NULL,
    status TEXT NOT NULL,
    made_through TEXT NOT NULL,
    previous_id TEXT,
    next_id TEXT,
    note TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, recurring_booking_id)
);
CREATE INDEX recurring_booking_client ON recurring_booking (company_id, client_id, recurring_booking_id);
CREATE INDEX recurring_booking_coach ON recurring_booking (company_id, coach_id, recurring_booking_id);

-- Addresses at which other programs read a calendar; what opens them is kept as a digest.
CREATE TABLE calendar_feed (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    calendar_feed_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    made_by TEXT,
    digest BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, calendar_feed_id)
);
CREATE INDEX calendar_feed_owner ON calendar_feed (company_id, owner_id, calendar_feed_id);
CREATE INDEX calendar_feed_maker ON calendar_feed (company_id, made_by, calendar_feed_id);
CREATE UNIQUE INDEX calendar_feed_digest ON calendar_feed (company_id, digest);
