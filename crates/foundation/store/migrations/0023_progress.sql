-- What companies measure beside what everybody does.
CREATE TABLE measurement_type (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    type TEXT NOT NULL,
    type_id TEXT NOT NULL,
    label TEXT NOT NULL,
    unit TEXT,
    decimals BIGINT NOT NULL,
    minimum BIGINT NOT NULL,
    maximum BIGINT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, type)
) WITHOUT ROWID;

CREATE TABLE measurement (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    measurement_id TEXT NOT NULL,
    type TEXT NOT NULL,
    value BIGINT,
    systolic BIGINT,
    diastolic BIGINT,
    measured_at BIGINT NOT NULL,
    measured_on TEXT NOT NULL,
    source TEXT NOT NULL,
    note TEXT,
    external_id TEXT,
    recorded_by_type TEXT NOT NULL,
    recorded_by TEXT,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, measurement_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX measurement_external ON measurement (company_id, client_id, type, external_id)
    WHERE external_id IS NOT NULL;
CREATE INDEX measurement_time ON measurement (company_id, client_id, measured_at, measurement_id)
    WHERE status = 'recorded';
CREATE INDEX measurement_type_time ON measurement (company_id, client_id, type, measured_at, measurement_id)
    WHERE status = 'recorded';

CREATE TABLE habit (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    habit_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    target BIGINT,
    unit TEXT,
    direction TEXT NOT NULL,
    versions TEXT NOT NULL,
    rests TEXT NOT NULL,
    start_date TEXT NOT NULL,
    end_date TEXT,
    status TEXT NOT NULL,
    longest_streak BIGINT NOT NULL,
    last_streak BIGINT NOT NULL,
    streak_holds_until TEXT,
    created_by_type TEXT NOT NULL,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, habit_id)
) WITHOUT ROWID;

CREATE TABLE habit_entry (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    habit_id TEXT NOT NULL,
    date TEXT NOT NULL,
    status TEXT NOT NULL,
    amount BIGINT,
    note TEXT,
    recorded_by_type TEXT NOT NULL,
    recorded_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, habit_id, date)
) WITHOUT ROWID;

CREATE TABLE goal (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    goal_id TEXT NOT NULL,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    measurement_type TEXT,
    habit_id TEXT,
    direction TEXT NOT NULL,
    start_value BIGINT,
    target_value BIGINT NOT NULL,
    current_value BIGINT,
    tolerance BIGINT,
    unit TEXT,
    start_date TEXT NOT NULL,
    due_date TEXT,
    status TEXT NOT NULL,
    progress_percent BIGINT,
    achieved_at BIGINT,
    note TEXT,
    created_by_type TEXT NOT NULL,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, goal_id)
) WITHOUT ROWID;
CREATE INDEX goal_active ON goal (company_id, client_id, kind) WHERE status = 'active';
CREATE INDEX goal_by_id ON goal (company_id, goal_id);
