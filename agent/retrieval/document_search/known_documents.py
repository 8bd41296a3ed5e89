"""The documents of a workspace, with their texts as far as they are known.

A document is a text for all requests, such as the policy `/docs/parking.md`. The workspace's
rules may describe it, for example by the line "Cars: /docs/parking.md.":

    known = KnownDocuments.unread(listed, facts, dates)
    known.by_path["/docs/parking.md"].description    -> "cars"
    known.by_path["/docs/parking.md"].text           -> ""
    searched = known.with_texts({"/docs/parking.md": "Cars stand behind the house.\\n"})
    searched.by_path["/docs/parking.md"].text        -> the line that a search has found
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.retrieval.document_search.document import Document
from controlplane.agent.retrieval.document_search.document_calendar import (
    DocumentCalendar,
)
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.document_search.notices import notices_among
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import descriptions_in
from controlplane.sandbox.interface import DocumentDates


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """All documents that were listed."""

    listed: ListedDocuments
    """The paths of the documents, and how to read them."""
    descriptions: Mapping[str, str]
    """How the workspace's rules describe documents and folders of records, by path, in their
    order: `{"/docs/parking.md": "cars", "/records/loans": "lent books"}`."""
    calendar: DocumentCalendar
    """Tells whether a document is in force now, by its text."""
    by_path: Mapping[str, Document]
    """The documents, in the order of the listing."""

    @classmethod
    def unread(
        cls, listed: ListedDocuments, facts: RequestFacts, dates: DocumentDates | None
    ) -> KnownDocuments:
        """Return the documents without texts. `dates` declares where a document has its date."""
        descriptions = descriptions_in(facts.rules)
        calendar = DocumentCalendar(dates, facts.now)
        notices: set[str] = set()
        if dates is not None and dates.in_names:
            notices = notices_among(listed.paths, facts.rules, descriptions)
        by_path: dict[str, Document] = {}
        for path in listed.paths:
            document = Document(path, descriptions.get(path), is_notice=path in notices)
            by_path[path] = calendar.dated(document)
        return cls(listed, descriptions, calendar, by_path)

    def with_texts(self, texts: Mapping[str, str]) -> KnownDocuments:
        """Return a copy with these texts, by path. Texts of other files are left out."""
        by_path = dict(self.by_path)
        for path, document in self.by_path.items():
            text = texts.get(path)
            if text is not None:
                # The text may have a date in a field at its top.
                by_path[path] = self.calendar.dated(replace(document, text=text))
        return replace(self, by_path=by_path)
