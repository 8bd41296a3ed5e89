"""The lines of the system prompt about an environment's own calls.

They say how a script makes a call, and which attributes its result has. Tools of servers and
functions of the benchmark have lines in other formats.

- list(path='/') -> .entries [.name .path .is_dir]: what a folder holds
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.agent.loop.initial_prompt.reference.result_attributes import (
    CALL_PATH,
    result_attributes,
)
from controlplane.sandbox.interface import Operation, signature

CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"


def own_call_lines(operations: Sequence[Operation], *, is_cited: bool) -> Iterator[str]:
    """Yield a line for each operation, and a note about results that can be cited.

    `is_cited` is true if the answers in this environment cite their sources. If they don't,
    the lines leave out the field `call_path`, by which a result is cited.
    """
    for operation in operations:
        yield _operation_line(operation, is_cited=is_cited)
    if is_cited and any(_has_call_path(operation) for operation in operations):
        yield CALL_PATH_NOTE


def _has_call_path(operation: Operation) -> bool:
    """Return True if the results of an operation can be cited by their `call_path`."""
    return any(field.name == CALL_PATH for field in operation.fields)


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation, with its attributes and its parameters.

    - find(name) -> .paths: files by their names (name: a pattern such as *.md)
    """
    attributes = result_attributes(operation, is_cited=is_cited)
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    line = f"- {signature(operation).removeprefix('harness.')}"
    if attributes:
        line += f" -> {' '.join(attributes)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line
