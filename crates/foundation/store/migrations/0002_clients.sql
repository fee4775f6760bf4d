CREATE TABLE client (
    company_id TEXT NOT NULL REFERENCES company,
    client_id TEXT NOT NULL,
    external_id TEXT,
    first_name TEXT NOT NULL,
    last_name TEXT,
    email TEXT,
    phone TEXT,
    date_of_birth TEXT,
    gender TEXT,
    language TEXT,
    time_zone TEXT,
    address TEXT,
    emergency_contact TEXT,
    opt_ins TEXT NOT NULL,
    source TEXT,
    home_location_id TEXT,
    assigned_coach_id TEXT,
    relationship_status TEXT NOT NULL,
    member_status TEXT NOT NULL,
    portal_access_status TEXT NOT NULL,
    tags TEXT NOT NULL,
    archived_at BIGINT,
    archive_reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id)
);
CREATE INDEX client_email ON client (company_id, email) WHERE email IS NOT NULL;
CREATE INDEX client_external ON client (company_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX client_relationship ON client (company_id, relationship_status, client_id);
CREATE INDEX client_member ON client (company_id, member_status, client_id);
CREATE INDEX client_archived ON client (company_id, (archived_at IS NOT NULL), client_id);
CREATE INDEX client_coach ON client (company_id, assigned_coach_id, client_id);

-- The words a client is found by: names, e-mail address and its parts, ends of the phone number.
CREATE TABLE client_term (
    company_id TEXT NOT NULL,
    term TEXT NOT NULL,
    client_id TEXT NOT NULL,
    PRIMARY KEY (company_id, term, client_id)
) WITHOUT ROWID;

CREATE TABLE client_tag (
    company_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    client_id TEXT NOT NULL,
    PRIMARY KEY (company_id, tag, client_id)
) WITHOUT ROWID;

CREATE TABLE client_step (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    step_id TEXT NOT NULL,
    type TEXT NOT NULL,
    actor_type TEXT NOT NULL,
    actor_id TEXT,
    changes TEXT NOT NULL,
    PRIMARY KEY (company_id, client_id, step_id)
);

CREATE TABLE client_note (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    note_id TEXT NOT NULL,
    title TEXT,
    body TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, note_id)
);

CREATE TABLE custom_field (
    company_id TEXT NOT NULL,
    field_id TEXT NOT NULL,
    field_key TEXT NOT NULL,
    label TEXT NOT NULL,
    type TEXT NOT NULL,
    options TEXT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, field_id)
);
CREATE UNIQUE INDEX custom_field_key ON custom_field (company_id, field_key);

CREATE TABLE custom_value (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    field_id TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, field_id)
);
