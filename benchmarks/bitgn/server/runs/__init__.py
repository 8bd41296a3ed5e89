"""The runs of a server, and what limits them."""
