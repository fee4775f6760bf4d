-- Folders stand in each other; documents stand in one or in none.
CREATE TABLE document_folder (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    folder_id TEXT NOT NULL,
    name TEXT NOT NULL,
    parent_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, folder_id)
) WITHOUT ROWID;
CREATE INDEX document_folder_parent ON document_folder (company_id, parent_id, folder_id);

CREATE TABLE document (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    document_id TEXT NOT NULL,
    client_id TEXT,
    folder_id TEXT,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    source TEXT NOT NULL,
    url TEXT,
    file_name TEXT,
    media_type TEXT,
    size_bytes BIGINT,
    upload_id TEXT,
    expires_on TEXT,
    status TEXT NOT NULL,
    archived_at BIGINT,
    created_by_type TEXT NOT NULL,
    created_by TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, document_id)
) WITHOUT ROWID;
CREATE INDEX document_client ON document (company_id, client_id, document_id);
CREATE INDEX document_folder_documents ON document (company_id, folder_id, document_id);
CREATE INDEX document_type ON document (company_id, type, document_id);
CREATE INDEX document_expires ON document (company_id, expires_on, document_id) WHERE expires_on IS NOT NULL;
