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
    list_of,
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
    is_standard_read = read in FILE_OPERATIONS
    if read is None or not is_standard_read:
        return ""  # The code in the lines would not work with a `read` of another form.
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
    if not records.path.endswith(".json"):
        return _table_line(records.path, text)
    shape = json_shape(text)
    if not shape:
        return ""
    if records.folder:
        code = FOLDER_CODE.format(json.dumps(records.folder))
        return f"- {records.folder}, {records.count} JSON files, {shape}: `{code}`"
    code = JSON_CODE.format(json.dumps(records.path))
    return f"- {records.path}, {shape}: `{code}`"


def _table_line(path: str, text: str) -> str:
    """Return the line about a table; empty if it has no names of columns.

    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
    """
    if path.endswith(".csv"):
        columns = columns_of(text, delimiter=",")
        code = CSV_CODE.format(json.dumps(path))
    else:
        columns = columns_of(text, delimiter="\t")
        code = TSV_CODE.format(json.dumps(path))
    if not columns:
        return ""
    return f"- {path}, columns {list_of(columns)}: `{code}`"
