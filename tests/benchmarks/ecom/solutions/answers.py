"""Answers to tasks of the shop: a message, and the files that support it.

Answer(
    message="4",
    outcome="OUTCOME_OK",
    citations={"/docs/stock.md": "Rules for stock: a branch that ..."},
).refs  # ("/docs/stock.md",)
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a model's script submits it."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """The reason of each cited path: the beginning of the file's text.

    The grader does not read the reasons, but the checks before a submission do.
    """
    tokens: tuple[str, ...] = ()
    """The strings that the script declares to be in the message, such as a number."""
    changes: tuple[tuple[str, str], ...] = ()
    """The path and the action of each change: `("/exports/table.tsv", "write")`.

    The actions are `write`, `delete` and `execute`.
    """

    @property
    def refs(self) -> tuple[str, ...]:
        """The cited paths."""
        return tuple(self.citations)
