-- The client who stands for walk-in customers: one of a company.
ALTER TABLE client ADD COLUMN is_walk_in BOOLEAN NOT NULL DEFAULT FALSE;
CREATE UNIQUE INDEX client_walk_in ON client (company_id) WHERE is_walk_in AND erased_at IS NULL;

-- The cash that was handed over, of which the rest was given back.
ALTER TABLE payment ADD COLUMN amount_received BIGINT;
