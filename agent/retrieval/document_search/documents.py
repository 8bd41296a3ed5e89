"""The documents of a workspace: which there are, and what is known of their texts.

A document is a text for all requests, such as the policy `/docs/parking.md`. `ListedDocuments`
has its path, and `KnownDocuments` also its text, once a search or a read has returned it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from controlplane.agent.retrieval.document_search.document_calendar import (
    DocumentCalendar,
)
from controlplane.agent.retrieval.file_candidate import DocumentCandidate
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import descriptions_in, paths_in
from controlplane.sandbox.interface import DocumentDates, Operation


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents of a workspace, as a call at the start of the trial lists them."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds the documents."""
    paths: tuple[str, ...] = ()
    """The paths of the documents: `/docs/parking.md`."""

    def named_in(self, text: str) -> list[str]:
        """Return the documents whose paths are in a text, in the order of the listing."""
        named = set(paths_in(text))
        return [path for path in self.paths if path in named]


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """The documents of a workspace, with their texts as far as they are known.

    A search makes some lines of a document known, and a read makes the whole text known.
    """

    listed: ListedDocuments
    """The paths of all documents."""
    descriptions: Mapping[str, str]
    """How the workspace's rules describe documents and folders of records, by path, in their
    order: `{"/docs/parking.md": "cars permits", "/records/loans": "lent books"}`."""
    calendar: DocumentCalendar
    """Tells which documents are in force, and which are notices."""
    texts: Mapping[str, str]
    """The known text of every listed document, by path: the whole text if it was read,
    otherwise the lines that a search found in it. It is empty before that."""

    @classmethod
    def unread(
        cls, listed: ListedDocuments, facts: RequestFacts, dates: DocumentDates | None
    ) -> KnownDocuments:
        """Return the listed documents, none of which is read yet.

        `dates` says where documents have their dates; None if they have none.
        """
        descriptions = descriptions_in(facts.rules)
        return cls(
            listed=listed,
            descriptions=descriptions,
            calendar=DocumentCalendar.of(listed.paths, facts, descriptions, dates),
            texts=dict.fromkeys(listed.paths, ""),
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """The paths of the documents that change other documents from a day on."""
        return self.calendar.notices

    def with_texts(self, texts: Mapping[str, str]) -> KnownDocuments:
        """Return a copy with these texts, by path. The other documents keep their texts.

        Texts of files that are not among these documents are left out.
        """
        new_texts = {path: texts.get(path, text) for path, text in self.texts.items()}
        return replace(self, texts=new_texts)

    def described_paths(self) -> list[str]:
        """Return the documents that the rules describe, in the order of the rules."""
        return [path for path in self.descriptions if path in self.texts]

    def candidate(self, path: str, word_score: float = 0.0) -> DocumentCandidate:
        """Return a document as a file that may be shown, with no reason for that yet."""
        return DocumentCandidate(
            path=path,
            read_operation=self.listed.read,
            is_notice=path in self.calendar.notices,
            validity=self.calendar.validity(path, self.texts[path]),
            word_score=word_score,
        )

    def linked_from(self, path: str) -> list[str]:
        """Return the documents whose paths are in the text of the document at `path`."""
        return self.listed.named_in(self.texts[path])

    def naming_folders(self, record_folders: Collection[str]) -> list[str]:
        """Return the documents, except notices, whose texts name one of these folders.

        "Each loan has a file in /records/loans" names `/records/loans`, the folder of one kind
        of records.
        """
        documents: list[str] = []
        notices = self.calendar.notices
        for path, text in self.texts.items():
            named_folders = set(paths_in(text)).intersection(record_folders)
            if named_folders and path not in notices:
                documents.append(path)
        return documents
