"""One step of a script: the objects it works with, and what comes of it."""
