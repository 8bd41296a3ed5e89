"""A document that the first message may show: a text for all requests, such as a policy.

A *notice* is a document that changes other documents from the day in its name on. On 4 May:

| path | `is_notice` | validity |
|---|---|---|
| `/docs/parking.md` | no | undated |
| `/docs/updates/2031-06-01-cars.md` | yes | not begun: it must not be shown |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.document_search.validity import Validity
from controlplane.agent.retrieval.file_candidate import Candidate


@dataclass(slots=True, kw_only=True)
class DocumentCandidate(Candidate):
    """A document that may be shown."""

    is_notice: bool
    """True for a document that changes other documents from a day on."""
    validity: Validity
    """Whether the document is in force now."""
    rank: int | None = None
    """The document's place among those that fit the request: 0 for the best one. None for a
    document that does not fit."""

    @property
    def validity_remark(self) -> str:
        """Whether the document is in force: ` (not begun)`; empty if it has no date."""
        return f" ({self.validity})" if self.validity else ""
