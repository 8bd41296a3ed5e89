"""The room for files in the first message: a number of characters that the best files share.

Files take their room one after the other, the best first. The last part of the room is kept
for files that matter most. For example, of 10,000 characters, the last 2,000 are kept for the
best document and for files that the request names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason

RESERVED_PART: Final = 0.2
"""The part of the declared room that only the files that matter most may use."""
MIN_CHARS: Final = 250
"""A file is left out if there is room for fewer characters than this."""


@dataclass(slots=True)
class FileRoom:
    """The characters that are left in the message for files."""

    remaining_chars: int
    """The characters that no file has taken yet."""
    reserved_chars: int
    """The last so many of the remaining characters are only for the best document, and for
    files with a strong reason, such as that the request names them."""
    has_document: bool = False
    """True once the best document has its room."""

    @classmethod
    def of(cls, declared_chars: int, max_chars: int) -> FileRoom:
        """Return the room that the environment declares, or less if the message has less left.

        The reserved part stays the same: of 10,000 declared characters, it is 2,000.
        """
        return cls(
            remaining_chars=min(declared_chars, max_chars),
            reserved_chars=int(RESERVED_PART * declared_chars),
        )

    def take(self, candidate: Candidate, needed_chars: int) -> int | None:
        """Take room for a file that needs so many characters, and return how many it gets.

        Returns None if the file is left out. Only the best document, and files that the
        request names, get fewer characters than they need: they are cut.
        """
        # 1. How many characters may the file take?
        is_document = isinstance(candidate, DocumentCandidate)
        is_best_document = is_document and not self.has_document
        available_chars = self.remaining_chars
        if not is_best_document and not candidate.has_strong_reason:
            available_chars -= self.reserved_chars

        # 2. Leave it out if it does not fit, and may not be cut.
        may_be_cut = is_best_document or Reason.NAMED in candidate.reasons
        if available_chars < MIN_CHARS:
            return None
        if needed_chars > available_chars and not may_be_cut:
            return None

        # 3. Take the room.
        taken_chars = min(needed_chars, available_chars)
        self.remaining_chars -= taken_chars
        self.has_document = self.has_document or is_document
        return taken_chars
