"""Tasks about products, prices and stock."""
