"""Solutions of the tasks about people, branches, documents, files, and requests to refuse."""
