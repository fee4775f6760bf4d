-- One row an account with a second step, or on the way to one: the secret that its authenticator has, sealed.
CREATE TABLE second_step (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    secret BLOB NOT NULL,
    used_interval BIGINT NOT NULL,
    enabled_at BIGINT,
    PRIMARY KEY (company_id, subject, subject_id)
) WITHOUT ROWID;

-- One row a recovery code that was not used.
CREATE TABLE recovery_code (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    digest BLOB NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    PRIMARY KEY (company_id, digest)
) WITHOUT ROWID;
CREATE INDEX recovery_code_subject ON recovery_code (company_id, subject, subject_id);

-- Whether a coach signs in with one, and whether the company demands it of managers.
ALTER TABLE coach ADD COLUMN second_step BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE company ADD COLUMN second_step_demanded BOOLEAN NOT NULL DEFAULT FALSE;
