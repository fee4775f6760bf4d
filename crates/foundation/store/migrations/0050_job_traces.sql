-- The trace that a job was begun in (W3C Trace Context), where traces are sent.
ALTER TABLE job ADD COLUMN trace_parent TEXT;
