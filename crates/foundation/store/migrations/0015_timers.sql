-- What is due for a record at an instant, once.
CREATE TABLE timer (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (company_id, kind, subject)
) WITHOUT ROWID;
CREATE INDEX timer_due ON timer (due_at);

-- What became of timers, for a week.
CREATE TABLE timer_run (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    run_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    error TEXT,
    PRIMARY KEY (company_id, run_id)
) WITHOUT ROWID;
CREATE INDEX timer_run_made ON timer_run (run_id);
CREATE INDEX timer_run_failed ON timer_run (run_id) WHERE outcome = 'failed';

-- Work that is done again and again, for the installation as a whole, by one node at a time.
CREATE TABLE repeating (
    kind TEXT NOT NULL PRIMARY KEY,
    due_at BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    ran_at BIGINT,
    took_ms BIGINT,
    done BIGINT,
    error TEXT
) WITHOUT ROWID;
