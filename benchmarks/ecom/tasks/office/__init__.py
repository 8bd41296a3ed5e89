"""Short tasks that need one tool or one look: a date, a text in a file, the open branches."""
