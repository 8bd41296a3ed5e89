"""The documents of a workspace, with what is known of their texts and dates.

A document is a text for all requests, such as the policy `/docs/parking.md`. A notice is
a document that changes other documents from the day in its name on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.retrieval.document_search.document_dates import (
    has_date_keys,
    period_of,
)
from controlplane.agent.retrieval.document_search.notices import notices_among
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.agent.retrieval.validity import Validity
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


@dataclass(slots=True)
class KnownDocuments:
    """The texts of documents, as far as they are known, and when they are in force.

    A document is a text for all requests, such as the policy `/docs/parking.md`. A search makes
    some lines of it known, and a read makes the whole text known.
    """

    listed: ListedDocuments
    """The paths of all documents."""
    texts: dict[str, str]
    """The known text of every listed document, by path: the whole text if it was read,
    otherwise the lines that a search found in it. It is empty before that."""
    notices: tuple[str, ...]
    """The paths of the documents that change other documents."""
    dates: DocumentDates | None
    """Where this environment's documents have their dates: in their names, or in fields at
    the top of their texts. None if they have no dates."""
    now: datetime | None
    """The trial's clock; None if it has none."""

    @classmethod
    def unread(
        cls,
        listed: ListedDocuments,
        facts: RequestFacts,
        dates: DocumentDates | None,
        described_paths: Collection[str],
    ) -> KnownDocuments:
        """Return the listed documents, none of which is read yet.

        A *notice* is a document that changes others from a day on. It has this day in its
        name, so there are notices only if the environment declares that names have dates.
        `described_paths` are those for which the workspace's rules say what they are about.
        """
        notices: tuple[str, ...] = ()
        if dates is not None and dates.in_names:
            notices = notices_among(listed.paths, facts.rules, described_paths)
        return cls(
            listed=listed,
            texts=dict.fromkeys(listed.paths, ""),
            notices=notices,
            dates=dates,
            now=facts.now,
        )

    def add_found_lines(self, found_lines: Mapping[str, str]) -> None:
        """Add the lines that a search found, by path. Lines of other files are ignored.

        Call this before documents are read, because the lines replace their texts.
        """
        for path, lines in found_lines.items():
            is_document = path in self.texts
            if is_document:
                self.texts[path] = lines

    def add_whole_texts(self, texts: Mapping[str, str]) -> None:
        """Add the texts of the documents that were read, by path."""
        self.texts.update(texts)

    def first_text(self, paths: Iterable[str]) -> str:
        """Return the first known text of some documents; empty if none is known."""
        for path in paths:
            text = self.texts.get(path)
            if text:
                return text
        return ""

    def linked_from(self, path: str) -> list[str]:
        """Return the documents whose paths are in the text of the document at `path`."""
        return self.listed.named_in(self.texts[path])

    def about(self, record_folders: Collection[str]) -> list[str]:
        """Return the documents, except notices, whose texts name one of these folders.

        A folder holds one kind of records: `/records/loans`.
        """
        documents: list[str] = []
        for path, text in self.texts.items():
            named_folders = set(paths_in(text)).intersection(record_folders)
            if named_folders and path not in self.notices:
                documents.append(path)
        return documents

    def validity(self, path: str) -> Validity:
        """Return whether a document is in force now; `UNDATED` if that cannot be told."""
        if self.now is None or self.dates is None:
            return Validity.UNDATED
        # A notice is in force from the day in its name on: `2031-05-02-keys.md`. In the name of
        # another document, a day may mean something else, such as the day of a meeting. So,
        # unless documents give dates in fields at their top, only notices are dated.
        is_notice = path in self.notices
        if not is_notice and not has_date_keys(self.dates):
            return Validity.UNDATED
        return period_of(self.dates, path, self.texts[path]).validity(self.now)

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        return [
            path for path in self.notices if not self.validity(path).is_out_of_force
        ]
