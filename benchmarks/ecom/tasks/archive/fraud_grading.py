"""The grade of cited export rows: recall by amount, times the share of the cited amount that is fraud.

Recall by amount is the public benchmark's; the share as the cost of a false row is a choice of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.local.row_shares import RowShares


def euros_of(cents: int) -> str:
    """Return an amount as the answer states it, such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


@dataclass(frozen=True)
class FraudMeasure:
    """Grades the rows that an answer cites from one export."""

    rows: RowShares
    """All rows of the export with their amounts in cents; right are the fraudulent ones."""
    reachable: float = 1.0

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of the cited rows, 0 to 1, and how it came about. The stated total costs nothing."""
        rows = self.rows
        cited = rows.cited(refs)
        known = cited & rows.weights.keys()
        total, found = rows.weight(rows.right), rows.weight(known & rows.right)
        stated = "matched" if message.strip() == euros_of(total) else f"mismatch: it is {euros_of(total)}"
        lines = [
            f"answer amount {stated}",
            f"fraud rows recovered {found / total:.1%} of the fraud amount",
            f"{len(known - rows.right)} innocent rows cited, {euros_of(rows.weight(known) - found)}",
        ]
        if cited - known:
            lines.append(f"{len(cited - known)} cited rows do not exist")
        return rows.score(refs), tuple(lines)
