"""Tells whether a document is in force now.

A document may give its dates in fields at its top, such as `valid until: 2031-06-30`. A *notice*,
which changes other documents, has the day on which it begins in its name. On 4 May:

    /docs/updates/2031-06-01-keys.md, a notice    -> NOT_BEGUN
    /minutes/2031-06-01.md, another document      -> UNDATED: the day may be that of a meeting
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from controlplane.agent.retrieval.document_search.document import Document
from controlplane.agent.retrieval.document_search.document_dates import (
    has_date_keys,
    period_of,
)
from controlplane.agent.retrieval.document_search.validity import Validity
from controlplane.sandbox.interface import DocumentDates


@dataclass(frozen=True, slots=True)
class DocumentCalendar:
    """Where the documents of an environment have their dates, and what time it is."""

    dates: DocumentDates | None
    """The keys of the fields with dates, and whether names have days; None if there are none."""
    now: datetime | None
    """The trial's clock; None if it has none."""

    def dated(self, document: Document) -> Document:
        """Return a document that knows whether it is in force now."""
        return replace(document, validity=self.validity(document))

    def validity(self, document: Document) -> Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told."""
        if self.now is None or self.dates is None:
            return Validity.UNDATED
        if not document.is_notice and not has_date_keys(self.dates):
            return Validity.UNDATED
        period = period_of(self.dates, document.path, document.text)
        return period.validity(self.now)
