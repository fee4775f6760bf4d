-- The pair that a refresh token was exchanged for, sealed, where the operator lets it be asked for again.
ALTER TABLE mcp_token ADD COLUMN successor BLOB;

-- When an assistant last asked for an access token.
ALTER TABLE mcp_grant ADD COLUMN last_used_at BIGINT;
