"""The fields of a read file, beside its text, that the model is shown.

| result of `read(path="/a.json")` | shown, if the trial may write files | shown otherwise |
|---|---|---|
| `{"content": "...", "truncated": True, "hash": "5d41"}` | both other fields | `truncated` |
| `{"content": "...", "truncated": False, "hash": "5d41"}` | `hash`, to write the file | none |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.sandbox.interface import Plain

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files of these kinds are read in trials, but hardly ever written."""


def needed_fields(read: FileRead, *, may_write_files: bool) -> dict[str, Plain]:
    """Return the fields of the result that the model needs, except the text and the path.

    A flag is needed if it is true, and any other field, such as the hash, to write the file.
    """
    operation = read.operation
    is_document = read.path.casefold().endswith(_DOCUMENT_EXTENSIONS)
    may_write_this_file = may_write_files and not is_document

    names = {declared.name for declared in operation.fields}
    names -= {operation.json_field, operation.subject}
    fields: dict[str, Plain] = {}
    for name, value in read.result.items():
        is_needed = value if isinstance(value, bool) else may_write_this_file
        if is_needed and name in names:
            fields[name] = value
    return fields
