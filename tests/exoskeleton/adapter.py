"""Answers the recorded behaviours of a second solver with the toolkit: renames what goes in and comes out, no more.

Each part of the cases is one function in a module beside this one, found by its name.
"""

from __future__ import annotations

from typing import Any

from tests.exoskeleton import fraud_parts, matching_parts, plan_parts, text_parts

PARTS = {**fraud_parts.PARTS, **plan_parts.PARTS, **text_parts.PARTS, **matching_parts.PARTS}


def answer(part: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the toolkit says to one case. Raises `NotImplementedError` for a part that it does not answer."""
    if part not in PARTS:
        raise NotImplementedError(part)
    return PARTS[part](given)
