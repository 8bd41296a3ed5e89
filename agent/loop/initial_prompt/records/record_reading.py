"""The part of the first message that tells the model how to read records.

Without it, models guess the fields or forget to parse the text. Each table or folder of JSON
files that the rules or the request name is read once, and gets a line:

    How to read the records:
    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
    - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.initial_calls.call_texts import result_text
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.records.reading_line import reading_line
from controlplane.agent.loop.initial_prompt.records.record_files import record_files
from controlplane.sandbox.interface import FILE_OPERATIONS

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
        line = reading_line(records, result_text(read, call.result()))
        if line:
            lines.append(f"{line}\n")
    if not lines:
        return ""
    return "".join([TITLE, *lines])
