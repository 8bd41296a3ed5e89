"""Reads the fields of an action leniently, because models write them in many forms.

| field | a model writes | read as |
|---|---|---|
| state | `null` | empty |
| plan | `"read\\nanswer"` | `["read", "answer"]` |
| done | `"Yes"` | True |
| code | `["a = 1", "print(a)"]` | `a = 1`, a newline, `print(a)` |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.code.code_repairs import repaired_code
from controlplane.sandbox.interface import well_formed

MAX_PLAN_STEPS: Final = 5
"""A plan is only recorded, so further steps are left out."""


def state_of(value: object) -> str:
    """Return a state as text. Any type is accepted, because a state is only a remark."""
    return "" if value is None else str(value)


def steps_of(value: object) -> list[str]:
    """Return a plan as a list of steps. Any type is accepted, because a plan is only a remark."""
    if value is None:
        return []
    if isinstance(value, str):
        steps = [line.strip() for line in value.splitlines() if line.strip()]
    elif isinstance(value, list | tuple):
        steps = [str(step) for step in value]
    else:
        steps = [str(value)]
    return steps[:MAX_PLAN_STEPS]


def is_yes(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


def program_of(value: object) -> object:
    """Return code as one text, in the form of a program if a repair can give it this form.

    A value that is neither a text nor a list of lines is returned unchanged, and the
    validation refuses it.
    """
    if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
        value = "\n".join(line.removesuffix("\n") for line in value)
    if not isinstance(value, str):
        return value
    # Lone surrogates are replaced, because they cannot be encoded.
    return repaired_code(well_formed(value))
