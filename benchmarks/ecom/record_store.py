"""Reads and saves the records of one trial, in files of a tree.

Fields have the names that the code uses, not those that the trial's world shows in files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from controlplane.benchmarks.ecom.record_names import RecordNames, record_text
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Checks the arguments with which a script calls a tool, such as `refund approve ret-0031`.
#
# A wrong call is refused by a `ValueError`; the tool prints its message.


def refuse(message: str) -> NoReturn:
    """Refuse a call of a tool: raise a `ValueError`."""
    raise ValueError(message)


def expect(arguments: Sequence[str], count: int, expected: str) -> None:
    """Refuse a call with more or fewer arguments. `expected` names them: `a basket id`."""
    if len(arguments) != count:
        refuse(f"expected {expected}")


def parsed_json(text: str, path: str) -> Plain:
    """Return the JSON value in the text of the file at a path.

    Refuses a text that is not JSON, or is nested too deeply.
    """
    try:
        parsed: Plain = read_json(text)
    except Unreadable as error:
        refuse(f"{path}: {error}")
    return parsed


def subject_of_subcommand(
    arguments: Sequence[str], verbs: Sequence[str], subject: str
) -> str:
    """Return the argument after a subcommand: `pay-12` in `refund approve pay-12`.

    `verbs` are the subcommands that the tool has, and `subject` names the argument in
    the refusal: `a payment id`.
    """
    if not arguments or arguments[0] not in verbs:
        refuse(f"expected the subcommand {' or '.join(verbs)}")
    expect(arguments, 2, f"{arguments[0]} and {subject}")
    return arguments[1]


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
