"""Solutions that score 1.0 for every family; nothing that plays may import them."""
