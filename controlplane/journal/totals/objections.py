"""Objections of gates and rules to a submission, an answer before it is sent."""

from __future__ import annotations

from typing import NamedTuple


class Objections(NamedTuple):
    """The gates and rules that objected to one submission, by their keys."""

    rejected: tuple[str, ...]
    """The keys of those that rejected it; empty if it was accepted."""
    overridden: tuple[str, ...]
    """The keys of those whose objection the model overrode, by submitting again."""

    def concerns(self, key: str) -> bool:
        """Return True if the gate or rule with this key objected."""
        return key in self.rejected or key in self.overridden
