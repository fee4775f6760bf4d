-- What stood for client_listed before. Apart, because who builds an index holds a lock on the table, and would wait for another one.
DROP INDEX IF EXISTS client_there;
