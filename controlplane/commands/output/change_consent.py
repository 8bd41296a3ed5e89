"""How the user decides about the changes of files that an answer proposes.

The user decides beforehand, by `--apply` or `--apply=unseen`, or is asked on the terminal.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import click

SHOWN_CHANGES: Final = "shown"
"""`--apply`: make the changes if every diff can be shown whole."""
ALL_CHANGES: Final = "unseen"
"""`--apply=unseen`: make even changes that the user has not seen, since they are too large."""


@dataclass(frozen=True, slots=True)
class ChangeConsent:
    """How the user decides about the changes of an answer."""

    as_json: bool = False
    applies: str | None = None
    """Which changes are made without asking: `SHOWN_CHANGES`, `ALL_CHANGES`, or none (None)."""

    @property
    def can_ask(self) -> bool:
        """True if there is a terminal, and the output is text."""
        return sys.stdin.isatty() and not self.as_json

    def is_given(self, unseen: list[str]) -> bool:
        """Return True if the user wants the changes, by an option or when asked.

        `unseen` are the files whose changes are too large to show.
        """
        if self.applies == ALL_CHANGES:
            return True
        if self.applies == SHOWN_CHANGES and not unseen:
            return True
        if not self.can_ask:
            return False
        prompt = "Make these changes"
        if unseen:
            prompt += f", {', '.join(unseen)} unseen"
        return click.confirm(f"{prompt}?", err=True)
