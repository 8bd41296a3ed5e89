"""The message to the model after a script.

It has a note if the script failed like the one before, or if it submitted nothing.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.events import Judged
from controlplane.agent.initial_calls.section_marks import without_marks
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.gates.python_syntax import parse_program
from controlplane.sandbox import Ending, StepResult
from controlplane.sandbox.interface import Plain

SET_OUTCOME: Final = 'scratchpad["outcome"] = "OUTCOME_OK"'
"""The line of a script that sets the outcome.
The scratchpad is the dictionary that scripts fill."""
MAX_LITERAL_CHARS: Final = 300
"""A longer answer is not repeated in a note."""

FEEDBACK_MARKS: Final = ("output", "error", "gates", "notes", "instruction")
"""The tags of the message. They are escaped in a script's
output and errors, which could otherwise imitate its parts."""
WHOLE_SCRIPT_NOTE: Final = (
    "<note>\nThe script's names are gone: reply with a whole script again, "
    "up to harness.answer.\n</note>\n"
)
"""Follows an exception. Without it, small models send only the corrected line."""


def step_feedback(
    step: int, result: StepResult, submissions: Sequence[Judged], notes: Sequence[str]
) -> tuple[str, ...]:
    """Return the message after a script, in pieces.

    A long text is a piece of its own, so that the journal can store it once.

        <output step="3">
        12
        </output>
        <error>
        KeyError: 'fee'
        </error>
    """
    pieces = [f'<output step="{step}">\n', without_marks(result.output, FEEDBACK_MARKS)]
    lacks_newline = bool(result.output) and not result.output.endswith("\n")
    pieces.append("\n</output>\n" if lacks_newline else "</output>\n")

    if result.error:
        error = without_marks(result.error, FEEDBACK_MARKS)
        pieces.append(f"<error>\n{error}\n</error>\n")
    if result.ending == Ending.RAISED:
        pieces.append(WHOLE_SCRIPT_NOTE)

    objections = unseen_objections(submissions, result.error)
    if objections:
        pieces.append("<gates>\n" + "\n".join(objections) + "\n</gates>\n")
    return (*pieces, *notes_block(notes))


def unseen_objections(submissions: Sequence[Judged], error: str) -> list[str]:
    """Return what the gates said against submissions, unless the script's error says it.

    An objection reaches the script as an exception. If the script did not catch it, the
    script's error has the text already.
    """
    objections: list[str] = []
    for judged in submissions:
        if not judged.accepted and judged.message not in error:
            objections.append(judged.message)
    return objections


def is_failure(ending: str) -> bool:
    """Return True if the script was refused, raised an error, or was stopped."""
    return ending != Ending.FINISHED


def was_refused(ending: str) -> bool:
    """Return True if the script was refused before it ran."""
    return ending in (Ending.SYNTAX, Ending.REFUSED)


def fault_of(ending: str, error: str) -> str:
    """Return the last line of an error, such as `KeyError: 'fee'`; without one, the ending."""
    lines = error.strip().splitlines()
    return lines[-1].strip() if lines else ending


def repeated_failure_note(ending: str, error: str) -> str:
    """Return the note about a script that failed with the same error as the script before."""
    return (
        f"<note>\nThis script failed like the one before: {fault_of(ending, error)}\n"
        "Change the line that failed, or find the answer in another way.\n</note>\n"
    )


def note_without_submission(
    code: str, before: Mapping[str, Plain], result: StepResult, *, has_calls: bool
) -> str:
    """Return the note about a script that submitted nothing; empty if it needs none.

    `before` is the scratchpad before the script.
    """
    note = unsubmitted_note(before, result.scratchpad, result.output)
    if note:
        return note
    has_changed = result.scratchpad != before
    did_something = result.output or has_calls or has_changed
    if result.ending == Ending.FINISHED and not did_something:
        return idle_note(code)
    return ""


def unsubmitted_note(
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
        # The model got the note after an earlier script. Its new output shows that it works on.
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
    then shows how to submit this answer.
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
    """Return the lines of code that submit the scratchpad's answer."""
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
    """Return an answer as Python code.

    A long answer is replaced by the name `expected`, which the model has to fill in.
    """
    literal = json.dumps(answer, ensure_ascii=False)
    return literal if len(literal) <= MAX_LITERAL_CHARS else "expected"
