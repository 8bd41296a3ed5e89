"""Solutions that score 1.0 for every family; players must not import them."""
