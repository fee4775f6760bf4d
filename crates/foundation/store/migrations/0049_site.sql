-- The public site of a company: its face, and what strangers may do there.
CREATE TABLE site (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    slug TEXT NOT NULL,
    is_published BOOLEAN NOT NULL,
    tagline TEXT NOT NULL,
    about TEXT NOT NULL,
    accent_color TEXT,
    logo_id TEXT,
    cover_id TEXT,
    shows_coaches BOOLEAN NOT NULL,
    shows_products BOOLEAN NOT NULL,
    sign_up_policy TEXT NOT NULL,
    payment_choices TEXT NOT NULL,
    hold_minutes BIGINT NOT NULL,
    newcomer_form_ids TEXT NOT NULL,
    embed_origins TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id)
) WITHOUT ROWID;

-- Which company has a site's address: the one way from an address to a company.
CREATE TABLE site_address (
    slug TEXT NOT NULL,
    company_id TEXT NOT NULL REFERENCES company (company_id),
    is_published BOOLEAN NOT NULL,
    PRIMARY KEY (slug)
) WITHOUT ROWID;

CREATE INDEX site_address_company ON site_address (company_id);

-- Strangers who sign up, until they have confirmed their address.
CREATE TABLE sign_up (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    sign_up_id TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT,
    email TEXT NOT NULL,
    phone TEXT,
    language TEXT,
    message TEXT,
    choice TEXT NOT NULL,
    status TEXT NOT NULL,
    code_digest BLOB NOT NULL,
    attempts BIGINT NOT NULL,
    client_id TEXT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, sign_up_id)
) WITHOUT ROWID;
CREATE INDEX sign_up_email ON sign_up (company_id, email, created_at);
CREATE INDEX sign_up_client ON sign_up (company_id, client_id);
CREATE INDEX sign_up_expires ON sign_up (expires_at);

-- Seats of classes that are kept for a client for some minutes.
CREATE TABLE seat_hold (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    seat_hold_id TEXT NOT NULL,
    calendar_event_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, seat_hold_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX seat_hold_client ON seat_hold (company_id, client_id, calendar_event_id);
CREATE INDEX seat_hold_event ON seat_hold (company_id, calendar_event_id);

-- What clients buy by themselves, until it is paid.
CREATE TABLE shop_order (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    shop_order_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    name TEXT NOT NULL,
    price BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    currency TEXT NOT NULL,
    starts_on TEXT NOT NULL,
    payment_choice TEXT NOT NULL,
    status TEXT NOT NULL,
    calendar_event_id TEXT,
    booking_status TEXT NOT NULL,
    seat_held_until BIGINT,
    payment_request_id TEXT,
    client_product_id TEXT,
    invoice_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, shop_order_id)
) WITHOUT ROWID;
CREATE INDEX shop_order_client ON shop_order (company_id, client_id, shop_order_id);
CREATE INDEX shop_order_request ON shop_order (company_id, payment_request_id);
