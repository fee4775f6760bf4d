-- What is asked of clients, and what they answer.
CREATE TABLE form (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    form_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT,
    draft_version BIGINT,
    question_types TEXT NOT NULL,
    created_by_type TEXT NOT NULL,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, form_id)
) WITHOUT ROWID;

-- A version without an instant of publication is the draft.
CREATE TABLE form_version (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    form_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    questions TEXT NOT NULL,
    published_at BIGINT,
    PRIMARY KEY (company_id, form_id, version)
) WITHOUT ROWID;

CREATE TABLE form_assignment (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    assignment_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    form_id TEXT NOT NULL,
    form_version BIGINT NOT NULL,
    form_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT,
    assigned_by_type TEXT NOT NULL,
    assigned_by TEXT,
    due_at BIGINT,
    expires_at BIGINT,
    series_id TEXT,
    submission_id TEXT,
    submissions BIGINT NOT NULL,
    submitted_at BIGINT,
    flagged BOOLEAN NOT NULL,
    review TEXT,
    reviewed_by_type TEXT,
    reviewed_by TEXT,
    reviewed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, assignment_id)
) WITHOUT ROWID;
CREATE INDEX form_assignment_client ON form_assignment (company_id, client_id, assignment_id);
CREATE INDEX form_assignment_kind ON form_assignment (company_id, kind, assignment_id);
CREATE INDEX form_assignment_open ON form_assignment (company_id, client_id, assignment_id)
    WHERE status IN ('assigned', 'in_progress');
CREATE INDEX form_assignment_series ON form_assignment (company_id, series_id, assignment_id)
    WHERE series_id IS NOT NULL;

CREATE TABLE form_draft (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    assignment_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    answers TEXT NOT NULL,
    saved_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, assignment_id)
) WITHOUT ROWID;

CREATE TABLE form_submission (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    submission_id TEXT NOT NULL,
    assignment_id TEXT NOT NULL,
    form_id TEXT NOT NULL,
    form_version BIGINT NOT NULL,
    form_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    answers TEXT NOT NULL,
    flagged BOOLEAN NOT NULL,
    submitted_by_type TEXT NOT NULL,
    submitted_by TEXT,
    submitted_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, submission_id)
) WITHOUT ROWID;
CREATE INDEX form_submission_assignment ON form_submission (company_id, assignment_id, submission_id);

-- Files that answer a question. Without a submission one belongs to the draft.
CREATE TABLE form_file (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    file_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    assignment_id TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    submitted BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, file_id)
) WITHOUT ROWID;
CREATE INDEX form_file_assignment ON form_file (company_id, assignment_id, file_id);

CREATE TABLE checkup_series (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    series_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    form_id TEXT NOT NULL,
    frequency TEXT NOT NULL,
    every BIGINT NOT NULL,
    start_date TEXT NOT NULL,
    time TEXT NOT NULL,
    due_days BIGINT,
    due_time TEXT,
    until TEXT,
    message TEXT,
    next_number BIGINT NOT NULL,
    next_date TEXT,
    status TEXT NOT NULL,
    assigned_by_type TEXT NOT NULL,
    assigned_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, series_id)
) WITHOUT ROWID;
CREATE INDEX checkup_series_client ON checkup_series (company_id, client_id, series_id);
