"""The tables and JSON files of records that the rules or the request name.

A record is about one case, such as a loan. The records are rows of a table, `/loans.csv`, items
of one JSON file, or JSON files in one folder, `/books/b1.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MAX_RECORD_FILES: Final = 4
"""How many are told to the model. A workspace with more kinds of records describes them in its
documents."""


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """A table or JSON file of records, or a folder with a JSON file for each record."""

    path: str
    """The path of the file, or of the first file in the folder."""
    folder: str = ""
    """The folder; empty for a single file."""
    count: int = 1
    """The number of the folder's JSON files."""


def record_files(named_paths: Iterable[str], files: Sequence[str]) -> list[RecordFiles]:
    """Return the files and folders of records at the named paths, at most `MAX_RECORD_FILES`.

    `named_paths` are in the rules or the request: `/loans.csv`, or the folder `/books`, which
    counts if it has JSON files. `files` are all listed files of the workspace.
    """
    found: list[RecordFiles] = []
    for path in dict.fromkeys(named_paths):
        if len(found) == MAX_RECORD_FILES:
            break
        records = _records_at(path, files)
        if records is not None:
            found.append(records)
    return found


def _records_at(path: str, files: Sequence[str]) -> RecordFiles | None:
    """Return the records at a path, which may be that of a folder; None if there are none.

    "/loans.csv"                      -> RecordFiles("/loans.csv")
    "/books", with two files of JSON  -> RecordFiles("/books/b1.json", "/books", count=2)
    """
    if path in files:
        has_records = path.endswith((".csv", ".tsv", ".json"))
        return RecordFiles(path) if has_records else None
    in_folder = [file for file in files if file.startswith(f"{path}/")]
    json_files = [file for file in in_folder if file.endswith(".json")]
    if not json_files:
        return None
    return RecordFiles(json_files[0], path, len(json_files))
