"""Keeps the scripts of a trial with their output, and the values of its functions.

An answer may state a number that no file has, if a script has computed it or a function of
the benchmark has returned it. So the gates look for it here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from controlplane.gates.trial.script_runs import FunctionResultValue, ScriptRun
from controlplane.sandbox.interface import Plain, bounds

RESULT_OVERHEAD_CHARS: Final = 100
"""An estimate of the memory that a function's result takes besides its texts, in characters."""


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


class FunctionResults:
    """The values that functions of the benchmark returned, as long as there is room.

    A function may be called any number of times. Later values are left out.
    """

    def __init__(self) -> None:
        self.values: list[FunctionResultValue] = []
        self._room_chars = bounds.MOST_KEPT_CHARS

    def add(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the field `value` of a function's result."""
        if self._room_chars <= 0:
            return
        value = json.dumps(result.get("value"), ensure_ascii=False)
        value = value[: bounds.MOST_COMPARED_CHARS]
        arguments_json = json.dumps(arguments, ensure_ascii=False)
        if len(arguments_json) > bounds.MOST_COMPARED_CHARS:
            arguments_json = "{}"
        self.values.append(FunctionResultValue(function, value, arguments_json))
        self._room_chars -= len(value) + len(arguments_json) + RESULT_OVERHEAD_CHARS
