"""Deterministic functions over plain data and a reader: what code computes better than a model.

Every function returns a finding or a plain value; none guesses, and none knows a shop.
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
    """Why it is cited, in a few words that name something found there."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[Value]):
    """A value, with its references in the order in which they should be cited."""

    value: Value
    refs: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not certain, a sentence each; empty if all of it was."""


class CannotRead(Exception):
    """The workspace or the data has a form that a function does not know. The message says which."""
