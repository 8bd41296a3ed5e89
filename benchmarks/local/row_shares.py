"""The score of cited rows in fractions: recall by weight, times the share of the cited weight that is right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RowShares:
    """The rows of one file, which answers cite as `FILE#row=ID`."""

    file: str
    weights: Mapping[str, int]
    """The weight of every row by its id, such as its amount in cents."""
    right: frozenset[str]
    """The ids of the rows that should be cited."""

    def weight(self, rows: Collection[str]) -> int:
        """Return the weight of some rows."""
        return sum(self.weights[each] for each in rows)

    def cited(self, refs: Sequence[str]) -> frozenset[str]:
        """Return the ids of the rows that an answer cites, whether or not they exist."""
        prefix = f"{self.file}#row="
        return frozenset(each.removeprefix(prefix) for each in refs if each.startswith(prefix))

    def score(self, refs: Sequence[str]) -> float:
        """Return the score of the cited rows, 0 to 1."""
        known = self.cited(refs) & self.weights.keys()
        found, given = self.weight(known & self.right), self.weight(known)
        return found / self.weight(self.right) * found / given if given else 0.0
