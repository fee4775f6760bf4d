-- Work outside the database, from its cause until a week after its end.
CREATE TABLE job (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT,
    lease TEXT,
    error TEXT,
    ended_at BIGINT,
    PRIMARY KEY (company_id, kind, subject)
) WITHOUT ROWID;
CREATE INDEX job_due ON job (kind, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL;

-- Mail to coaches and clients. What it says is sealed, and forgotten when it has left.
CREATE TABLE mail (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    mail_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    about TEXT NOT NULL,
    status TEXT NOT NULL,
    content BLOB,
    error TEXT,
    created_at BIGINT NOT NULL,
    sent_at BIGINT,
    PRIMARY KEY (company_id, mail_id)
) WITHOUT ROWID;
CREATE INDEX mail_status ON mail (company_id, status, mail_id);
CREATE INDEX mail_about ON mail (company_id, about, kind, mail_id);
CREATE INDEX mail_made ON mail (mail_id);

-- What sets a password: an invitation, or a reset that somebody asked for.
ALTER TABLE invitation ADD COLUMN purpose TEXT NOT NULL DEFAULT 'invitation';

-- When managers were last told that a target fails.
ALTER TABLE webhook_subscription ADD COLUMN alerted_at BIGINT;
