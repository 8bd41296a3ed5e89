"""A key by which equal calls are found, so that none is sent twice.

The order of the arguments does not count:

    key_of("find", {"root": "/", "name": "a"})   -> "find[('name', 'a'), ('root', '/')]"
    key_of("find", {"name": "a", "root": "/"})   -> the same
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox.interface import Plain


def key_of(
    operation: str, arguments: Mapping[str, Plain], *, again: bool = False
) -> str:
    """Return the key of a call.

    The second try of a call that has failed, which is sent `again`, has a key of its own.
    """
    if len(arguments) == 1:  # Most calls have one argument, and need no sorting.
        key = f"{operation}{arguments}"
    else:
        key = f"{operation}{sorted(arguments.items())}"
    return f"{key} again" if again else key
