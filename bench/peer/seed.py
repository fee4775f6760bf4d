"""Fills the peer's database: 40 companies of 5,000 clients, a token each. Usage: seed.py FILE"""

import hashlib
import sqlite3
import sys

COMPANIES, CLIENTS = 40, 5_000
NOTES = "Prefers early sessions. Had a knee operation; avoid deep squats and box jumps. Please ring the day before. " * 2
SCHEMA = """
CREATE TABLE clients (company_id BIGINT NOT NULL, id BIGINT NOT NULL, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
  email TEXT NOT NULL, phone TEXT, status TEXT NOT NULL, vip BOOLEAN NOT NULL, tags TEXT NOT NULL, notes TEXT,
  balance_cents BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (company_id, id));
CREATE INDEX clients_created ON clients (company_id, created_at DESC, id DESC);
CREATE TABLE idempotency (company_id BIGINT NOT NULL, key TEXT NOT NULL, status BIGINT NOT NULL, body TEXT NOT NULL,
  created_at BIGINT NOT NULL, req_hash TEXT, PRIMARY KEY (company_id, key));
CREATE TABLE audit (id BIGINT NOT NULL PRIMARY KEY, company_id BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  entity TEXT NOT NULL, entity_id BIGINT NOT NULL, diff TEXT NOT NULL, at BIGINT NOT NULL);
CREATE TABLE outbox (id BIGINT NOT NULL PRIMARY KEY, company_id BIGINT NOT NULL, topic TEXT NOT NULL, payload TEXT NOT NULL,
  at BIGINT NOT NULL, sent BOOLEAN NOT NULL);
CREATE TABLE api_tokens (digest TEXT NOT NULL PRIMARY KEY, company_id BIGINT NOT NULL, scopes TEXT NOT NULL, expires_at BIGINT NOT NULL);
"""


def clients():
    for company in range(1, COMPANIES + 1):
        for n in range(1, CLIENTS + 1):
            at = 1_700_000_000_000 + n * 60_000
            phone = f"+1555{n:07d}" if n % 3 else None
            yield (company, n, f"First {n}", f"Last {n}", f"client{n}@company{company}.example.com", phone, "active",
                   n % 2 == 0, '["gold","morning"]', NOTES, n * 7, at, at)


def tokens():
    for company in range(1, COMPANIES + 1):
        digest = hashlib.sha256(f"token-{company:02d}".encode()).hexdigest()
        yield digest, company, "clients:read clients:write", 4_102_444_800_000


db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA journal_mode=WAL")
db.executescript(SCHEMA)
db.executemany("INSERT INTO clients VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", clients())
db.executemany("INSERT INTO api_tokens VALUES (?,?,?,?)", tokens())
db.execute("ANALYZE")
db.commit()
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
