-- Clients with what lists of them are filtered by: two filters at once are checked in the index, where each client was looked at
-- before. erased_at is in it because SQLite takes only an index with every column of a statement for one that covers it. Names
-- and instants of change are not: each change of a client would write more.
CREATE INDEX client_listed ON client
    (company_id, client_id, member_status, relationship_status, archived_at, assigned_coach_id, erased_at)
    WHERE erased_at IS NULL;
