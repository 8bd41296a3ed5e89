"""The attributes that the result of a call has in a script, as the system prompt lists them.

`list` returns a list of objects, and where it can be cited. `read` returns a path, which the
script knows, and a text, which may be JSON:

    list   -> .entries [.name .path .is_dir] .call_path
    read   -> .content .json()
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import Operation, ResultField

CALL_PATH: Final = "call_path"
"""The result field with the path under which a result that is not a file can be cited, such
as `/count/1`."""


def result_attributes(operation: Operation, *, is_cited: bool) -> list[str]:
    """Return the attributes of an operation's result: `.entries [.name .path]`, `.json()`.

    `is_cited` is true if the answers in this environment cite their sources.
    """
    attributes: list[str] = []
    for field in operation.fields:
        if field.name == operation.subject:
            continue  # It repeats the path, which the script has passed to the call.
        if field.name == CALL_PATH and not is_cited:
            continue
        # A tree prints as a drawing, so scripts need not read the fields of its items.
        shows_items = not operation.drawn_as_tree
        attributes.append(_attribute(field, shows_items=shows_items))
    if operation.json_field:
        attributes.append(".json()")  # It parses the text in this field.
    return attributes


def _attribute(field: ResultField, *, shows_items: bool) -> str:
    """Return a field as an attribute. A list of objects has theirs, too: `.entries [.name]`."""
    if not field.items or not shows_items:
        return f".{field.name}"
    items = " ".join(f".{item}" for item in field.items)
    return f".{field.name} [{items}]"
