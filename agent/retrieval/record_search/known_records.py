"""The records of a workspace, and the names by which a text may mean a file.

A record is a file about one case. The environment declares which folders have records, such as
`/records`. Of the files `/records/loans/l-12.json` and `/logs/a.txt`:

    known.paths                                       -> the first: it is a record
    known.names.files_named_in("Close l-12")          -> the first, by its id
    known.names.files_named_in("Send /logs/a.txt")    -> the second: any file, by its path
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.record_search.record_kinds import (
    RecordKinds,
    declared_records,
    root_with_slash,
)
from controlplane.sandbox.interface import NamedFiles, RecordOwners, ToolSchema


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records among some files, and what the environment declares about records."""

    declared: NamedFiles
    """Where records are, how they are read and searched, and how many are read at once."""
    owners: RecordOwners | None
    """How to tell to which user a record belongs; None if everybody may see all records."""
    paths: list[str]
    """The paths of the records: `/records/loans/l-12.json`. A request may ask for such a file by
    words that are in it."""
    names: FileNames
    """Finds the files that a text names: records, and any other of the files."""
    kinds: RecordKinds
    """Tells of which kind each record is: `/records/loans`."""

    @classmethod
    def among(cls, files: Sequence[str], tool_schema: ToolSchema) -> KnownRecords:
        """Return the records among these files, which the caller may want to show."""
        declared = declared_records(tool_schema)
        folders = tuple(root_with_slash(root) for root in declared.roots)
        return cls(
            declared=declared,
            owners=tool_schema.record_owners,
            paths=[path for path in files if path.startswith(folders)],
            names=FileNames(files, folders),
            kinds=RecordKinds(declared.roots),
        )
