-- Expired invitations are pruned without reading the others.
CREATE INDEX invitation_expiry ON invitation (expires_at);
