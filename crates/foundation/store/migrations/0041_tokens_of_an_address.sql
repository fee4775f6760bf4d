-- The address that an access token was issued for (RFC 8707); null on those from before, which end within the hour.
ALTER TABLE mcp_token ADD COLUMN resource TEXT;
