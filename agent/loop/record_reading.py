"""Writes lines for the first message that tell the model how to read records.

Each table or folder of JSON files that the rules or the request name gets a line, with
its fields and the code that reads it:

    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`

Without these lines, models guess the fields or forget to parse the text. Values are not
shown, because the user who asks may not be allowed to see them.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls import InitialCalls
from controlplane.agent.prompt_sections import result_text
from controlplane.sandbox.interface import FILE_OPERATIONS

MAX_LINES: Final = 4
"""Max lines. A workspace with more kinds of records describes them in its documents."""
MAX_FIELDS: Final = 12
MAX_FIELD_CHARS: Final = 30
MAX_PARSED_CHARS: Final = 50_000
"""Longer files are not parsed for the first message."""

TITLE: Final = "How to read the records:\n"


def reading_help(
    calls: InitialCalls, named_paths: Iterable[str], files: Sequence[str]
) -> str:
    """Return the lines about the named tables and folders; empty if there are none.

    `files` are all listed files of the workspace. One of each folder is read.
    """
    read = calls.tool_schema.operation("read")
    if read is None or read not in FILE_OPERATIONS:
        return ""
    lines: list[str] = []
    for records in record_files(named_paths, files):
        if calls.remaining_calls == 0:
            break
        call = calls.send(read.name, {read.subject: records.path})
        line = reading_line(records, result_text(read, calls.result(call)))
        if line:
            lines.append(f"{line}\n")
    return "".join([TITLE, *lines]) if lines else ""


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
    """Return the files and folders of records among the named paths, at most
    `MAX_LINES`.

    `files` are all listed files of the workspace.
    """
    found: list[RecordFiles] = []
    for path in dict.fromkeys(named_paths):
        if len(found) == MAX_LINES:
            break
        if path in files:
            if path.endswith((".csv", ".tsv", ".json")):
                found.append(RecordFiles(path))
            continue
        json_files: list[str] = []
        for file in files:
            if file.startswith(f"{path}/") and file.endswith(".json"):
                json_files.append(file)
        if json_files:
            found.append(RecordFiles(json_files[0], path, len(json_files)))
    return found


def reading_line(records: RecordFiles, text: str) -> str:
    """Return the line about a file or folder of records; empty if the file cannot be
    parsed.

    `text` is the content of the file, or of the first file in the folder.
    """
    if records.path.endswith(".json"):
        return _json_line(records, text)
    return _table_line(records, text)


def _table_line(records: RecordFiles, text: str) -> str:
    """Return the line about a table, such as "- /loans.csv, columns id, due: `rows =
    ...`"."""
    # 1. Read the names of the columns.
    has_tabs = records.path.endswith(".tsv")
    header = text.partition("\n")[0][:MAX_PARSED_CHARS]
    columns: list[str] = []
    with suppress(csv.Error):
        columns = next(csv.reader([header], delimiter="\t" if has_tabs else ","), [])
    if not any(column.strip() for column in columns):
        return ""

    # 2. Write the code: `rows = list(csv.DictReader(harness.read("/a.csv").content.splitlines()))`
    quoted_path = json.dumps(records.path)
    arguments = f"harness.read({quoted_path}).content.splitlines()"
    if has_tabs:
        arguments += ', delimiter="\\t"'
    code = f"rows = list(csv.DictReader({arguments}))"
    return f"- {records.path}, columns {_list_of(columns)}: `{code}`"


def _json_line(records: RecordFiles, text: str) -> str:
    """Return the line about a JSON file, or a folder of JSON files."""
    try:
        data = json.loads(text[: MAX_PARSED_CHARS + 1])
    except (
        ValueError,
        RecursionError,
    ):  # The text is not JSON, or it was too long and is cut.
        return ""
    shape = _shape_of(data)
    if not shape:
        return ""
    if not records.folder:
        code = f"data = harness.read({json.dumps(records.path)}).json()"
        return f"- {records.path}, {shape}: `{code}`"
    paths = f'harness.find("*.json", root={json.dumps(records.folder)}, limit=0).paths'
    code = f"for path in {paths}: record = harness.read(path).json()"
    return f"- {records.folder}, {records.count} JSON files, {shape}: `{code}`"


def _shape_of(data: object) -> str:
    """Return the description of parsed JSON by its fields.

    {"id": "l-1", "due": "2027-03-02"}          -> "fields id, due"
    [{"id": "l-1", "due": "2027-03-02"}]        -> "a list of records with id, due"
    {"l-1": {"due": "..."}, "l-2": {"due": "..."}}  -> "fields l-1, l-2, each with due"
    """
    if isinstance(data, list):
        if data and isinstance(data[0], dict):
            return f"a list of records with {_list_of(data[0])}"
        return "a list"
    if not isinstance(data, dict) or not data:
        return ""
    shape = f"fields {_list_of(data)}"
    first = next(iter(data.values()))
    if isinstance(first, dict) and len(data) > 1:
        shape += f", each with {_list_of(first)}"
    return shape


def _list_of(names: Iterable[str]) -> str:
    """Return names of fields in one line: `["id", "due"]` -> "id, due"."""
    names = list(names)
    shown = [" ".join(name.split())[:MAX_FIELD_CHARS] for name in names[:MAX_FIELDS]]
    if len(names) > MAX_FIELDS:
        shown.append("…")
    return ", ".join(shown)
