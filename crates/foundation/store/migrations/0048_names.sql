-- Clients by name: last name first, without accents or case. Names of before are filled in beside traffic.
ALTER TABLE client ADD COLUMN sort_name TEXT NOT NULL DEFAULT '';
CREATE INDEX client_name ON client (company_id, sort_name, client_id) WHERE erased_at IS NULL;
