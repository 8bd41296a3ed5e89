"""Facts as rows: what JSON and tables have of them, by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
"""Values by name. An absent number is None, never 0."""


def row_of(facts: Any, row: type[Any] | None = None) -> Row:
    """Return facts by name: all, or those of the class `row`, such as `TrialRow`."""
    return {fact.name: getattr(facts, fact.name) for fact in fields(row or facts)}
