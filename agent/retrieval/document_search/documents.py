"""The documents of a workspace, with what is known of their texts and dates.

A document is a text for all trials, such as the policy `/docs/parking.md`. A notice is
a document that changes other documents from the day in its name on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.retrieval.document_search.document_dates import (
    day_in_name,
    period_of,
)
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.agent.retrieval.validity import Validity
from controlplane.sandbox.interface import DocumentDates, Operation


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """The documents that one of the environment's declared calls lists."""

    read: Operation | None = None
    """The operation that reads a document; None if there are no documents."""
    root: str = "/"
    """The folder that holds them."""
    paths: tuple[str, ...] = ()

    def named_in(self, text: str) -> list[str]:
        """Return the documents whose paths are in a text, in the order of the listing."""
        named = set(paths_in(text))
        return [path for path in self.paths if path in named]


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """The texts of documents, as far as they are known, and when they are in force."""

    listed: ListedDocuments
    texts: dict[str, str]
    """The text of each document, or the lines that a search found in it, or nothing."""
    notices: tuple[str, ...]
    """The paths of the documents that change other documents."""
    dates: DocumentDates | None
    """Where the environment puts the dates of documents; None if they have no dates."""
    now: datetime | None
    """The trial's clock; None if it has none."""

    def take_found_lines(self, found_lines: Mapping[str, str]) -> None:
        """Take the lines that a search found in each document as the text known so far."""
        for path in self.texts:
            self.texts[path] = found_lines.get(path, "")

    def first_text(self, paths: Iterable[str]) -> str:
        """Return the first known text of some documents; empty if none is known."""
        for path in paths:
            text = self.texts.get(path)
            if text:
                return text
        return ""

    def named_in(self, path: str) -> list[str]:
        """Return the documents that a document names in its text."""
        return self.listed.named_in(self.texts[path])

    def about(self, folders: Collection[str]) -> list[str]:
        """Return the documents whose texts name one of the folders, such as `/records/loans`."""
        documents: list[str] = []
        for path, text in self.texts.items():
            named_folders = set(paths_in(text)).intersection(folders)
            if named_folders and path not in self.notices:
                documents.append(path)
        return documents

    def validity(self, path: str) -> Validity:
        """Return whether a document is in force; `UNDATED` if the trial has no clock."""
        dates = self.dates
        if dates is None or self.now is None:
            return Validity.UNDATED
        has_dates_in_text = bool(dates.from_keys or dates.until_keys)
        if path not in self.notices and not has_dates_in_text:
            return Validity.UNDATED
        return period_of(dates, path, self.texts[path]).validity(self.now)

    def notices_in_force(self) -> list[str]:
        """Return the notices except those that are certainly not in force."""
        return [
            path for path in self.notices if not self.validity(path).is_out_of_force
        ]


def notices_among(
    paths: Collection[str], rules: str, described_paths: Iterable[str]
) -> tuple[str, ...]:
    """Return the documents that are notices: `/docs/updates/2031-05-02-keys.md`.

    A notice has a day in its name. The rules name its folder, but describe neither the
    folder nor its files (`described_paths`), because notices may be about any subject.
    """
    folders = set(paths_in(rules))
    folders.difference_update(paths)
    folders.difference_update(_folder_of(path) for path in described_paths)
    return tuple(
        path for path in paths if _folder_of(path) in folders and day_in_name(path)
    )


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
