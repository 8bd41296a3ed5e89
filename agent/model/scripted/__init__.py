"""A model whose replies come from a file, and the form of this file."""
