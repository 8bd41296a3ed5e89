"""A document that the first message may show: a text for all requests, such as a policy.

A *notice* is a document that changes other documents from the day in its name on. On 4 May, this
one must not be shown, and the model is only told of it:

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
