"""Tasks about the stock of a branch: units for sale today, deliveries, and tables of stock."""
