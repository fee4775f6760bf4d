-- Since when the operator keeps a company's people and integrations out.
ALTER TABLE company ADD COLUMN suspended_at BIGINT;

-- The oldest version of the schema whose binaries work with this one.
ALTER TABLE schema_version ADD COLUMN compatible_from BIGINT;
