"""The note to the model about a script that submitted no answer, although it might have.

A script submits by `harness.answer(scratchpad, verify)`. Some models forget this: they set
`scratchpad["answer"]`, or only a variable, or print nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.loop.script.idle_note import idle_note
from controlplane.agent.loop.script.submitting_code import (
    SET_OUTCOME,
    submitting_lines,
)
from controlplane.sandbox import Ending, StepResult
from controlplane.sandbox.interface import Plain


def note_if_unsubmitted(
    code: str, before: Mapping[str, Plain], result: StepResult, *, has_calls: bool
) -> str:
    """Return the note about a script that submitted nothing; empty if it needs none.

    `before` is the scratchpad before the script. `has_calls` is true if it made calls.
    """
    note = left_answer_note(before, result.scratchpad, result.output)
    if note:
        return note
    if result.ending != Ending.FINISHED:
        return ""  # The message to the model has the script's error.
    has_changed = result.scratchpad != before
    is_idle = not (result.output or has_calls or has_changed)
    return idle_note(code) if is_idle else ""


def left_answer_note(
    before: Mapping[str, Plain], after: Mapping[str, Plain], output: str
) -> str:
    """Return the note about an answer in the scratchpad that was not submitted; else empty.

    `before` and `after` are the scratchpad before and after the script.
    """
    answer = after.get("answer")
    if not answer:
        return ""
    # The model got the note when an earlier script set this answer. If its script now prints
    # something, the model still works on the answer.
    was_noted = answer == before.get("answer")
    if was_noted and output:
        return ""

    has_citations = bool(after.get("refs_why"))  # the cited paths, with reasons
    cites = "" if has_citations else "cite the files that support it, and "
    lines: list[str] = []
    if not after.get("outcome"):
        lines.append(SET_OUTCOME)
    lines += submitting_lines(answer)
    code = "\n".join(lines)
    return (
        '<note>\nscratchpad["answer"] is set, but nothing was submitted. '
        f"If it is right, {cites}submit it:\n{code}\n</note>\n"
    )
