"""The right way to do a task: the right calls and the right answer.

A benchmark that knows it returns it from `truth`. Then a run without a model does its tasks this way, and
shows whether the grader and the gates accept right work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

TruthCall: TypeAlias = tuple[str, Mapping[str, Any]]
"""A right call: the name of the tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The right way to do a task."""

    turns: Sequence[Sequence[TruthCall]]
    """The calls of each turn of the conversation with the user, in order:
    the tool's name with its arguments, such as `("cancel_order", {"order_id": 7})`.
    Without a user, there is usually only one turn."""
    answer: str = ""
    """The right answer; empty if there is a user."""
    outcome: str = "OUTCOME_OK"
    """The outcome of the answer."""
    tells_user: str = ""
    """The message to the user after each turn, such as "Done.";
    empty if there is no user, so that the trial ends with the answer."""
