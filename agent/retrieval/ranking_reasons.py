"""The reasons why the first message shows a file or leaves it out, and their points.

A file is a document (a text for all requests, such as a policy) or a record (about one case).
For "Close loan-12", the record `/records/loans/loan-12.json` has the reason `named`. A *notice*
is a document that changes other documents from a day on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import re2

from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.interface import Operation


class Reason(StrEnum):
    """A reason why a file is shown or left out, as the journal states it."""

    NAMED = "named"
    """The request names the file by its path or id."""
    ASKER = "asker"
    """The file is a record of the user who asks."""
    NOTICE = "notice"
    """The file is a notice in force that changes a document which fits the request, or may change any."""
    OTHER_NOTICE = "notice of others"
    """The file is a notice in force that changes documents about other subjects. For a request about
    parking, this may be a notice that changes `/docs/loans.md`. It is shown if one of them is."""
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
    """A record that the request names names the file."""
    WORDS = "words"
    """The file contains words of the request."""
    LISTED = "listed"
    """No document fits the request by its words. So all that the rules describe are candidates,
    or all documents if the rules describe none."""

    WITHHELD = "withheld"
    """The record belongs to another user than the one who asks, so it must not be shown."""
    NOT_IN_FORCE = "not in force"
    """The document is not yet in force, or no longer. It must not be shown."""


_POINTS: Final = {
    Reason.NAMED: 8.0,
    Reason.ASKER: 3.0,
    Reason.LINKED: 1.5,
    # Few points, because the document may only mention the folder, and the rules may name
    # a wrong document.
    Reason.FOLDER: 0.5,
    # Less than the documents that they change: those come first.
    Reason.NOTICE: 0.4,
    Reason.OTHER_NOTICE: 0.2,
    Reason.ROUTED: 0.3,
    Reason.LISTED: 0.1,
    Reason.WORDS: 0.0,  # Only the word score counts.
}
"""The score of a file is the sum of the points of its reasons, and of its word score.

The word score is at most 1, so a reason with more points outweighs all words.
"""
_STRONG_REASONS: Final = frozenset(
    {Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED}
)
"""With one of these reasons, a file is wanted even if no words of the request are in it."""


# A file that the first message may show, with its score and the reasons for it.
#
# It is a document (a text for all requests, such as a policy) or a record (about one case). For
# "Close loan-12", the candidates may be these:
#
# | path | reasons and their points | word score | score |
# |---|---|---|---|
# | `/records/loans/loan-12.json` | `NAMED` 8 | 0 | 8 |
# | `/docs/loans.md` | `ROUTED` 0.3 | 1 | 1.3 |
# | `/docs/cards.md` | `WORDS` 0 | 0.2 | 0.2 |


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
            self.score += _POINTS[reason]

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
        return not _STRONG_REASONS.isdisjoint(self.reasons)

    @property
    def validity_remark(self) -> str:
        """Whether a dated document is in force, shown after its path: ` (not begun)`.

        Empty for other files. The subclass for documents overrides it.
        """
        return ""


# Finds the words of a request by which files are searched.
#
# `Close loan-12 for the late returns` has the id `loan-12`, and the words `close`, `late` and
# `returns`.

_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""Matches the start of an id, letters and a number: `loan-12`, `case_083`."""


def ids_in(text: str) -> list[str]:
    """Return the ids in a text: `close loan-12` -> `loan-12`."""
    return [word for word in words_of(text) if _ID.match(word)]


def request_words(text: str) -> list[str]:
    """Return the words of a request that say something about its subject.

    `Close /records/loans/late_returns.json` -> `close`, `loans`, `late`, `returns`

    Words such as `the` are left out, and the first folder of a path, because most files are
    below it: `/records`.
    """
    words: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            words += _words_of_path(path)
        else:
            words.append(token)
    return words_of(" ".join(words))


def _words_of_path(path: str) -> list[str]:
    """Return the words in a path.

    `/records/loans/late_returns.json` -> `loans`, `late`, `returns`
    """
    _first_folder, _, rest = path.strip("/").partition("/")
    rest = rest.partition(".")[0]
    for separator in "/_-":
        rest = rest.replace(separator, " ")
    return [word for word in rest.split() if word.isalpha()]


def lines_pattern(terms: Iterable[str]) -> str:
    """Return a regular expression for lines with a word that begins with one of the terms.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`, which matches in "two Loans" and in
    "book B7-2", but not in "upload".
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"
