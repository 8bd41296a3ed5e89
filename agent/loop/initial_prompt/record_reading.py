"""Writes lines for the first message that tell the model how to read records.

Each table or folder of JSON files that the rules or the request name gets a line, with
its fields and the code that reads it:

    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`

Without these lines, models guess the fields or forget to parse the text. Values are not
shown, because the user who asks may not be allowed to see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.initial_calls.call_texts import result_text
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.record_fields import (
    columns_of,
    json_shape,
    names_of_fields,
)
from controlplane.agent.loop.initial_prompt.record_files import (
    RecordFiles,
    record_files,
)
from controlplane.sandbox.interface import FILE_OPERATIONS

# The code in the lines. `{}` takes a path in quotation marks.

CSV_CODE: Final = "rows = list(csv.DictReader(harness.read({}).content.splitlines()))"
TSV_CODE: Final = (
    "rows = list(csv.DictReader(harness.read({}).content.splitlines(), "
    'delimiter="\\t"))'
)
JSON_CODE: Final = "data = harness.read({}).json()"
FOLDER_CODE: Final = (
    'for path in harness.find("*.json", root={}, limit=0).paths: '
    "record = harness.read(path).json()"
)

TITLE: Final = "How to read the records:\n"


def reading_help(
    calls: InitialCalls, named_paths: Iterable[str], files: Sequence[str]
) -> str:
    """Return the lines about the tables and folders at the named paths; empty without any.

    `named_paths` are in the rules or the request. `files` are all listed files of the
    workspace. One file of each folder is read to find its fields.
    """
    read = calls.tool_schema.operation("read")
    if read is None or read not in FILE_OPERATIONS:
        return ""  # The code in the lines only works with the usual form of `read`.
    lines: list[str] = []
    for records in record_files(named_paths, files):
        if calls.remaining_calls == 0:
            break
        path_argument = {read.subject: records.path}
        call = calls.send(read.name, path_argument)
        line = reading_line(records, result_text(read, calls.result(call)))
        if line:
            lines.append(f"{line}\n")
    if not lines:
        return ""
    return "".join([TITLE, *lines])


def reading_line(records: RecordFiles, text: str) -> str:
    """Return the line that tells the model how to read a file or folder of records.

    `text` is the content of the file, or of the first file in the folder. Without fields
    in it, the line is empty. Other lines are, for example:

        - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
        - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`
    """
    fields = fields_in_words(records.path, text)
    if not fields:
        return ""
    name = records.path
    if records.folder:
        name = f"{records.folder}, {records.count} JSON files"
    return f"- {name}, {fields}: `{reading_code(records)}`"


def fields_in_words(path: str, text: str) -> str:
    """Return the fields of a file of records, from its text; empty if there are none.

    `/loans.csv` -> `columns id, due`, `/books/b1.json` -> `fields id, title`
    """
    if path.endswith(".json"):
        return json_shape(text)
    delimiter = "," if path.endswith(".csv") else "\t"
    columns = columns_of(text, delimiter)
    if not columns:
        return ""
    return f"columns {names_of_fields(columns)}"


def reading_code(records: RecordFiles) -> str:
    """Return the code that reads a file or folder of records in a script."""
    if records.folder:
        return FOLDER_CODE.format(json.dumps(records.folder))
    path = json.dumps(records.path)
    if records.path.endswith(".json"):
        return JSON_CODE.format(path)
    if records.path.endswith(".csv"):
        return CSV_CODE.format(path)
    return TSV_CODE.format(path)
