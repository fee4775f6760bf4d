CREATE TABLE webhook_subscription (
    company_id TEXT NOT NULL REFERENCES company,
    subscription_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    events TEXT NOT NULL,
    url TEXT NOT NULL,
    secret BLOB NOT NULL,
    secret_prefix TEXT NOT NULL,
    secret_last4 TEXT NOT NULL,
    secret_rotated_at BIGINT,
    previous_secret BLOB,
    previous_secret_until BIGINT,
    last_delivery_at BIGINT,
    last_success_at BIGINT,
    last_failure_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, subscription_id)
);

-- What active subscriptions listen for.
CREATE TABLE webhook_listener (
    company_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    subscription_id TEXT NOT NULL,
    PRIMARY KEY (company_id, event_type, subscription_id)
) WITHOUT ROWID;
CREATE INDEX webhook_listener_subscription ON webhook_listener (company_id, subscription_id);

-- due_at is when the next attempt may begin or, while one is under way, when its lease ends; a
-- delivery that is over has none.
CREATE TABLE webhook_delivery (
    company_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    subscription_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT,
    lease TEXT,
    lease_losses BIGINT NOT NULL,
    completed_at BIGINT,
    redelivery_id TEXT,
    PRIMARY KEY (company_id, delivery_id)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (company_id, subscription_id, attempts, due_at)
    WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_subscription ON webhook_delivery (company_id, subscription_id, delivery_id);
CREATE INDEX webhook_delivery_status ON webhook_delivery (company_id, status, delivery_id);

CREATE TABLE webhook_attempt (
    company_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    attempted_at BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    response_status BIGINT,
    response_preview TEXT,
    error TEXT,
    PRIMARY KEY (company_id, delivery_id, attempt)
);
