"""The Python code by which a script reads a table, a JSON file or a folder of JSON files.

Small models forget to parse the text of a file, so the first message shows them the code:

    /loans.csv    rows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))
    /loans.json   data = harness.read("/loans.json").json()
"""

from __future__ import annotations

import json
from typing import Final

from controlplane.agent.loop.initial_prompt.records.record_files import RecordFiles

# `{}` takes a path in quotation marks.
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
