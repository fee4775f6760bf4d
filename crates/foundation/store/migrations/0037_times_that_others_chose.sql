-- Until when a client leaves a booking free of charge whose time others have chosen, and how long that is.
ALTER TABLE booking ADD COLUMN free_until BIGINT;
ALTER TABLE company_policy ADD COLUMN change_grace_hours BIGINT NOT NULL DEFAULT 24;
