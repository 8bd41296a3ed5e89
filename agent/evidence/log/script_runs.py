"""Keeps the scripts of a trial with their output.

An answer may state a number that no file has, if a script has computed it. So the gates look
for it here:

    add("print(3 * 7)", "21")
    runs  -> [ScriptRun("print(3 * 7)", printed="21")]
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.gates.trial.script_runs import ScriptRun
from controlplane.sandbox.interface import bounds


class ScriptRuns:
    """The scripts that ran in a trial. If they take too much memory, the earliest are dropped.

    The last ones matter most: they have computed the answer.
    """

    def __init__(self) -> None:
        self.runs: list[ScriptRun] = []

    def add(self, code: str, printed: str) -> None:
        """Add a script and its output so far.

        `code` is empty for a step without a script: the output then follows the last one.
        """
        if code:
            self.runs.append(ScriptRun(code))
        self.add_printed(printed)

    def add_printed(self, text: str) -> None:
        """Add a text to the output of the last script.

        The initial prompt counts as the output of an empty script that comes first.
        """
        if not self.runs:
            self.runs.append(ScriptRun(""))
        last_run = self.runs[-1]
        self.runs[-1] = replace(last_run, printed=last_run.printed + text)
        self._drop_earliest()

    def _drop_earliest(self) -> None:
        """Drop the earliest scripts until the others fit in the memory for scripts."""
        kept_chars = sum(_size_of(run) for run in self.runs)
        while kept_chars > bounds.MOST_KEPT_CHARS:
            kept_chars -= _size_of(self.runs.pop(0))


def _size_of(run: ScriptRun) -> int:
    """Return how many characters of memory a script takes with its output."""
    return len(run.code) + len(run.printed)
