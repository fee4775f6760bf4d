-- Clients who are erased: how far it is, of what their record and others held.
ALTER TABLE client ADD COLUMN erased_at BIGINT;
CREATE TABLE client_erasure (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested_by_type TEXT NOT NULL,
    requested_by TEXT,
    requested_at BIGINT NOT NULL,
    completed_at BIGINT,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;
-- Which client mail went to, at whatever address.
ALTER TABLE mail ADD COLUMN client_id TEXT;
CREATE INDEX mail_client ON mail (company_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX calendar_task_client ON calendar_task (company_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX workout_group_client ON workout_group_member (company_id, client_id, group_id);

-- What clients take with them: who asked for it, and until when the file is kept.
CREATE TABLE data_export (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    data_export_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    status TEXT NOT NULL,
    requested_by_type TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ready_at BIGINT,
    size_bytes BIGINT,
    expires_at BIGINT,
    kept_until BIGINT,
    PRIMARY KEY (company_id, data_export_id)
) WITHOUT ROWID;
CREATE INDEX data_export_client ON data_export (company_id, client_id, requested_by_type, data_export_id);
CREATE INDEX data_export_kept ON data_export (kept_until) WHERE kept_until IS NOT NULL;

-- What clients have consented to be kept of their health, where the company asks for it.
ALTER TABLE company ADD COLUMN health_consent_enabled BOOLEAN NOT NULL DEFAULT FALSE;
CREATE TABLE health_consent (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    given_at BIGINT,
    withdrawn_at BIGINT,
    version TEXT,
    recorded_by_type TEXT,
    recorded_by TEXT,
    PRIMARY KEY (company_id, client_id)
) WITHOUT ROWID;

-- What measurements amount to, by day and by month (under its first date).
CREATE TABLE measurement_sum (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    grain TEXT NOT NULL,
    span TEXT NOT NULL,
    type TEXT NOT NULL,
    count BIGINT NOT NULL,
    minimum BIGINT,
    maximum BIGINT,
    total BIGINT,
    systolic_minimum BIGINT,
    systolic_maximum BIGINT,
    systolic_total BIGINT,
    diastolic_minimum BIGINT,
    diastolic_maximum BIGINT,
    diastolic_total BIGINT,
    PRIMARY KEY (company_id, client_id, grain, span, type)
) WITHOUT ROWID;
INSERT INTO measurement_sum SELECT company_id, client_id, 'day', measured_on, type, COUNT(*), MIN(value), MAX(value),
    CAST(SUM(value) AS BIGINT), MIN(systolic), MAX(systolic), CAST(SUM(systolic) AS BIGINT), MIN(diastolic),
    MAX(diastolic), CAST(SUM(diastolic) AS BIGINT)
    FROM measurement WHERE status = 'recorded' GROUP BY company_id, client_id, measured_on, type;
INSERT INTO measurement_sum SELECT company_id, client_id, 'month', substr(span, 1, 7) || '-01', type,
    CAST(SUM(count) AS BIGINT), MIN(minimum), MAX(maximum), CAST(SUM(total) AS BIGINT), MIN(systolic_minimum),
    MAX(systolic_maximum), CAST(SUM(systolic_total) AS BIGINT), MIN(diastolic_minimum), MAX(diastolic_maximum),
    CAST(SUM(diastolic_total) AS BIGINT)
    FROM measurement_sum WHERE grain = 'day' GROUP BY company_id, client_id, substr(span, 1, 7), type;
