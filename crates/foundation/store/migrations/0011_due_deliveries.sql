-- Due deliveries of a subscription in the order in which they are sent, so that a claim sorts nothing.
DROP INDEX webhook_delivery_due;
CREATE INDEX webhook_delivery_due
    ON webhook_delivery (company_id, subscription_id, attempts, due_at, delivery_id)
    WHERE due_at IS NOT NULL;

-- What becomes due when, whosever it is.
CREATE INDEX webhook_delivery_due_at ON webhook_delivery (due_at) WHERE due_at IS NOT NULL;
