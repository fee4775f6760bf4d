-- The answer to a write under its idempotency key, inserted with the commit of that write: one row
-- says that the key was used, for what, and what was answered.
CREATE TABLE stored_answer (
    company_id TEXT NOT NULL,
    caller_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    status BIGINT NOT NULL,
    answer BLOB NOT NULL,
    sealed BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, caller_id, idempotency_key)
);

INSERT INTO stored_answer
SELECT i.company_id, i.caller_id, i.idempotency_key, i.fingerprint, i.expires_at, a.status, a.answer, a.sealed
FROM idempotency i JOIN idempotency_answer a
ON a.company_id = i.company_id AND a.caller_id = i.caller_id AND a.idempotency_key = i.idempotency_key;

DROP TABLE idempotency_answer;
DROP TABLE idempotency;
CREATE INDEX stored_answer_expiry ON stored_answer (expires_at);
