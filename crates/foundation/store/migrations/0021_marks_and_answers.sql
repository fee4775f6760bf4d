-- Where pages far on begin: invoices and payments by the beginnings of their ids.

INSERT INTO tally (company_id, subject, shard, amount)
    SELECT company_id, 'invoices@' || substr(invoice_id, 1, 5), 0, COUNT(*)
    FROM invoice GROUP BY company_id, substr(invoice_id, 1, 5);

INSERT INTO tally (company_id, subject, shard, amount)
    SELECT company_id, 'payments@' || substr(payment_id, 1, 5), 0, COUNT(*)
    FROM payment GROUP BY company_id, substr(payment_id, 1, 5);

-- What was to answer a request to pay, whatever became of it.
CREATE INDEX payment_answers ON payment (company_id, payment_request_id, payment_id)
    WHERE payment_request_id IS NOT NULL;
