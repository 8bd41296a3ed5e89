"""Checks the arguments of a tool, whose refusals are `ValueError`s with the message to print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NoReturn

from controlplane.sandbox.interface import Plain


def refuse(message: str) -> NoReturn:
    """Refuse a call of a tool: raise a `ValueError`."""
    raise ValueError(message)


def expect(arguments: Sequence[str], count: int, expected: str) -> None:
    """Refuse a call with more or fewer arguments. `expected` names them: `a basket id`."""
    if len(arguments) != count:
        refuse(f"expected {expected}")


def parsed_json(text: str, path: str) -> Plain:
    """Parse the JSON text at a path. Refuses others, also text that is nested too deeply."""
    try:
        parsed: Plain = json.loads(text)
    except (ValueError, RecursionError) as error:
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
