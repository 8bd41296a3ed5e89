"""The records of a workspace, and the files that they name.

A record is a file about one case, such as `/records/loans/l-12.json`. With the text `{"book":
"b7"}`, it names the file `/records/books/b7.json`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.file_candidate import declared_records
from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.record_search.record_kinds import (
    RecordKinds,
    root_with_slash,
)
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.unlisted_files import is_unlisted
from controlplane.sandbox.interface import NamedFiles

MAX_LINKS: Final = 8
"""A record that names more files than this is a list. The files are not read."""


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records of a workspace that were listed, with the files that a text may name.

    For the files `/records/loans/l-12.json` and `/logs/a.txt`, if the environment declares that
    `/records` has records: `paths` is `["/records/loans/l-12.json"]`.
    """

    declared: NamedFiles
    """The environment's declaration of where its records are."""
    paths: list[str]
    """The paths of the records."""
    names: FileNames
    """Finds the files that a text names."""
    kinds: RecordKinds
    """Tells of which kind each record is."""

    @classmethod
    def of(
        cls, calls: InitialCalls, facts: RequestFacts, documents: Collection[str]
    ) -> KnownRecords:
        """Return the records among the files that were listed so far.

        `documents` has the paths of documents, which are texts for all requests. They are no
        records, even if they are below the same folder.
        """
        declared = declared_records(calls.tool_schema)
        files = _other_files(calls, facts, documents)
        folders = tuple(root_with_slash(root) for root in declared.roots)
        paths = [path for path in files if path.startswith(folders)]
        return cls(
            declared=declared,
            paths=paths,
            names=FileNames(files, folders),
            kinds=RecordKinds(declared.roots),
        )

    @property
    def max_read_files(self) -> int:
        """The most files that are read at once: the named ones, and later the best ones."""
        return self.declared.most

    def links_in(self, texts: Iterable[str]) -> list[str]:
        """Return the files that some records name by their paths or ids, from their texts.

        `{"book": "b7"}` -> `/records/books/b7.json`

        A record that names many files is a list, and is left out. So are all JSON records if the
        environment declares this, because the model has functions that look up what they name.
        """
        files: list[str] = []
        for text in texts:
            is_json = text.startswith(("{", "["))
            if is_json and not self.declared.follows_records:
                continue
            links = self.names.files_named_in(text)
            if len(links) <= MAX_LINKS:
                files += links
        return files


def _other_files(
    calls: InitialCalls, facts: RequestFacts, documents: Collection[str]
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents)
    for sent in calls.all_calls:
        # A call without a path adds "None", which does no harm: it is not a file's path.
        left_out.add(str(sent.call.arguments.get("path")))
    files: list[str] = []
    for path in facts.listed.files:
        if path not in left_out and not is_unlisted(path):
            files.append(path)
    return files
