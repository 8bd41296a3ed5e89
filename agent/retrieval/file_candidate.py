"""A file that the first message may show, with its score and the reasons for it.

It is a document (a text for all requests, such as a policy) or a record (about one case). For
"Close loan-12", the candidates may be these:

| path | reasons and their points | word score | score |
|---|---|---|---|
| `/records/loans/loan-12.json` | `NAMED` 8 | 0 | 8 |
| `/docs/loans.md` | `ROUTED` 0.3 | 1 | 1.3 |
| `/docs/cards.md` | `WORDS` 0 | 0.2 | 0.2 |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.retrieval.ranking_reasons import POINTS, STRONG_REASONS, Reason
from controlplane.sandbox.interface import Operation


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A file that may be shown."""

    path: str
    read_operation: Operation | None
    """The operation that reads the file; None if the environment has none."""
    score: float = 0.0
    """The sum of the word score and the points of all reasons. The files with the highest
    scores are shown first."""
    word_score: float = 0.0
    """How well the file's words fit the request, from 0 to 1: the best document has 1, and so
    has the best record. Usually it is set by `count_words`."""
    reasons: list[Reason] = field(default_factory=list)
    """Why the file may be shown, or must not be shown."""

    def count_words(self, word_score: float) -> None:
        """Set the word score, and count it in the score."""
        self.word_score = word_score
        self.score += word_score

    def add(self, reason: Reason) -> None:
        """Add a reason, and its points to the score, unless the file has this reason already."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += POINTS[reason]

    def refuse(self, reason: Reason) -> None:
        """Add `WITHHELD` or `NOT_IN_FORCE`: the file must not be shown, whatever its score."""
        self.reasons.append(reason)

    @property
    def is_refused(self) -> bool:
        """True if the file must not be shown."""
        return Reason.WITHHELD in self.reasons or Reason.NOT_IN_FORCE in self.reasons

    @property
    def has_strong_reason(self) -> bool:
        """True if the file is wanted even without words of the request."""
        return not STRONG_REASONS.isdisjoint(self.reasons)

    @property
    def validity_remark(self) -> str:
        """Whether a dated document is in force, shown after its path: ` (not begun)`.

        Empty for other files. The subclass for documents overrides it.
        """
        return ""
