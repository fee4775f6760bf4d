-- Browsers of clients that show notifications.
CREATE TABLE push_subscription (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    push_subscription_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    endpoint_digest BLOB NOT NULL,
    push_service TEXT NOT NULL,
    sealed BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, push_subscription_id)
) WITHOUT ROWID;
CREATE INDEX push_subscription_client ON push_subscription (company_id, client_id, push_subscription_id);
CREATE UNIQUE INDEX push_subscription_endpoint ON push_subscription (company_id, endpoint_digest);

-- What they are still to show. It is sealed, and deleted once it was sent.
CREATE TABLE push_notification (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    push_notification_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    push_subscription_id TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (company_id, push_notification_id)
) WITHOUT ROWID;
CREATE INDEX push_notification_client ON push_notification (company_id, client_id);
CREATE INDEX push_notification_made ON push_notification (push_notification_id);
