"""The grade of cited export rows: recall by amount, times the share of the cited amount that is fraud.

Recall by amount is the public benchmark's; the share as the cost of a false row is a choice of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def euros_of(cents: int) -> str:
    """Return an amount as the answer states it, such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


@dataclass(frozen=True)
class FraudMeasure:
    """Grades the rows that an answer cites from one export."""

    export: str
    """The path of the export."""
    amounts: Mapping[str, int]
    """The cents of every row by row id."""
    fraud: frozenset[str]
    reachable: float = 1.0

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of the cited rows, 0 to 1, and how it came about. The stated total costs nothing."""
        prefix = f"{self.export}#row="
        cited = {ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)}
        known = cited & set(self.amounts)
        total = self._cents(self.fraud)
        found, given = self._cents(known & self.fraud), self._cents(known)
        score = found / total * found / given if given else 0.0
        stated = "matched" if message.strip() == euros_of(total) else f"mismatch: it is {euros_of(total)}"
        lines = [
            f"answer amount {stated}",
            f"fraud rows recovered {found / total:.1%} of the fraud amount",
            f"{len(known - self.fraud)} innocent rows cited, {euros_of(given - found)}",
        ]
        if cited - known:
            lines.append(f"{len(cited - known)} cited rows do not exist")
        return score, tuple(lines)

    def _cents(self, rows: frozenset[str] | set[str]) -> int:
        return sum(self.amounts[each] for each in rows)
