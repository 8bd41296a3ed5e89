"""The line of the first message about one file or folder of records: its fields, and its code.

Values are not shown, because the user who asks may not be allowed to see them:

    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
    - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`
"""

from __future__ import annotations

from controlplane.agent.loop.initial_prompt.records.json_shape import json_shape
from controlplane.agent.loop.initial_prompt.records.reading_code import reading_code
from controlplane.agent.loop.initial_prompt.records.record_fields import (
    columns_of,
    names_of_fields,
)
from controlplane.agent.loop.initial_prompt.records.record_files import RecordFiles


def reading_line(records: RecordFiles, text: str) -> str:
    """Return the line that tells the model how to read a file or folder of records.

    `text` is the content of the file, or of the first file in the folder. Without fields
    in it, the line is empty.
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
