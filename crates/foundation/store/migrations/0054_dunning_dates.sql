-- The company's date on which dunning last took a step: one that was late leaves as much time before the next as it would have.
ALTER TABLE invoice ADD COLUMN chased_on TEXT;
