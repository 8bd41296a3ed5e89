"""Which file a path means, and which texts calls saw there."""
