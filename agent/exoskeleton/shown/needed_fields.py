"""The fields of a read file, beside its text, that the model is shown.

All others would only take room in the conversation. A flag is shown if it is true. Any other field,
such as the hash, is only of use to a model that may write the file:

    result of `read(path="/a.json")`    {"content": "...", "truncated": True, "hash": "5d41"}
    shown, if it may be written         {"truncated": True, "hash": "5d41"}
    shown otherwise                     {"truncated": True}
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.sandbox.interface import Plain

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files of these kinds are read in trials, but hardly ever written."""


def needed_fields(read: FileRead, *, may_write_files: bool) -> dict[str, Plain]:
    """Return the fields of the result that the model needs, except the text and the path."""
    operation = read.operation
    is_document = read.path.casefold().endswith(_DOCUMENT_EXTENSIONS)
    may_write_this_file = may_write_files and not is_document

    names = {declared.name for declared in operation.fields}
    names -= {operation.json_field, operation.subject}  # the text and the path
    fields: dict[str, Plain] = {}
    for name, value in read.result.items():
        is_flag = isinstance(value, bool)
        is_needed = value if is_flag else may_write_this_file
        if is_needed and name in names:
            fields[name] = value
    return fields
