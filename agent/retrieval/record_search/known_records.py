"""The records of a workspace, among all files that its calls have listed.

A record is a file about one case. An environment may declare that `/records` has records:

| listed file | is it a record? |
|---|---|
| `/records/loans/l-12.json` | yes |
| `/records/README.md`, which was listed as a document | no: it is a text for all requests |
| `/logs/a.txt` | no: it is below another folder. But a request may name it |
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.listing.unlisted_files import is_unlisted
from controlplane.agent.retrieval.record_search.record_kinds import (
    RecordKinds,
    declared_records,
    root_with_slash,
)
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import NamedFiles, RecordOwners


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records that were listed, and what the environment declares about them."""

    declared: NamedFiles
    """Where records are, how they are read and searched, and how many are read at once."""
    owners: RecordOwners | None
    """How to tell to which user a record belongs; None if everybody may see all records."""
    paths: list[str]
    """The paths of the records: `/records/loans/l-12.json`."""
    names: FileNames
    """Finds the files that a text names: records, and other files that are no documents."""
    kinds: RecordKinds
    """Tells of which kind each record is: `/records/loans`."""

    @classmethod
    def of(
        cls, calls: InitialCalls, facts: RequestFacts, documents: Collection[str]
    ) -> KnownRecords:
        """Return the records among the listed files. `documents` are the paths of documents."""
        declared = declared_records(calls.tool_schema)
        files = _other_files(calls, facts, documents)
        folders = tuple(root_with_slash(root) for root in declared.roots)
        return cls(
            declared=declared,
            owners=calls.tool_schema.record_owners,
            paths=[path for path in files if path.startswith(folders)],
            names=FileNames(files, folders),
            kinds=RecordKinds(declared.roots),
        )


def _other_files(
    calls: InitialCalls, facts: RequestFacts, documents: Collection[str]
) -> list[str]:
    """Return the listed files except documents and files that other initial calls read."""
    left_out = set(documents)
    for sent in calls.all_calls:
        path = sent.call.arguments.get("path")
        if isinstance(path, str):
            left_out.add(path)
    return [
        path
        for path in facts.listed.files
        if path not in left_out and not is_unlisted(path)
    ]
