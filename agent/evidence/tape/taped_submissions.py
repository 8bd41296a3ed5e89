"""Writes submissions to the journal with the verdicts of the gates, unless they are recorded.

A script submits an answer, and the *gates*, the rules for answers, accept or reject it. If the
process of the trial was killed, the next one repeats its recorded steps, the *tape*. So the same
answer is submitted again, and judged again. The recorded verdicts count:

    recorded    "The fee is 7 EUR."   accepted
    now         "The fee is 7 EUR."   rejected, because a gate has changed
    returned                          accepted
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import Emit, Judged, SubmissionJudged
from controlplane.agent.evidence.tape.comparison import NOTHING
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.gates.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class TapedSubmissions:
    """Writes the submissions of one trial, unless they are recorded on its tape."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    emit: Emit
    """Writes an event to the journal."""

    def write(self, event: SubmissionJudged) -> Judged:
        """Write a judged submission unless it is recorded. Return it with the verdicts that count.

        | the tape has here | what counts |
        |---|---|
        | nothing, as the step is new, or was cut off | the new verdicts, which are written |
        | nothing, and the step is complete | `RecordDiverged`; in a replay, the new ones |
        | another answer | `RecordDiverged`; in a replay, the recorded ones |
        | this answer, perhaps with other verdicts, which is noted | the recorded ones |
        """
        steps = self.tape.steps
        new = event.judged
        recorded = entry_at(steps[event.step].submissions, event.number)
        if recorded is None and not steps.is_complete(event.step):
            self.emit(event)
            return new
        if recorded is None:
            self.tape.comparison.note_or_raise(event.step, "verdicts", NOTHING, new)
            return new
        if _submitted(new) != _submitted(recorded):
            self.tape.comparison.note_or_raise(event.step, "verdicts", recorded, new)
            return recorded
        self.tape.comparison.compare_outcome(event.step, "verdicts", recorded, new)
        return recorded

    def review(
        self, step: int, number: int, ask: Callable[[], Verdict | None]
    ) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if it is not asked.

        The second reader is a model that reads answers. `ask` asks it. If the submission at
        position `number` of its step is recorded, its recorded verdict counts instead.
        """
        recorded = entry_at(self.tape.steps[step].submissions, number)
        if recorded is None:
            return ask()
        if recorded.review is None:
            return None
        return Verdict(**recorded.review.model_dump())


def _submitted(judged: Judged) -> tuple[object, ...]:
    """Return what the script submitted. The other fields are the verdicts."""
    return judged.answer, judged.outcome, judged.refs
