-- What was changed since an instant, of the lists that grow: how a company is copied and kept in step.
CREATE INDEX client_updated ON client (company_id, updated_at, client_id) WHERE erased_at IS NULL;
CREATE INDEX document_updated ON document (company_id, updated_at, document_id);
CREATE INDEX payment_request_updated ON payment_request (company_id, updated_at, payment_request_id);
CREATE INDEX booking_request_updated ON booking_request (company_id, updated_at, booking_request_id);
