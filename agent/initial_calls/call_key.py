"""A key by which equal calls are found, so that none is sent twice.

The order of the arguments does not count:

    key_of("find", {"root": "/", "name": "a"})   -> "find[('name', 'a'), ('root', '/')]"
    key_of("find", {"name": "a", "root": "/"})   -> the same
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox.interface import Plain


def key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return the key of a call."""
    if len(arguments) == 1:  # Most calls have one argument, and need no sorting.
        return f"{operation}{arguments}"
    return f"{operation}{sorted(arguments.items())}"
