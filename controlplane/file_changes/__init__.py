"""Changes of the user's files, made as a whole or not at all."""
