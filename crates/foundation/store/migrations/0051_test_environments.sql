-- Test environments of companies, each with a database of its own, and the clock of such an environment within it.
CREATE TABLE test_environment (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id)
);
CREATE TABLE test_clock (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    offset_ms BIGINT NOT NULL,
    advance_to BIGINT,
    PRIMARY KEY (company_id)
);
