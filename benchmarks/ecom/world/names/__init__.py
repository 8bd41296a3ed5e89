"""The names in one world: of paths, ids, pages, fields, states, verbs, roles and words."""
