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
