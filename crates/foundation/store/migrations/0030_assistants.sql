-- Whether a client's assistants are let in, where somebody has said so of this client.
CREATE TABLE client_ai_access (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    ai_access TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;

-- Of which clients a company lets assistants in, where nobody has said so of one.
ALTER TABLE mcp_policy ADD COLUMN clients TEXT NOT NULL DEFAULT 'all';

-- Until when the metadata document of an assistant need not be fetched again; of registered ones nothing.
ALTER TABLE mcp_client ADD COLUMN fresh_until BIGINT;
