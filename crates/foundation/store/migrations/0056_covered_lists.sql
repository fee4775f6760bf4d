-- Clients in each order that they are listed in, with what lists are filtered by: two filters at once are checked in the index,
-- where each client was looked at before. erased_at is in them because SQLite takes only an index with every column of a
-- statement for one that covers it.
CREATE INDEX client_listed ON client
    (company_id, client_id, member_status, relationship_status, archived_at, assigned_coach_id, erased_at)
    WHERE erased_at IS NULL;
CREATE INDEX client_listed_by_name ON client
    (company_id, sort_name, client_id, member_status, relationship_status, archived_at, assigned_coach_id, erased_at)
    WHERE erased_at IS NULL;
CREATE INDEX client_listed_by_update ON client
    (company_id, updated_at, client_id, member_status, relationship_status, archived_at, assigned_coach_id, erased_at)
    WHERE erased_at IS NULL;
DROP INDEX client_there;
DROP INDEX client_name;
DROP INDEX client_updated;
