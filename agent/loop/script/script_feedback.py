"""The message to the model after a script: its output, its error, and what the gates said.

The gates judge an answer that the script submits. If they reject it, they object: "gate 3
(paths): /docs/fee.md was not read".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.events import Judged
from controlplane.agent.initial_calls.sections.section_marks import without_marks
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.sandbox import Ending, StepResult

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
) -> list[str]:
    """Return the message to the model after its script, in pieces to be joined.

    A long text is a piece of its own, so that the journal can store it once. `notes` are about
    the script's calls. The pieces make up a message such as:

        <output step="3">
        12
        </output>
        <error>
        KeyError: 'fee'
        </error>
        <notes>
        /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
        </notes>
    """
    pieces = [f'<output step="{step}">\n', without_marks(result.output, FEEDBACK_MARKS)]
    lacks_newline = bool(result.output) and not result.output.endswith("\n")
    pieces.append("\n</output>\n" if lacks_newline else "</output>\n")

    if result.error:
        error = without_marks(result.error, FEEDBACK_MARKS)
        pieces.append(f"<error>\n{error}\n</error>\n")
    if result.ending == Ending.RAISED:
        pieces.append(WHOLE_SCRIPT_NOTE)

    objections = objections_not_in(result.error, submissions)
    if objections:
        pieces.append("<gates>\n" + "\n".join(objections) + "\n</gates>\n")
    pieces += notes_block(notes)
    return pieces


def objections_not_in(error: str, submissions: Sequence[Judged]) -> list[str]:
    """Return the gates' objections to submissions, except those in the script's error.

    An objection, such as `gate 3 (paths): /docs/fee.md was not read`, is an exception in the
    script. If the script does not catch it, the model reads it as the script's error.
    """
    objections: list[str] = []
    for judged in submissions:
        if not judged.accepted and judged.message not in error:
            objections.append(judged.message)
    return objections
