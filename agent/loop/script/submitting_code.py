"""The code by which a script submits its answer, as notes to the model show it.

For the answer `14:30`, which a script has left in the scratchpad, it is

    scratchpad["outcome"] = "OUTCOME_OK"
    def verify(sp):
        return sp["answer"] == "14:30"
    harness.answer(scratchpad, verify)
"""

from __future__ import annotations

import json
from typing import Final

from controlplane.sandbox.interface import Plain

SET_OUTCOME: Final = 'scratchpad["outcome"] = "OUTCOME_OK"'
"""The line of a script that sets the outcome.
The scratchpad is the dictionary that scripts fill."""
MAX_LITERAL_CHARS: Final = 300
"""A longer answer is not repeated in a note."""


def submitting_lines(answer: Plain) -> list[str]:
    """Return the lines of code that submit the answer in the scratchpad.

    `harness.answer` needs a function `verify`, the script's own check of what it submits. The
    one in these lines only checks that the scratchpad still has this answer.
    """
    return [
        "def verify(sp):",
        f'    return sp["answer"] == {python_literal(answer)}',
        "harness.answer(scratchpad, verify)",
    ]


def python_literal(answer: Plain) -> str:
    """Return an answer as Python code: `"14:30"`.

    A long answer is replaced by the name `expected`, which the model has to fill in.
    """
    if isinstance(answer, str):
        literal = json.dumps(answer, ensure_ascii=False)  # in double quotation marks
    else:
        literal = repr(answer)  # `True`, which JSON would call `true`
    if len(literal) > MAX_LITERAL_CHARS:
        return "expected"
    return literal
