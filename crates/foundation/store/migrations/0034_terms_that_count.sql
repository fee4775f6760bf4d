-- How many bytes of its beginning a client's term shares with the one before it, so that clients are counted by a beginning
-- without being told apart; and whether the client is archived. Until it is written anew a term counts for itself.
ALTER TABLE client_term ADD COLUMN shared BIGINT NOT NULL DEFAULT 0;
ALTER TABLE client_term ADD COLUMN archived BIGINT NOT NULL DEFAULT 0;
-- With all that is looked at, so that no engine takes the key of words to look at one client.
CREATE INDEX client_term_client ON client_term (company_id, client_id, term, shared, archived);
UPDATE client_term SET archived = 1 WHERE EXISTS (SELECT 1 FROM client c
    WHERE c.company_id = client_term.company_id AND c.client_id = client_term.client_id AND c.archived_at IS NOT NULL);

-- Of those who are there, so that pages far on step over them without looking at each.
DROP INDEX client_relationship;
DROP INDEX client_member;
DROP INDEX client_archived;
DROP INDEX client_coach;
CREATE INDEX client_relationship ON client (company_id, relationship_status, client_id) WHERE erased_at IS NULL;
CREATE INDEX client_member ON client (company_id, member_status, client_id) WHERE erased_at IS NULL;
CREATE INDEX client_archived ON client (company_id, (archived_at IS NOT NULL), client_id) WHERE erased_at IS NULL;
CREATE INDEX client_coach ON client (company_id, assigned_coach_id, client_id) WHERE erased_at IS NULL;
CREATE INDEX client_there ON client (company_id, client_id) WHERE erased_at IS NULL;
