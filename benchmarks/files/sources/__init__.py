"""The files that a question is about: found, read, known by their versions, chosen for a search."""
