"""Tasks about products: whether one exists, its SKU, its properties, its price."""
