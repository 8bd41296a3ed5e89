"""Tells which files are records, and which files a request or a record names.

A record is a file about one case. Those that a request names are shown to the model before it is
asked. The environment declares in which folders records are, such as `/records`. If the files are
`/records/loans/l-12.json` and `/logs/a.txt`:

    known.paths                                       -> ["/records/loans/l-12.json"]
    known.kinds.kind_of("/records/loans/l-12.json")   -> "/records/loans"
    known.names.files_named_in("Close l-12")          -> ["/records/loans/l-12.json"]
    known.names.files_named_in("Send /logs/a.txt")    -> ["/logs/a.txt"], which is no record
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
    """The records among the listed files, and what the environment declares about records."""

    declared: NamedFiles
    """In which folders records are, by which operations they are read and searched, and how many
    are read at once."""
    owners: RecordOwners | None
    """In which field a record names the user who owns it; None if everybody may see all records."""
    paths: list[str]
    """The paths of the records."""
    names: FileNames
    """Finds the files that a text names: a record by its id or path, any other file by its path."""
    kinds: RecordKinds
    """Tells of which kind each record is."""

    @classmethod
    def among(cls, files: Sequence[str], tool_schema: ToolSchema) -> KnownRecords:
        """Return the records among these files."""
        declared = declared_records(tool_schema)
        folders = tuple(root_with_slash(root) for root in declared.roots)
        return cls(
            declared=declared,
            owners=tool_schema.record_owners,
            paths=[path for path in files if path.startswith(folders)],
            names=FileNames(files, folders),
            kinds=RecordKinds(declared.roots),
        )
