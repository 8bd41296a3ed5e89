"""Deterministic functions over plain data and a reader, for work that code does better than a model.

Every function returns a finding or a plain value. The functions do not guess, and do not know a shop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that supports a finding."""

    path: str
    reason: str
    """The reason for its citation, in a few words that name something found there."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[Value]):
    """A value, with its references in the order in which they should be cited."""

    value: Value
    refs: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    """One sentence for everything that was not certain; empty if all of the value is certain."""


class CannotRead(Exception):
    """The workspace or the data has a form that a function does not know. The message says which."""
