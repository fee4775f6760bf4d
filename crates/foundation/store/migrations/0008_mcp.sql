-- Assistants that have registered themselves, with no company yet; who has been let in has no expiry.
CREATE TABLE mcp_client (
    client_id TEXT NOT NULL PRIMARY KEY,
    client_name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);
CREATE UNIQUE INDEX mcp_client_digest ON mcp_client (digest);
CREATE INDEX mcp_client_expiry ON mcp_client (expires_at) WHERE expires_at IS NOT NULL;

-- Requests for consent, each used once; a person's, with their company, once they have signed in.
CREATE TABLE mcp_request (
    digest BLOB NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    modules TEXT,
    state TEXT,
    expires_at BIGINT NOT NULL,
    company_id TEXT,
    subject TEXT,
    subject_id TEXT,
    session_digest BLOB
);
CREATE INDEX mcp_request_expiry ON mcp_request (expires_at);

-- What a person has allowed an assistant to do for them.
CREATE TABLE mcp_grant (
    company_id TEXT NOT NULL REFERENCES company,
    grant_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    modules TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revoked_at BIGINT,
    PRIMARY KEY (company_id, grant_id)
);
CREATE INDEX mcp_grant_subject ON mcp_grant (company_id, subject, subject_id, grant_id);

CREATE TABLE mcp_code (
    company_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    grant_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    used BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, digest)
);
CREATE INDEX mcp_code_expiry ON mcp_code (expires_at);

-- Access and refresh tokens; a refresh token that was exchanged stays, so that its reuse is noticed.
CREATE TABLE mcp_token (
    company_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    kind TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    rotated_at BIGINT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, digest)
);
CREATE INDEX mcp_token_grant ON mcp_token (company_id, grant_id);
CREATE INDEX mcp_token_expiry ON mcp_token (expires_at);

-- Static keys for scripts, made by a manager and acting for them.
CREATE TABLE mcp_key (
    company_id TEXT NOT NULL REFERENCES company,
    key_id TEXT NOT NULL,
    name TEXT NOT NULL,
    coach_id TEXT NOT NULL,
    modules TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    last4 TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revoked_at BIGINT,
    digest BLOB NOT NULL,
    PRIMARY KEY (company_id, key_id)
);
CREATE UNIQUE INDEX mcp_key_digest ON mcp_key (company_id, digest);

-- What clients' assistants may be allowed; everything where nothing is said.
CREATE TABLE mcp_policy (
    company_id TEXT NOT NULL PRIMARY KEY REFERENCES company,
    client_modules TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- The grant or key through which an actor acted.
ALTER TABLE audit_log ADD COLUMN through_id TEXT;
