"""The journal: one JSON event per line, in one schema,
in one hash chain, written before the next thing happens."""
