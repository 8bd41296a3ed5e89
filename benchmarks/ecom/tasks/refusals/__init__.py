"""Truths that several families share, for requests that cannot be fulfilled as they are."""
