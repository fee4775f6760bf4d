-- What a file is for, and, of a picture, how large it is and which file is its thumbnail.
ALTER TABLE upload ADD COLUMN purpose TEXT NOT NULL DEFAULT 'attachment';
ALTER TABLE upload ADD COLUMN width BIGINT;
ALTER TABLE upload ADD COLUMN height BIGINT;
ALTER TABLE upload ADD COLUMN thumbnail_id TEXT;

CREATE TABLE progress_photo (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    progress_photo_id TEXT NOT NULL,
    taken_on TEXT NOT NULL,
    pose TEXT NOT NULL,
    note TEXT,
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    upload_id TEXT NOT NULL,
    thumbnail_id TEXT NOT NULL,
    uploaded_by_type TEXT NOT NULL,
    uploaded_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, progress_photo_id)
) WITHOUT ROWID;
CREATE INDEX progress_photo_taken ON progress_photo (company_id, client_id, taken_on, progress_photo_id);
CREATE INDEX progress_photo_by_id ON progress_photo (company_id, progress_photo_id);

-- What clients eat.
CREATE TABLE nutrition_log (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    nutrition_log_id TEXT NOT NULL,
    date TEXT NOT NULL,
    meal_type TEXT NOT NULL,
    logged_at BIGINT NOT NULL,
    note TEXT,
    source TEXT NOT NULL,
    items TEXT NOT NULL,
    recorded_by_type TEXT NOT NULL,
    recorded_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, nutrition_log_id)
) WITHOUT ROWID;
CREATE INDEX nutrition_log_date ON nutrition_log (company_id, client_id, date, logged_at, nutrition_log_id);

-- What they are to eat, from a date on.
CREATE TABLE nutrition_target (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    from_date TEXT NOT NULL,
    target_id TEXT NOT NULL,
    amounts TEXT NOT NULL,
    set_by_type TEXT NOT NULL,
    set_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, from_date)
) WITHOUT ROWID;
