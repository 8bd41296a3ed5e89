"""Tasks about baskets: one more product, a checkout, a status."""
