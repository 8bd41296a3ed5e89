"""Tells which documents of a workspace are in force now.

A *notice* is a document that changes other documents from the day in its name on. On 4 May 2031:

| document | validity |
|---|---|
| `/docs/updates/2031-05-02-keys.md`, a notice | begun |
| `/docs/updates/2031-06-01-cars.md`, a notice | not begun |
| `/minutes/2031-06-01.md`, which is no notice | undated: the day may be that of a meeting |

An environment may declare that texts have dates at their top, such as `valid until: 2031-06-30`.
Then all documents are dated, by these fields and by their names.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.retrieval.document_search.document_dates import (
    has_date_keys,
    period_of,
)
from controlplane.agent.retrieval.document_search.notices import notices_among
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.validity import Validity
from controlplane.sandbox.interface import DocumentDates


@dataclass(frozen=True, slots=True)
class DocumentCalendar:
    """The notices among the documents, and what is needed to date a document."""

    notices: tuple[str, ...]
    """The paths of the notices."""
    dates: DocumentDates | None
    """Where this environment's documents have their dates: in their names, or in fields at
    the top of their texts. None if they have no dates."""
    now: datetime | None
    """The trial's clock; None if it has none."""

    @classmethod
    def of(
        cls,
        documents: Collection[str],
        facts: RequestFacts,
        described_paths: Collection[str],
        dates: DocumentDates | None,
    ) -> DocumentCalendar:
        """Return the calendar of these documents, given by their paths.

        `described_paths` are those for which the workspace's rules say what they are about. There
        are notices only if the environment declares that names of documents have dates.
        """
        notices: tuple[str, ...] = ()
        if dates is not None and dates.in_names:
            notices = notices_among(documents, facts.rules, described_paths)
        return cls(notices, dates, facts.now)

    def validity(self, path: str, text: str) -> Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told."""
        if self.now is None or self.dates is None:
            return Validity.UNDATED
        # Unless texts have dates at their top, only notices are dated.
        is_notice = path in self.notices
        if not is_notice and not has_date_keys(self.dates):
            return Validity.UNDATED
        return period_of(self.dates, path, text).validity(self.now)
