-- The changes of totals that are not added up yet, so that adding them up need not look for them
-- among all totals.
CREATE INDEX tally_apart ON tally (shard) WHERE shard <> 0;
