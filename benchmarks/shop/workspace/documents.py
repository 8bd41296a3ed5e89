"""The documents of a shop: its rules, the pages that the rules name, and notes on its stock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from controlplane.benchmarks.shop.texts import (
    YesNoWords,
    certain_yes_no_words,
    marked_words,
    named_paths,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.kinds import is_document
from controlplane.benchmarks.shop.workspace.reading import FileList

# The documents of a shop: its rules, and the pages that the rules name.
#
# The rules are a document at the root, such as `/AGENTS.md`, and name the pages to follow: "Read
# /docs/security.md, /docs/returns.md and /docs/stock.md. Answer `yes` or `no`."

_ROOT_DOCUMENT: Final = re.compile(r"/[^/]+\.md", re.IGNORECASE)
"""`/AGENTS.md`"""
_TOP_DOCUMENT: Final = re.compile(r"/docs/[^/]+\.md", re.IGNORECASE)
"""`/docs/returns.md`"""
_LEAST_NAMED_DOCUMENTS: Final = 3
"""Rules that name at least this many documents are taken to name all policies.

If they name fewer, the documents in `/docs` are read, too.
"""
_MAX_TOP_DOCUMENTS: Final = 40
"""The most documents of `/docs` that are read then."""


class ShopDocuments:
    """The rules of a shop and the pages that they name. Each is read when it is first needed."""

    def __init__(self, files: FileList) -> None:
        self.files = files

    @cached_property
    def rules(self) -> str:
        """The text of the rules document: the document at the root that names the most files.

        Raises `CannotRead` if no document is at the root.
        """
        paths = [path for path in self.files.paths if _ROOT_DOCUMENT.fullmatch(path)]
        require(
            paths,
            "there is no rules document: no document lies at the root of the workspace",
        )
        texts = self.files.reader.read_all(paths)
        if len(texts) == 1:
            return texts[0]
        return max(texts, key=self._number_of_named_files)

    def _number_of_named_files(self, text: str) -> int:
        """Return how many existing files a text names by their paths."""
        return len(self.files.path_set.intersection(named_paths(text)))

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of the documents that the rules name, by path.

        If the rules name fewer than `_LEAST_NAMED_DOCUMENTS`, the documents in `/docs`,
        but not in its folders, are added.
        """
        paths = _existing_documents(named_paths(self.rules), self.files.paths)
        if len(paths) < _LEAST_NAMED_DOCUMENTS:
            unnamed = []
            for path in self.files.paths:
                if _TOP_DOCUMENT.fullmatch(path) and path not in paths:
                    unnamed.append(path)
            paths += unnamed[:_MAX_TOP_DOCUMENTS]
        return dict(zip(paths, self.files.reader.read_all(paths), strict=True))

    @cached_property
    def marked(self) -> frozenset[str]:
        """All words that a document puts in backticks."""
        return frozenset().union(*map(marked_words, self.texts.values()))

    @cached_property
    def yes_no(self) -> YesNoWords:
        """The words that stand for yes and no in answers: `<YES>` and `<NO>`.

        Raises `CannotRead` if they are not certain.
        """
        refusal = (
            "the rules document does not say with which words yes and no are answered"
        )
        return value_or_raise(certain_yes_no_words(self.rules), refusal)

    def named_paths(self) -> Iterator[str]:
        """Yield all paths that the rules or another document name."""
        for text in (self.rules, *self.texts.values()):
            yield from named_paths(text)

    def is_in_unnamed_document(self, pattern: str) -> bool:
        """Return True if a pattern occurs in a document that the rules do not name.

        Such a document, for example `/docs/notices/2027-03-01.md`, may change what the named
        pages say. The rules themselves, which are at the root, do not count.
        """
        for path, _line in self.files.reader.search(pattern, "/"):
            is_at_root = path.count("/") == 1
            if is_document(path) and not is_at_root and path not in self.texts:
                return True
        return False


def _existing_documents(named: tuple[str, ...], paths: tuple[str, ...]) -> list[str]:
    """Return the files that names mean, each once. A name may be in other case."""
    document_by_folded = {}
    for path in paths:
        if is_document(path):
            document_by_folded[path.casefold()] = path
    documents = []
    for name in named:
        document = document_by_folded.get(name.casefold())
        if document is not None and document not in documents:
            documents.append(document)
    return documents


# Notes which warn that the stock of a branch may differ from its records.
#
# A shop may have a day book that says "20 pieces of AB-1 arrived, not yet in the inventories".
# Whether it changes an answer is for the model to read, so a function only points to such a page.

_INVENTORIES: Final = r"\b[Ii]nventories\b"
"""The word that marks a page that may correct the stock in the records.

Such a page is a day book of deliveries, or a note after stock was counted by hand.
"""


def stock_notes(documents: ShopDocuments) -> tuple[str, ...]:
    """Return a note if a document that the rules do not name is about inventories.

    Such a document may correct the stock in the records.
    """
    if not documents.is_in_unnamed_document(_INVENTORIES):
        return ()
    return (
        "a page that the rules do not name tells of inventories: stock is by the records alone",
    )
