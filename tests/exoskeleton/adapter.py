"""Answers the recorded behaviours of a second solver with the toolkit: renames what goes in and comes out, no more.

Each part of the cases is one function in a module beside this one, found by its name.
"""

from typing import Any

from tests.exoskeleton import (
    answer_parts,
    fraud_parts,
    matching_parts,
    opening_parts,
    record_parts,
    request_parts,
    text_parts,
)

MODULES = (
    answer_parts,
    fraud_parts,
    matching_parts,
    opening_parts,
    record_parts,
    request_parts,
    text_parts,
)
PARTS = {name: function for module in MODULES for name, function in module.PARTS.items()}


def answer(part: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the toolkit says to one case. Raises `NotImplementedError` for a part that it does not answer."""
    if part not in PARTS:
        raise NotImplementedError(part)
    return PARTS[part](given)
