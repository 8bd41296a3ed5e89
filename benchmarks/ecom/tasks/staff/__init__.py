"""Tasks about people: how to reach them, how many have a role, one's own record."""
