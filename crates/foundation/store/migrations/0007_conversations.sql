-- Messages are numbered from 1 within their conversation and never removed: a page of them is a range
-- of positions, and message_count is the last one. `pair` names the two people of a direct
-- conversation, so that they have one.
CREATE TABLE conversation (
    company_id TEXT NOT NULL REFERENCES company,
    conversation_id TEXT NOT NULL,
    conversation_type TEXT NOT NULL,
    name TEXT,
    description TEXT,
    participant_count BIGINT NOT NULL,
    message_count BIGINT NOT NULL,
    last_message_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    active_at BIGINT NOT NULL,
    pair TEXT,
    PRIMARY KEY (company_id, conversation_id)
);
CREATE UNIQUE INDEX conversation_pair ON conversation (company_id, pair) WHERE pair IS NOT NULL;
CREATE INDEX conversation_active ON conversation (company_id, active_at, conversation_id);
CREATE INDEX conversation_type ON conversation (company_id, conversation_type, active_at, conversation_id);

-- Who takes part; active_at follows the conversation's, so that a person's conversations are in order.
CREATE TABLE participant (
    company_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    role TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    seen_position BIGINT NOT NULL,
    seen_message_id TEXT,
    seen_at BIGINT,
    active_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, conversation_id, user_id)
);
CREATE INDEX participant_user ON participant (company_id, user_id, active_at, conversation_id);

-- A deleted message keeps its place and nothing of what it said.
CREATE TABLE message (
    company_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    message_id TEXT NOT NULL,
    conversation_type TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    sender_role TEXT NOT NULL,
    type TEXT NOT NULL,
    text TEXT,
    upload_id TEXT,
    file_name TEXT,
    media_type TEXT,
    size BIGINT,
    sent_at BIGINT NOT NULL,
    edited_at BIGINT,
    is_deleted BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, conversation_id, position)
);
CREATE UNIQUE INDEX message_id ON message (company_id, message_id);

-- Files that people have sent; their bytes are kept outside. What has an expiry is not in use: it is
-- still arriving, waits to be attached, or is to be forgotten.
CREATE TABLE upload (
    company_id TEXT NOT NULL REFERENCES company,
    upload_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (company_id, upload_id)
);
CREATE INDEX upload_expiry ON upload (expires_at) WHERE expires_at IS NOT NULL;

-- What people are told as it happens: entries numbered from 1 for each person.
CREATE TABLE live_feed (
    company_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (company_id, user_id)
);
CREATE TABLE live_entry (
    company_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, user_id, position)
);
CREATE INDEX live_entry_expiry ON live_entry (expires_at);
