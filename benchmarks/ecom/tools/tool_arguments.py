"""Checks the arguments with which a script calls a tool, such as `refund approve ret-0031`.

A wrong call is refused by a `ValueError`; the tool prints its message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


def refuse(message: str) -> NoReturn:
    """Refuse a call of a tool: raise a `ValueError`."""
    raise ValueError(message)


def expect(arguments: Sequence[str], count: int, expected: str) -> None:
    """Refuse a call with more or fewer arguments. `expected` names them: `a basket id`."""
    if len(arguments) != count:
        refuse(f"expected {expected}")


def parsed_json(text: str, path: str) -> Plain:
    """Return the JSON value in the text of the file at a path.

    Refuses a text that is not JSON, or is nested too deeply.
    """
    try:
        parsed: Plain = read_json(text)
    except Unreadable as error:
        refuse(f"{path}: {error}")
    return parsed


def subject_of_subcommand(
    arguments: Sequence[str], verbs: Sequence[str], subject: str
) -> str:
    """Return the argument after a subcommand: `pay-12` in `refund approve pay-12`.

    `verbs` are the subcommands that the tool has, and `subject` names the argument in
    the refusal: `a payment id`.
    """
    if not arguments or arguments[0] not in verbs:
        refuse(f"expected the subcommand {' or '.join(verbs)}")
    expect(arguments, 2, f"{arguments[0]} and {subject}")
    return arguments[1]
