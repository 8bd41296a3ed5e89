"""The products of a world, and how customers describe them."""
