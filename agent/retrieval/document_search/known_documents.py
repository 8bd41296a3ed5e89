"""The documents of a workspace, with their texts as far as they are known.

A document is a text for all requests, such as the policy `/docs/parking.md`:

| after | the known text of `/docs/parking.md` |
|---|---|
| `KnownDocuments.unread(...)` | empty |
| a search for `cars` | the found lines: "Cars stand behind the house." |
| a read | the whole text |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.retrieval.document_search.document_calendar import (
    DocumentCalendar,
)
from controlplane.agent.retrieval.document_search.document_candidate import (
    DocumentCandidate,
)
from controlplane.agent.retrieval.document_search.listed_documents import (
    ListedDocuments,
)
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import descriptions_in
from controlplane.sandbox.interface import DocumentDates


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """All documents that were listed, and what is known of them."""

    listed: ListedDocuments
    """The paths of the documents."""
    descriptions: Mapping[str, str]
    """How the workspace's rules describe documents and folders of records, by path, in their
    order: `{"/docs/parking.md": "cars permits", "/records/loans": "lent books"}`."""
    calendar: DocumentCalendar
    """Tells which documents are in force, and which are *notices*: these change other
    documents from a day on."""
    texts: Mapping[str, str]
    """The known text of every document, by path."""

    @classmethod
    def unread(
        cls, listed: ListedDocuments, facts: RequestFacts, dates: DocumentDates | None
    ) -> KnownDocuments:
        """Return the documents without texts. `dates` says where they have their dates, if any."""
        descriptions = descriptions_in(facts.rules)
        return cls(
            listed=listed,
            descriptions=descriptions,
            calendar=DocumentCalendar.of(listed.paths, facts, descriptions, dates),
            texts=dict.fromkeys(listed.paths, ""),
        )

    def with_texts(self, texts: Mapping[str, str]) -> KnownDocuments:
        """Return a copy with these texts, by path. Texts of other files are left out."""
        new_texts = {path: texts.get(path, text) for path, text in self.texts.items()}
        return replace(self, texts=new_texts)

    def candidate(self, path: str) -> DocumentCandidate:
        """Return a document as a file that may be shown. The caller adds the reasons for it.

        Its `validity` says if it is in force now: `not begun` for a policy of next month.
        """
        return DocumentCandidate(
            path=path,
            read_operation=self.listed.read,
            is_notice=path in self.calendar.notices,
            validity=self.calendar.validity(path, self.texts[path]),
        )
