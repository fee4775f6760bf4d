-- Conversations that a person has left: what they wrote there is still theirs, and is emptied with them.
CREATE TABLE past_participant (
    company_id TEXT NOT NULL REFERENCES company (company_id),
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    PRIMARY KEY (company_id, user_id, conversation_id)
);
