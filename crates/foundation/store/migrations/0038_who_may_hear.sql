-- The API client that made a subscription, and the events that it may not hear of as its scopes and consents stand.
ALTER TABLE webhook_subscription ADD COLUMN api_client_id TEXT;
ALTER TABLE webhook_subscription ADD COLUMN withheld TEXT NOT NULL DEFAULT '[]';
CREATE INDEX webhook_subscription_owner ON webhook_subscription (company_id, api_client_id) WHERE api_client_id IS NOT NULL;
