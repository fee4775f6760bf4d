-- Which notifications a company sends, and at which hours.
CREATE TABLE notification_settings (
    company_id TEXT NOT NULL PRIMARY KEY REFERENCES company (company_id),
    kinds TEXT NOT NULL,
    reminder_hours BIGINT NOT NULL,
    quiet_from TEXT,
    quiet_until TEXT,
    updated_at BIGINT
) WITHOUT ROWID;

-- Which of them a client wants.
CREATE TABLE notification_choices (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    kinds TEXT NOT NULL,
    updated_at BIGINT,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;

-- What a client has not been told yet, with what they know of it.
CREATE TABLE calendar_notice (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    known TEXT,
    message TEXT,
    prompt BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, client_id, kind, subject)
) WITHOUT ROWID;
