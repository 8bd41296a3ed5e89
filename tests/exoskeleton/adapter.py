"""Answers the recorded behaviours of a second solver with the shop's functions: renames what goes in and comes out.

Each part of the cases is one function in a module beside this one, found by its name.
"""

from typing import Any

from tests.exoskeleton import answer_parts, record_parts

PARTS = {**answer_parts.PARTS, **record_parts.PARTS}


def answer(part: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what they say to one case. Raises `NotImplementedError` for a part that it does not answer."""
    if part not in PARTS:
        raise NotImplementedError(part)
    return PARTS[part](given)
