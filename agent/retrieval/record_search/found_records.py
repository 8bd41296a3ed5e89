"""The records that were found for a request, and by what.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12", which
also finds words of the request in `/records/loans/l-4.json`:

    FoundRecords(
        named=["/records/loans/l-12.json"],            # the request names it
        of_asker=[],
        linked=["/records/books/b7.json"],             # `l-12` names it: {"book": "b7"}
        word_scores={"/records/loans/l-4.json": 1.0},  # it has words of the request
    )
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """The paths of the records that were found, by how they were found."""

    named: Sequence[str]
    """Those that the request names."""
    of_asker: Sequence[str]
    """Those of the user who asks."""
    linked: Sequence[str]
    """Those that the named records name."""
    word_scores: Mapping[str, float]
    """Those with words of the request, the best first, from 0 to 1."""

    @property
    def paths(self) -> list[str]:
        """All found records, each once, in this order."""
        return list(
            dict.fromkeys(
                (*self.named, *self.of_asker, *self.linked, *self.word_scores)
            )
        )
