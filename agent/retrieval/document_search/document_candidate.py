"""A document that the first message may show: a text for all requests, such as a policy.

A document with a date may not be in force yet. This one is in force from 1 June 2031 on. On 4 May
2031, the message does not show its text, and has only its path with a remark:

    /docs/updates/2031-06-01-cars.md (not begun)
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.document import Document
from controlplane.agent.retrieval.file_candidate import Candidate


@dataclass(slots=True, kw_only=True)
class DocumentCandidate(Candidate):
    """A document that may be shown."""

    document: Document
    """What is known of it: its text, and whether it is in force now."""
    rank: int | None = None
    """The document's place among those that fit the request: 0 for the best one. None for a
    document that does not fit."""

    @property
    def validity_remark(self) -> str:
        """Whether the document is in force: ` (not begun)`; empty if it has no date."""
        validity = self.document.validity
        return f" ({validity})" if validity else ""
