"""The calls of a reply: how they are made, and what becomes of them."""
