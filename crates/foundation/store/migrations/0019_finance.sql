-- How a company bills, where it has said so; one row, and none while everything is as it comes.
CREATE TABLE finance_settings (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    seller TEXT NOT NULL,
    payment_days BIGINT NOT NULL,
    billing_anchor TEXT NOT NULL,
    first_period TEXT NOT NULL,
    pause_billing TEXT NOT NULL,
    pause_days_a_year BIGINT NOT NULL,
    pause_needs_approval BOOLEAN NOT NULL,
    cancellation_end TEXT NOT NULL,
    cancellation_needs_approval BOOLEAN NOT NULL,
    retry_days TEXT NOT NULL,
    reminder_days TEXT NOT NULL,
    write_off_days BIGINT NOT NULL,
    fee_vat_percentage BIGINT NOT NULL,
    mail_invoices BOOLEAN NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id)
);

-- The last number of a series in a year, and the date that it was given on: dates never go back.
CREATE TABLE invoice_series (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    series TEXT NOT NULL,
    year BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    last_date TEXT NOT NULL,
    PRIMARY KEY (company_id, series, year)
) WITHOUT ROWID;

-- Invoices and credit notes. Nothing of one is edited: credit notes correct.
CREATE TABLE invoice (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    invoice_id TEXT NOT NULL,
    number TEXT NOT NULL,
    series TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    collection TEXT NOT NULL,
    client_id TEXT NOT NULL,
    subscription_id TEXT,
    client_product_id TEXT,
    corrects_invoice_id TEXT,
    home_location_id TEXT,
    currency TEXT NOT NULL,
    issue_date TEXT NOT NULL,
    due_date TEXT NOT NULL,
    period_start TEXT,
    period_end TEXT,
    net_total BIGINT NOT NULL,
    tax_total BIGINT NOT NULL,
    gross_total BIGINT NOT NULL,
    paid_total BIGINT NOT NULL,
    credited_total BIGINT NOT NULL,
    balance BIGINT NOT NULL,
    seller TEXT NOT NULL,
    buyer TEXT NOT NULL,
    lines TEXT NOT NULL,
    taxes TEXT NOT NULL,
    reason TEXT,
    language TEXT NOT NULL,
    sent_at BIGINT,
    reminder_count BIGINT NOT NULL,
    chased_days BIGINT NOT NULL,
    paid_at BIGINT,
    cancelled_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, invoice_id)
);
CREATE UNIQUE INDEX invoice_number ON invoice (company_id, number);
CREATE UNIQUE INDEX invoice_of_period ON invoice (company_id, subscription_id, period_start)
    WHERE subscription_id IS NOT NULL AND kind = 'invoice';
CREATE INDEX invoice_client ON invoice (company_id, client_id, invoice_id);
CREATE INDEX invoice_status ON invoice (company_id, status, invoice_id);
CREATE INDEX invoice_due ON invoice (company_id, client_id, due_date, invoice_id) WHERE balance > 0;
CREATE INDEX invoice_issued ON invoice (company_id, issue_date, invoice_id);
CREATE INDEX invoice_updated ON invoice (company_id, updated_at, invoice_id);
CREATE INDEX invoice_corrects ON invoice (company_id, corrects_invoice_id) WHERE corrects_invoice_id IS NOT NULL;

-- Money that came, or is to come.
CREATE TABLE payment (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    invoice_id TEXT,
    payment_request_id TEXT,
    payment_method_id TEXT,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    unallocated BIGINT NOT NULL,
    refunded_total BIGINT NOT NULL,
    disputed_total BIGINT NOT NULL,
    failure_code TEXT,
    attempt BIGINT NOT NULL,
    reference TEXT,
    settled_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_id)
);
CREATE UNIQUE INDEX payment_unfinished ON payment (company_id, invoice_id)
    WHERE invoice_id IS NOT NULL AND status IN ('pending', 'processing');
CREATE INDEX payment_client ON payment (company_id, client_id, payment_id);
CREATE INDEX payment_invoice ON payment (company_id, invoice_id, payment_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX payment_status ON payment (company_id, status, payment_id);
CREATE INDEX payment_updated ON payment (company_id, updated_at, payment_id);
CREATE INDEX payment_unallocated ON payment (company_id, client_id, payment_id) WHERE unallocated > 0;

-- Requests to pay, each with a page of its own.
CREATE TABLE payment_request (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_request_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    invoice_id TEXT,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    token BLOB NOT NULL,
    digest BLOB NOT NULL,
    expires_at BIGINT NOT NULL,
    paid_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_request_id)
);
CREATE UNIQUE INDEX payment_request_digest ON payment_request (company_id, digest);
CREATE INDEX payment_request_client ON payment_request (company_id, client_id, payment_request_id);
CREATE INDEX payment_request_status ON payment_request (company_id, status, payment_request_id);
CREATE INDEX payment_request_invoice ON payment_request (company_id, invoice_id) WHERE invoice_id IS NOT NULL;

