-- To whom a client's bills are addressed, where that is a business.
CREATE TABLE billing_details (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    company_name TEXT,
    address TEXT,
    vat_number TEXT,
    registration_number TEXT,
    reverse_charge BOOLEAN NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;
