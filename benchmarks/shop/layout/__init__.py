"""A shop as its workspace shows it: kinds and fields of records, policies, branches, products, payments."""
