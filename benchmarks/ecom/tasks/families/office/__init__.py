"""Tasks about people, branches, documents, files, and requests to refuse."""
