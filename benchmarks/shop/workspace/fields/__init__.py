"""The names that a shop gives to the fields of its records, found from samples of the records."""
