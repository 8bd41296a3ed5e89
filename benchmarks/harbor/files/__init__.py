"""The files of a container, as scripts use them."""
