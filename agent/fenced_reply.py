"""Reads a reply that is a line of state and one fenced block of Python, without JSON.

Models that escape badly inside of JSON strings write code well in this form.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.code_repairs import is_program

_STATE_PREFIX: Final = "state:"
_FENCE: Final = "```"
_MAX_STATE_CHARS: Final = 400
"""As much as the schema of an action allows."""


def state_line(text: str) -> str:
    """Return the state that a line such as `state: reading the rules` gives; empty without one."""
    for line in text.partition(_FENCE)[0].splitlines():
        stripped = line.strip().strip("*")
        if stripped.lower().startswith(_STATE_PREFIX):
            return stripped[len(_STATE_PREFIX) :].strip(" *")[:_MAX_STATE_CHARS]
    return ""


def untagged_block(text: str) -> str | None:
    """Return the program in the only fence of a text, which names no language; None without one.

    A line of state must precede it: prose may show a fence that nobody means to run.
    """
    parts = text.split(_FENCE)
    if len(parts) != 3 or not state_line(text):
        return None
    block = parts[1]
    if not block.startswith("\n"):
        return None
    code = block.removeprefix("\n")
    return code if code.strip() and is_program(code) else None
