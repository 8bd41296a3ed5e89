"""The lines of the system prompt about the calls of an environment itself.

- list(path='/') -> .entries [.name .path .is_dir]: what a folder holds
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.sandbox.interface import Operation, ResultField, signature

CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
CALL_PATH: Final = "call_path"
"""The result field with the path under which a result can be cited."""


def own_call_lines(operations: Sequence[Operation], *, is_cited: bool) -> Iterator[str]:
    has_call_path = False
    for operation in operations:
        yield _operation_line(operation, is_cited=is_cited)
        if any(result.name == CALL_PATH for result in operation.fields):
            has_call_path = True
    if is_cited and has_call_path:
        yield CALL_PATH_NOTE


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation:

    `- list(path='/') -> .entries [.name .path .is_dir]:
    what a folder holds (path: of the folder)`
    """
    results = _results(operation, is_cited=is_cited)
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    line = f"- {signature(operation).removeprefix('harness.')}"
    if results:
        line += f" -> {' '.join(results)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line


def _results(operation: Operation, *, is_cited: bool) -> list[str]:
    """Return the attributes of a result: `.entries [.name .path]`, `.json()`."""
    results: list[str] = []
    for result in operation.fields:
        if result.name == operation.subject:
            continue  # The script knows the path.
        if result.name == CALL_PATH and not is_cited:
            continue
        # A tree prints as a drawing, so scripts need not read the fields of its items.
        shows_items = not operation.drawn_as_tree
        results.append(_field_text(result, shows_items=shows_items))
    if operation.json_field:
        results.append(".json()")
    return results


def _field_text(result: ResultField, *, shows_items: bool) -> str:
    if not result.items or not shows_items:
        return f".{result.name}"
    items = " ".join(f".{item}" for item in result.items)
    return f".{result.name} [{items}]"
