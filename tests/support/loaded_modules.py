"""What the process that calls it has imported: asked of a worker, which is a copy of its fork server."""

import sys


def names() -> list[str]:
    """Return the names of all modules that are loaded here."""
    return sorted(sys.modules)
