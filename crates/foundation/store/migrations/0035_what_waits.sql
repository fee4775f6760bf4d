-- What is looked through on the first page of every day: who stayed away, whose plan ends, whose credits are used up.
CREATE INDEX booking_missed ON booking (company_id, starts_at, booking_id) WHERE attendance_status = 'no_show';
CREATE INDEX workout_plan_end ON workout_plan (company_id, end_date, plan_id) WHERE client_id IS NOT NULL;
CREATE INDEX credit_lot_empty ON credit_lot (company_id, updated_at, credit_lot_id)
    WHERE remaining <= held AND source <> 'debt';

-- There an index holds nothing but its columns: with these, clients are counted by terms, and stepped over, without a look
-- at their rows.
-- PostgreSQL: ALTER TABLE client_term DROP CONSTRAINT client_term_pkey;
-- PostgreSQL: ALTER TABLE client_term ADD PRIMARY KEY (company_id, term, client_id) INCLUDE (shared, archived);
-- PostgreSQL: CREATE INDEX client_open ON client (company_id, client_id) WHERE erased_at IS NULL AND archived_at IS NULL;
