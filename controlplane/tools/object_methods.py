"""The public methods of an object, and which of them only read.

A benchmark may offer all methods of a class, such as a bank, as tools of scripts.
"""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Sequence


def public_methods(source: object) -> list[str]:
    """Return the names of an object's public methods, those of base classes first."""
    names: dict[str, None] = {}
    for owner in reversed(type(source).__mro__[:-1]):  # without `object`
        for name in vars(owner):
            if not name.startswith("_") and inspect.isroutine(getattr(source, name)):
                names[name] = None
    return list(names)


def methods_that_only_read(source: object, reads: Sequence[str]) -> set[str]:
    """Return the names of public methods that match a pattern of `reads`, such as `get_*`.

    Raises `ValueError` if a pattern matches no method.
    """
    names = public_methods(source)
    only_read: set[str] = set()
    for pattern in reads:
        matching = fnmatch.filter(names, pattern)
        if not matching:
            msg = (
                f"{type(source).__name__} has no method {pattern!r}: {', '.join(names)}"
            )
            raise ValueError(msg)
        only_read.update(matching)
    return only_read