-- What of a payment an invoice was paid with.
CREATE TABLE allocation (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_id TEXT NOT NULL,
    invoice_id TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_id, invoice_id)
) WITHOUT ROWID;
CREATE INDEX allocation_invoice ON allocation (company_id, invoice_id, payment_id);

-- Money that goes back.
CREATE TABLE refund (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    payment_id TEXT NOT NULL,
    refund_id TEXT NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, payment_id, refund_id)
) WITHOUT ROWID;

-- What a client was sold, on the terms of that day.
CREATE TABLE client_product (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_product_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    product_type TEXT NOT NULL,
    name TEXT NOT NULL,
    terms TEXT NOT NULL,
    invoice_id TEXT,
    subscription_id TEXT,
    status TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    days_used BIGINT NOT NULL,
    granted_until TEXT NOT NULL,
    external_id TEXT,
    revoked_at BIGINT,
    revoke_reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_product_id)
);
CREATE INDEX client_product_client ON client_product (company_id, client_id, client_product_id);
CREATE UNIQUE INDEX client_product_external ON client_product (company_id, external_id) WHERE external_id IS NOT NULL;

-- Memberships: what is paid for again and again, or for a term.
CREATE TABLE subscription (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    subscription_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_product_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    price BIGINT NOT NULL,
    currency TEXT NOT NULL,
    vat_percentage BIGINT NOT NULL,
    period TEXT NOT NULL,
    auto_renew BOOLEAN NOT NULL,
    notice_period TEXT NOT NULL,
    collection TEXT NOT NULL,
    payment_method_id TEXT,
    start_date TEXT NOT NULL,
    anchor_date TEXT NOT NULL,
    paid_until TEXT NOT NULL,
    next_billing_date TEXT,
    minimum_end_date TEXT,
    end_date TEXT,
    pauses TEXT NOT NULL,
    skipped_periods BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, subscription_id)
);
CREATE INDEX subscription_client ON subscription (company_id, client_id, subscription_id);
CREATE INDEX subscription_status ON subscription (company_id, status, subscription_id);
CREATE INDEX subscription_billing ON subscription (company_id, next_billing_date, subscription_id)
    WHERE next_billing_date IS NOT NULL;
CREATE INDEX subscription_updated ON subscription (company_id, updated_at, subscription_id);

-- Wishes to pause or to cancel.
CREATE TABLE subscription_request (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    subscription_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    pause_from TEXT,
    pause_until TEXT,
    end_date TEXT,
    reason TEXT,
    requested_by TEXT NOT NULL,
    answered_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, subscription_id, request_id)
) WITHOUT ROWID;
CREATE INDEX subscription_request_pending ON subscription_request (company_id, request_id) WHERE status = 'pending';

-- Credits that were given together, and what of them is left.
CREATE TABLE credit_lot (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    credit_lot_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_product_id TEXT,
    pool_key TEXT,
    grant_number BIGINT,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    granted BIGINT NOT NULL,
    remaining BIGINT NOT NULL,
    held BIGINT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, credit_lot_id)
);
CREATE INDEX credit_lot_client ON credit_lot (company_id, client_id, status, credit_lot_id);
CREATE UNIQUE INDEX credit_lot_grant ON credit_lot (company_id, client_product_id, COALESCE(pool_key, ''), grant_number)
    WHERE client_product_id IS NOT NULL AND grant_number IS NOT NULL;

-- Every change of a lot, in order; nothing of it is ever changed.
CREATE TABLE credit_entry (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    credit_entry_id TEXT NOT NULL,
    credit_lot_id TEXT NOT NULL,
    pool_key TEXT,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    booking_id TEXT,
    reason TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, credit_entry_id)
);
CREATE INDEX credit_entry_lot ON credit_entry (company_id, credit_lot_id, credit_entry_id);

-- What a booking takes: credits of a lot, a day of a pass, or a place under a membership.
CREATE TABLE entitlement_hold (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    booking_id TEXT NOT NULL,
    part_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    source TEXT NOT NULL,
    client_product_id TEXT,
    day TEXT NOT NULL,
    units BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, booking_id, part_id)
) WITHOUT ROWID;
CREATE INDEX entitlement_hold_product ON entitlement_hold (company_id, client_product_id, day)
    WHERE client_product_id IS NOT NULL;

-- Fees that are due with the client's next bill.
CREATE TABLE pending_charge (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    client_id TEXT NOT NULL,
    pending_charge_id TEXT NOT NULL,
    booking_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    invoice_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, pending_charge_id)
) WITHOUT ROWID;
CREATE INDEX pending_charge_booking ON pending_charge (company_id, booking_id);

-- Pools whose credits pay for what is booked, beside credits that pay for everything.
ALTER TABLE event_type ADD COLUMN credit_pools TEXT NOT NULL DEFAULT '[]';
