"""The tasks of a folder in Harbor's format: their files, and which can be played here."""
