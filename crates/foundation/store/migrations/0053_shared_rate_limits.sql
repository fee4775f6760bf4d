-- What the nodes of an installation have taken of an API client's requests, in the minute that it is in.
CREATE TABLE api_client_window (
    company_id TEXT NOT NULL REFERENCES company,
    api_client_id TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    -- What of it was taken last.
    granted BIGINT NOT NULL,
    PRIMARY KEY (company_id, api_client_id)
);
