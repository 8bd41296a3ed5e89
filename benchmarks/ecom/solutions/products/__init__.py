"""Solutions of the tasks about products, prices and stock."""
