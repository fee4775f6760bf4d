-- One row a browser that is signed in to the pages, by the digest of what its cookie holds.
CREATE TABLE browser_session (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    session_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    browser TEXT NOT NULL,
    remembered BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    sure_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, session_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX browser_session_digest ON browser_session (company_id, digest);
CREATE INDEX browser_session_subject ON browser_session (company_id, subject, subject_id);
CREATE INDEX browser_session_expiry ON browser_session (expires_at);

-- The files of a client who is erased are found whatever became of the forms that they were sent with.
CREATE INDEX form_file_client ON form_file (company_id, client_id, file_id);
