-- What of a bill was paid, as it was issued, with money that the client had too much.
ALTER TABLE invoice ADD COLUMN prepaid_total BIGINT NOT NULL DEFAULT 0;
