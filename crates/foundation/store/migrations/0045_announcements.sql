-- One text to many clients.
CREATE TABLE announcement (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    announcement_id TEXT NOT NULL,
    audience TEXT NOT NULL,
    channels TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    status TEXT NOT NULL,
    send_at BIGINT NOT NULL,
    recipients BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    unreachable BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, announcement_id)
) WITHOUT ROWID;

-- Whom it is for, and what became of it for each.
CREATE TABLE announcement_recipient (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    announcement_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (company_id, announcement_id, client_id)
) WITHOUT ROWID;
CREATE INDEX announcement_recipient_client ON announcement_recipient (company_id, client_id);
