-- What the installation knows of itself; nothing in it is a company's.
CREATE TABLE installation (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
);
