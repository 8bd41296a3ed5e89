"""The note to the model about a script that submitted no answer, although it might have.

A script submits by `harness.answer(scratchpad, verify)`. Some models forget this: they set
`scratchpad["answer"]`, or only a variable, or print nothing at all.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Final

from controlplane.gates.python_syntax import parse_program
from controlplane.sandbox import Ending, StepResult
from controlplane.sandbox.interface import Plain

SET_OUTCOME: Final = 'scratchpad["outcome"] = "OUTCOME_OK"'
"""The line of a script that sets the outcome.
The scratchpad is the dictionary that scripts fill."""
MAX_LITERAL_CHARS: Final = 300
"""A longer answer is not repeated in a note."""


def note_if_unsubmitted(
    code: str, before: Mapping[str, Plain], result: StepResult, *, has_calls: bool
) -> str:
    """Return the note about a script that submitted nothing; empty if it needs none.

    `before` is the scratchpad before the script. `has_calls` is true if it made calls.
    """
    note = left_answer_note(before, result.scratchpad, result.output)
    if note:
        return note
    has_changed = result.scratchpad != before
    did_something = result.output or has_calls or has_changed
    if result.ending == Ending.FINISHED and not did_something:
        return idle_note(code)
    return ""


def left_answer_note(
    before: Mapping[str, Plain], after: Mapping[str, Plain], output: str
) -> str:
    """Return the note about an answer in the scratchpad that was not submitted; else empty.

    `before` and `after` are the scratchpad before and after the script.
    """
    answer = after.get("answer")
    if not answer:
        return ""
    is_new = answer != before.get("answer")
    if output and not is_new:
        # The model got the note after an earlier script. It now prints something else, so it
        # still works on the answer.
        return ""

    has_citations = bool(after.get("refs_why"))  # the cited paths, with reasons
    cites = "" if has_citations else "cite the files that support it, and "
    lines: list[str] = []
    if not after.get("outcome"):
        lines.append(SET_OUTCOME)
    lines += _submitting_lines(answer)
    code = "\n".join(lines)
    return (
        '<note>\nscratchpad["answer"] is set, but nothing was submitted. '
        f"If it is right, {cites}submit it:\n{code}\n</note>\n"
    )


def idle_note(code: str) -> str:
    """Return the note about a script that had no effect: no output, calls, changes or submission.

    Some models only set the variable `answer`, which is lost with the script. The note
    then shows how to submit this answer: by `scratchpad`, the dictionary that scripts fill.
    """
    answer = _text_named_answer(code)
    if not answer:
        return (
            "<note>\nThis script printed nothing and submitted nothing, and its names are gone. "
            "Print what you want to see, or submit the answer.\n</note>\n"
        )
    lines = [
        f'scratchpad["answer"] = {_literal(answer)}',
        SET_OUTCOME,
        *_submitting_lines(answer),
    ]
    submission = "\n".join(lines)
    return (
        "<note>\nNothing was submitted: the name `answer` ended with the script. "
        f"If it is right, submit it:\n{submission}\n</note>\n"
    )


def _submitting_lines(answer: Plain) -> list[str]:
    """Return the lines of code that submit the scratchpad's answer.

    `harness.answer` needs a function `verify`, the script's own check of what it submits.
    This one compares the answer with its text, so the answer cannot have changed.
    """
    return [
        "def verify(sp):",
        f'    return sp["answer"] == {_literal(answer)}',
        "harness.answer(scratchpad, verify)",
    ]


def _text_named_answer(code: str) -> str:
    """Return the last text that a script assigns to the variable `answer`; empty if none.

    Assignments inside of loops, functions and other blocks do not count.
    """
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    text = ""
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="answer")], value=ast.Constant(value=str(value))
            ):
                text = value
    return text


def _literal(answer: Plain) -> str:
    """Return an answer as Python code: `"14:30"`.

    A long answer is replaced by the name `expected`, which the model has to fill in.
    """
    literal = json.dumps(answer, ensure_ascii=False)
    return literal if len(literal) <= MAX_LITERAL_CHARS else "expected"
