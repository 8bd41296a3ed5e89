"""The processes from which children are forked, as the parent sees them."""
