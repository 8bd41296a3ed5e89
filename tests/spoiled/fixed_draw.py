"""Chooses what is kept apart: a third of the names of each table, by a digest that nobody can bend."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def drawn(table: str, names: Iterable[str]) -> frozenset[str]:
    """Return the third of `names` that is kept apart, rounded to the nearest whole number."""
    ordered = sorted(set(names), key=lambda name: hashlib.sha256(f"kept apart|{table}|{name}".encode()).hexdigest())
    return frozenset(ordered[: round(len(ordered) / 3)])
