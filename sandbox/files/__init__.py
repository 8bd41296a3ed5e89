"""Files as a world for scripts: the in-memory tree, a folder on disk, search and SQL."""
