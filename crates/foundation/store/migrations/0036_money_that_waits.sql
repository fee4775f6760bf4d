-- Bills that are due while money of their client is held are looked at once, which pays them with it.
UPDATE timer SET due_at = 0 WHERE kind = 'chase_invoice' AND EXISTS (
    SELECT 1 FROM invoice i JOIN payment p ON p.company_id = i.company_id AND p.client_id = i.client_id
        AND p.currency = i.currency AND p.unallocated > 0 AND p.status = 'succeeded'
    WHERE i.company_id = timer.company_id AND i.invoice_id = timer.subject
        AND i.status IN ('open', 'overdue') AND i.balance > 0);
