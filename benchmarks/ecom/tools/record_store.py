"""Reads and saves the records of one trial, in files of a tree.

Fields have the names that the code uses, not those that the trial's world shows in files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.benchmarks.ecom.record_names import RecordNames, record_text
from controlplane.benchmarks.ecom.tools.tool_arguments import parsed_json, refuse
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record that was read: the path of its file, and its data by the code's names."""

    path: str
    data: dict[str, Plain]


class RecordStore:
    """The records in a tree of files. Each kind is below its own folder, such as `/proc/baskets`."""

    def __init__(self, tree: FileTree, names: RecordNames) -> None:
        self.tree = tree
        self.names = names

    def records_below(self, root: str) -> Iterator[StoredRecord]:
        """Yield the records below a folder. Files that are not JSON objects are skipped."""
        for path in self.tree.paths():
            if not path.startswith(f"{root}/") or not path.endswith(".json"):
                continue
            try:
                data = parsed_json(self.tree.text(path) or "", path)
            except ValueError:
                continue
            if isinstance(data, dict):
                yield StoredRecord(path, self.names.in_code_names(data))

    def record(self, root: str, record_id: str) -> StoredRecord:
        """Return the record with this id below a folder, however deep.

        Raises `ValueError` if there is none, or if its file is not a JSON object.
        """
        for path in self.tree.paths():
            if not path.startswith(f"{root}/"):
                continue
            if path.rsplit("/", 1)[1] == f"{record_id}.json":
                data = parsed_json(self.tree.text(path) or "", path)
                if not isinstance(data, dict):
                    refuse(f"{path} is not a valid record")
                return StoredRecord(path, self.names.in_code_names(data))
        msg = f"no record {record_id!r} under {root}"
        raise ValueError(msg)

    def save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A lone surrogate, which JSON allows, becomes a question mark."""
        text = record_text(self.names.in_shown_names(data))
        self.tree.write(path, text.encode("utf-8", "replace").decode())
