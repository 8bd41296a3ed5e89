"""Tells which documents of a workspace are in force now.

A document is dated by fields at its top, such as `valid until: 2031-06-30`, or by the day in its
name. An environment declares which of these its documents have (`DocumentDates`):

| it declares | dated documents |
|---|---|
| only `in_names` | notices: documents that change others from the day in their names on |
| keys of fields | all documents; with `in_names`, also by a day in the name |
| nothing | none |

With days in names, on 4 May: `/docs/updates/2031-05-02-keys.md`, a notice, is begun, and
`/minutes/2031-06-01.md` is undated, since its day may be that of a meeting.
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
from controlplane.agent.retrieval.document_search.validity import Validity
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import DocumentDates


@dataclass(frozen=True, slots=True)
class DocumentCalendar:
    """The notices among the documents, and what is needed to date a document."""

    notices: tuple[str, ...]
    """The paths of the notices."""
    dates: DocumentDates | None
    """Where this environment's documents have their dates; None if they have none."""
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

        `described_paths` are those for which the workspace's rules say what they are about.
        """
        notices: tuple[str, ...] = ()
        if dates is not None and dates.in_names:
            notices = notices_among(documents, facts.rules, described_paths)
        return cls(notices, dates, facts.now)

    def validity(self, path: str, text: str) -> Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told."""
        if self.now is None or self.dates is None:
            return Validity.UNDATED
        is_dated = path in self.notices or has_date_keys(self.dates)
        if not is_dated:
            return Validity.UNDATED
        return period_of(self.dates, path, text).validity(self.now)
