-- The client on whom sales to walk-in customers are booked.
ALTER TABLE finance_settings ADD COLUMN walk_in_client_id TEXT;
