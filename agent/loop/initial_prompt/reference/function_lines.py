"""The lines of the system prompt about the functions of the benchmark.

A benchmark may compute facts for scripts, which call `harness.tools.due_date("l-7")`. The
title says that the calls begin with `harness.tools.`, so each line leaves it out:

- due_date(loan): the day on which a loan ends
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.sandbox.interface import Operation, signature

# The next texts are for the model.

FUNCTIONS_TITLE: Final = (
    "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
)
"""The notes are doubts about the value. "Its reads count" tells the
model that its answer may cite the files that the function has read."""
FUNCTION_EXAMPLE: Final = (
    "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
)
"""For a call such as `due_date("l-7")`."""


def function_lines(functions: Sequence[Operation]) -> Iterator[str]:
    """Yield a title, an example, and a line for each function; nothing without functions."""
    if not functions:
        return
    yield FUNCTIONS_TITLE
    yield FUNCTION_EXAMPLE.format(_example_call(functions))
    for function in functions:
        call = signature(function).removeprefix("harness.tools.")
        yield f"- {call}: {function.summary}"


def _example_call(functions: Sequence[Operation]) -> str:
    """Return the first declared example of a function, or else a call of the first function."""
    for function in functions:
        if function.example:
            return function.example
    return f"{functions[0].name}(...)"
