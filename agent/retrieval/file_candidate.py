"""A file that the first message may show, with its score and the reasons for it.

It is a document (a text for all requests, such as a policy) or a record (about one case).
Some documents are notices, which change other documents from a day on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from controlplane.agent.events import RankedFile
from controlplane.agent.retrieval.validity import Validity
from controlplane.sandbox.interface import NamedFiles, Operation, ToolSchema


class Reason(StrEnum):
    """A reason why a file is shown or left out, as the journal states it."""

    NAMED = "named"
    """The request names the file by its path or id."""
    ASKER = "asker"
    """The file is a record of the user who asks."""
    NOTICE = "notice"
    """The file is a notice, and it is in force."""
    ROUTED = "routed"
    """The workspace's rules send requests about a subject to this document.

    Example: the rule `Keys and locks: see /docs/keys.md`,
    for a request about a lost key.
    """
    FOLDER = "folder"
    """The text of the document names the folder with the request's records.

    Example: "Each loan has a file in /records/loans", for a request about a loan.
    """
    LINKED = "linked"
    """A record that the request names, or a notice about its subject, names the file."""
    WORDS = "words"
    """The file contains words of the request."""
    LISTED = "listed"
    """No document has words of the request, so those in the rules or the listing are shown."""

    WITHHELD = "withheld"
    """The record belongs to another user than the one who asks, so it must not be shown."""
    NOT_IN_FORCE = "not in force"
    """The document is not yet in force, or no longer. It must not be shown."""


POINTS: Final = {
    Reason.NAMED: 8.0,
    Reason.ASKER: 3.0,
    Reason.NOTICE: 2.0,
    Reason.LINKED: 1.5,
    # Few points, because the document may only mention the folder, and the rules may name
    # a wrong document.
    Reason.FOLDER: 0.5,
    Reason.ROUTED: 0.3,
    Reason.LISTED: 0.1,
    Reason.WORDS: 0.0,  # Only the word score counts.
}
"""A file's score is the sum of the points for its reasons, and of its word score.

Words in common with the request give at most 1 point, so a reason with more points
outweighs them.
"""
OFF_TOPIC_POINTS: Final = -0.8
"""A notice loses these points if it only changes documents about other subjects: one about
`/docs/loans.md`, for a request about parking."""

STRONG_REASONS: Final = frozenset(
    {Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED}
)
"""With one of these reasons, a file is wanted even if no words of the request are in it."""


@dataclass(slots=True)
class Candidate:
    """A file that may be shown. `FileRanker.rank` creates it and gives it its score."""

    path: str
    is_document: bool
    """True for a document, False for a record."""
    read_operation: Operation | None
    """The operation that reads the file; None if the environment has none."""

    # Only documents have these.
    is_notice: bool = False
    """True for a document that changes other documents from a day on."""
    validity: Validity = Validity.UNDATED
    rank: int | None = None
    """The place among the documents that fit the request:
    0 for the best one, None if it does not fit."""

    # Only records have this.
    kind: str = ""
    """The folder with all records of the same kind, such as `/records/loans`."""

    score: float = 0.0
    word_score: float = 0.0
    """How well its words fit the request, from 0 to 1: the best document has 1, and so has
    the best record. It is a part of the score."""
    reasons: list[Reason] = field(default_factory=list)
    shown_chars: int = 0
    """How many characters the file takes in the message; 0 if it is not shown."""

    def add(self, reason: Reason, extra_points: float = 0.0) -> None:
        """Add a reason with its points. A reason that the file already has is not added again."""
        if reason not in self.reasons:
            self.reasons.append(reason)
            self.score += POINTS[reason] + extra_points

    def refuse(self, reason: Reason) -> None:
        """Add a reason for which the file must not be shown, whatever its score."""
        self.reasons.append(reason)

    @property
    def is_refused(self) -> bool:
        """True if the file must not be shown."""
        return Reason.WITHHELD in self.reasons or Reason.NOT_IN_FORCE in self.reasons

    @property
    def has_strong_reason(self) -> bool:
        """True if the file is wanted even if it has no words of the request."""
        return not STRONG_REASONS.isdisjoint(self.reasons)

    @property
    def validity_remark(self) -> str:
        """Whether a dated document is in force: ` (not begun)`; empty for other files."""
        return f" ({self.validity})" if self.validity else ""

    def journal_row(self) -> RankedFile:
        """Return the file as the journal lists it."""
        return RankedFile(
            path=self.path,
            score=round(self.score, 2),
            reason="+".join(self.reasons),
            chars=self.shown_chars,
        )


def declared_records(schema: ToolSchema) -> NamedFiles:
    """Return the environment's declaration of where its records are, and how they are read."""
    if schema.named_files is None:
        return NamedFiles(roots=(), most=0)
    return schema.named_files
