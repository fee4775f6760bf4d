-- What days amount to, by scope: everything, a location, a coach, or both. The shard is 0 but for what is not
-- added up yet.
CREATE TABLE attendance_day (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    shard BIGINT NOT NULL,
    attended BIGINT NOT NULL,
    no_shows BIGINT NOT NULL,
    excused BIGINT NOT NULL,
    expected BIGINT NOT NULL,
    late_cancellations BIGINT NOT NULL,
    early_cancellations BIGINT NOT NULL,
    company_cancellations BIGINT NOT NULL,
    events BIGINT NOT NULL,
    capacity BIGINT NOT NULL,
    first_visits BIGINT NOT NULL,
    visitors_day BIGINT NOT NULL,
    visitors_week BIGINT NOT NULL,
    visitors_month BIGINT NOT NULL,
    PRIMARY KEY (company_id, scope, day, part, shard)
) WITHOUT ROWID;
CREATE INDEX attendance_day_apart ON attendance_day (shard) WHERE shard <> 0;

CREATE TABLE revenue_day (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    shard BIGINT NOT NULL,
    invoiced_net BIGINT NOT NULL,
    invoiced_vat BIGINT NOT NULL,
    invoiced_gross BIGINT NOT NULL,
    credited_net BIGINT NOT NULL,
    credited_vat BIGINT NOT NULL,
    credited_gross BIGINT NOT NULL,
    collected BIGINT NOT NULL,
    refunded BIGINT NOT NULL,
    disputes_opened BIGINT NOT NULL,
    disputes_lost BIGINT NOT NULL,
    PRIMARY KEY (company_id, scope, day, part, shard)
) WITHOUT ROWID;
CREATE INDEX revenue_day_apart ON revenue_day (shard) WHERE shard <> 0;

CREATE TABLE balance_day (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    shard BIGINT NOT NULL,
    outstanding BIGINT NOT NULL,
    mrr BIGINT NOT NULL,
    paused_mrr BIGINT NOT NULL,
    PRIMARY KEY (company_id, scope, day, part, shard)
) WITHOUT ROWID;
CREATE INDEX balance_day_apart ON balance_day (shard) WHERE shard <> 0;

CREATE TABLE members_day (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    shard BIGINT NOT NULL,
    joined BIGINT NOT NULL,
    returned BIGINT NOT NULL,
    left_members BIGINT NOT NULL,
    lost_day BIGINT NOT NULL,
    lost_week BIGINT NOT NULL,
    lost_month BIGINT NOT NULL,
    passing_day BIGINT NOT NULL,
    passing_week BIGINT NOT NULL,
    passing_month BIGINT NOT NULL,
    PRIMARY KEY (company_id, scope, day, part, shard)
) WITHOUT ROWID;
CREATE INDEX members_day_apart ON members_day (shard) WHERE shard <> 0;

-- Of those who first joined in a month (under its first day), how many more are members at the end of another (the part).
CREATE TABLE cohort_month (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    scope TEXT NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    shard BIGINT NOT NULL,
    joined BIGINT NOT NULL,
    alive BIGINT NOT NULL,
    PRIMARY KEY (company_id, scope, day, part, shard)
) WITHOUT ROWID;
CREATE INDEX cohort_month_apart ON cohort_month (shard) WHERE shard <> 0;

-- From when until when clients were members.
CREATE TABLE member_spell (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    started_on TEXT NOT NULL,
    ended_on TEXT,
    location_id TEXT,
    coach_id TEXT,
    PRIMARY KEY (company_id, client_id, started_on)
) WITHOUT ROWID;
CREATE INDEX member_spell_start ON member_spell (company_id, started_on);
CREATE INDEX member_spell_end ON member_spell (company_id, ended_on) WHERE ended_on IS NOT NULL;
CREATE INDEX member_spell_running ON member_spell (company_id, client_id) WHERE ended_on IS NULL;

-- Companies whose reports are to be made of what was before.
CREATE TABLE report_recount (
    company_id TEXT NOT NULL PRIMARY KEY REFERENCES company (company_id)
) WITHOUT ROWID;
INSERT INTO report_recount SELECT company_id FROM company;

CREATE INDEX booking_visit ON booking (company_id, client_id, starts_at)
    WHERE attendance_status = 'attended' AND status = 'booked';

-- The company's dates of what moves money, and the client's home location then.
ALTER TABLE payment ADD COLUMN settled_on TEXT;
ALTER TABLE payment ADD COLUMN home_location_id TEXT;
ALTER TABLE refund ADD COLUMN settled_on TEXT;
ALTER TABLE refund ADD COLUMN home_location_id TEXT;
ALTER TABLE chargeback ADD COLUMN opened_on TEXT;
ALTER TABLE chargeback ADD COLUMN closed_on TEXT;
ALTER TABLE chargeback ADD COLUMN home_location_id TEXT;
ALTER TABLE subscription ADD COLUMN home_location_id TEXT;
CREATE INDEX payment_settled ON payment (company_id, settled_on) WHERE settled_on IS NOT NULL;
CREATE INDEX payment_undated ON payment (company_id, payment_id) WHERE settled_on IS NULL AND settled_at IS NOT NULL;
CREATE INDEX refund_settled ON refund (company_id, settled_on) WHERE settled_on IS NOT NULL;
CREATE INDEX refund_undated ON refund (company_id, refund_id) WHERE settled_on IS NULL AND status = 'succeeded';
CREATE INDEX chargeback_undated ON chargeback (company_id, chargeback_id) WHERE opened_on IS NULL;
