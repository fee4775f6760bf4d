-- What assistants were told would happen, until it is confirmed or its time is over.
CREATE TABLE confirmation (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    digest BLOB NOT NULL,
    call BLOB NOT NULL,
    told BLOB NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, digest)
) WITHOUT ROWID;
CREATE INDEX confirmation_expires ON confirmation (expires_at);
