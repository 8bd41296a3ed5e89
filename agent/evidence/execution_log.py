"""The runs of tools in a trial: their arguments within a bound, their exit codes, and what they said of a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gates.evidence import Execution
from gates.plain_data import quote

MAX_ARGUMENT_CHARS: Final = 200_000
"""Characters of the arguments of executions that are kept, together; those of later ones are not."""
_WORD_CHARS: Final = 10
"""What an argument costs beyond its characters."""
MAX_MESSAGE_CHARS: Final = 300


class ExecutionLog:
    """Runs in their order, calls for help left out."""

    def __init__(self) -> None:
        self.executions: list[Execution] = []
        self._room = MAX_ARGUMENT_CHARS

    def add(self, run: Execution) -> None:
        """Take a run, with its arguments if there is room and the beginning of what it said."""
        self._room -= sum(map(len, run.arguments), _WORD_CHARS * len(run.arguments))
        kept = run.arguments if self._room > 0 else ()
        self.executions.append(replace(run, arguments=kept, error=run.error[:MAX_MESSAGE_CHARS]))


def exit_note(path: str, exit_code: int, said: str) -> str:
    """Return what the solver is told of a tool that did not end with exit code 0, whatever its script printed."""
    return f"{quote(path)} ended with exit code {exit_code}" + (
        f": {quote(said, MAX_MESSAGE_CHARS)}" if said else " and said nothing."
    )
