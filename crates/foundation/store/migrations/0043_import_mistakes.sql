-- What is not in order of a row, field by field, each rule in every language of the product.
ALTER TABLE import_row ADD COLUMN mistakes TEXT;
