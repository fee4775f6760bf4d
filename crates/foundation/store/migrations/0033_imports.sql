-- Files of other programs that are taken over: what each column is, and how far it is.
CREATE TABLE import (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    import_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    file_name TEXT,
    columns TEXT NOT NULL,
    date_order TEXT NOT NULL,
    member_status TEXT,
    run_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, import_id)
) WITHOUT ROWID;
CREATE INDEX import_run ON import (company_id, run_id);
CREATE INDEX import_expiry ON import (expires_at);

-- Their rows: what each said, what is wrong with it, and the record that it became.
CREATE TABLE import_row (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    import_id TEXT NOT NULL,
    line BIGINT NOT NULL,
    cells TEXT NOT NULL,
    state TEXT NOT NULL,
    field TEXT,
    rule TEXT,
    record_id TEXT,
    client_id TEXT,
    invoice_id TEXT,
    PRIMARY KEY (company_id, import_id, line)
) WITHOUT ROWID;
CREATE INDEX import_row_state ON import_row (company_id, import_id, state, line);
CREATE INDEX import_row_client ON import_row (company_id, client_id) WHERE client_id IS NOT NULL;
