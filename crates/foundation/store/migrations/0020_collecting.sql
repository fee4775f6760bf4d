-- Through whom a company collects money, with the keys to it, sealed.
CREATE TABLE payment_provider (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    provider TEXT NOT NULL,
    keys BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id)
);

-- What is on its way for a request to pay: at most one payment is.
CREATE UNIQUE INDEX payment_answering ON payment (company_id, payment_request_id)
    WHERE payment_request_id IS NOT NULL AND status IN ('pending', 'processing');

-- What is to go back is found by its id alone.
CREATE UNIQUE INDEX refund_id ON refund (company_id, refund_id);
CREATE INDEX refund_pending ON refund (company_id, refund_id) WHERE status = 'pending';

-- Cards and accounts of clients, as the provider knows them.
CREATE TABLE payment_method (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_method_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    type TEXT NOT NULL,
    brand TEXT,
    last4 TEXT NOT NULL,
    exp_month BIGINT,
    exp_year BIGINT,
    holder_name TEXT,
    is_default BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    customer TEXT,
    token TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_method_id)
);
CREATE INDEX payment_method_client ON payment_method (company_id, client_id, payment_method_id);

-- Pages on which clients leave a card or an account.
CREATE TABLE payment_setup (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_setup_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    digest BLOB NOT NULL,
    status TEXT NOT NULL,
    reference TEXT,
    payment_method_id TEXT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_setup_id)
);
CREATE UNIQUE INDEX payment_setup_digest ON payment_setup (company_id, digest);

-- What of a payment stands with the provider. What was sent once is asked about before it is sent again.
CREATE TABLE provider_payment (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    reference TEXT,
    page_url TEXT,
    sent_at BIGINT,
    PRIMARY KEY (company_id, payment_id)
);

-- What a provider has told of, once; what it means is fetched from the provider.
CREATE TABLE provider_notice (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    provider_notice_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    event TEXT NOT NULL,
    about TEXT NOT NULL,
    reference TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, provider_notice_id)
);
CREATE INDEX provider_notice_age ON provider_notice (provider_notice_id);
CREATE UNIQUE INDEX provider_notice_event ON provider_notice (company_id, provider, event);

-- Money that a client's bank takes back.
CREATE TABLE chargeback (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    chargeback_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    currency TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL,
    reference TEXT NOT NULL,
    evidence_due_at BIGINT,
    closed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, chargeback_id)
);
CREATE UNIQUE INDEX chargeback_reference ON chargeback (company_id, reference);
CREATE INDEX chargeback_payment ON chargeback (company_id, payment_id);
CREATE INDEX chargeback_client ON chargeback (company_id, client_id, chargeback_id);
CREATE INDEX chargeback_status ON chargeback (company_id, status, chargeback_id);

-- The sandbox bank's own books. It knows nothing of ours but what it was told.
CREATE TABLE sandbox_payment (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    reference TEXT NOT NULL,
    token TEXT,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL,
    failure TEXT,
    refunded BIGINT NOT NULL,
    return_url TEXT,
    description TEXT NOT NULL,
    next TEXT,
    next_at BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, reference)
);
CREATE INDEX sandbox_payment_next ON sandbox_payment (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE sandbox_setup (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    reference TEXT NOT NULL,
    token TEXT,
    return_url TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, reference)
);
CREATE TABLE sandbox_refund (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    reference TEXT NOT NULL,
    payment TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (company_id, reference)
);
CREATE TABLE sandbox_dispute (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    reference TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL,
    evidence_due_at BIGINT,
    next TEXT,
    next_at BIGINT,
    PRIMARY KEY (company_id, reference)
);
CREATE INDEX sandbox_dispute_next ON sandbox_dispute (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE sandbox_notice (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    notice TEXT NOT NULL,
    about TEXT NOT NULL,
    reference TEXT NOT NULL,
    PRIMARY KEY (company_id, notice)
);
