"""Refuses what is not certain, for all functions of shops.

A function for scripts must not guess: if two branches are called "Graz", it has no result, and
the model reads why. `CannotRead` carries the reason to the script, and code between them need
not pass on empty results.
"""

from __future__ import annotations

from typing import TypeVar

from controlplane.sandbox.functions import CannotRead

Found = TypeVar("Found")


def require(condition: object, refusal: str) -> None:
    """Raise `CannotRead` with a refusal as its message if a condition is false or empty.

    A function for scripts then has no result, and the script shows the refusal to the model.
    """
    if not condition:
        raise CannotRead(refusal)


def value_or_raise(value: Found | None, refusal: str) -> Found:
    """Return a value. Raise `CannotRead` with a refusal as its message if it is empty or None.

    `branch = value_or_raise(found_branch, "no branch has this name")`
    """
    if not value:
        raise CannotRead(refusal)
    return value
