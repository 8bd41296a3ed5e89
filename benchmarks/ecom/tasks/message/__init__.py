"""The faults of an answer's message: what it omits, and what it discloses."""
