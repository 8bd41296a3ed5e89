"""The steps of a recorded trial, and a last one that the journal has only the beginning of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.events import JournalRecord, ModelReplied, StepDone
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.trial_pages.page_part import PagePart

# One page of a recorded trial, as the terminal and the browser show it.


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial. There are three kinds: the initial prompt, a step, and the end."""

    title: str
    step: int | None
    """The number of the step; 0 for the initial prompt, None for the end."""
    parts: tuple[PagePart, ...]
    figures: str = ""
    """Tokens, cost and time, beside the title."""
    recorded: JournalRecord | None = None
    """What the journal has: the initial prompt, or a `StepDone`; None for the end."""

    @property
    def mark(self) -> str:
        """✗ if the gates rejected an answer in this step, ✓ if they accepted one, else empty."""
        if not isinstance(self.recorded, StepDone) or not self.recorded.verdicts:
            return ""
        if all(submission.accepted for submission in self.recorded.verdicts):
            return "✓"
        return "✗"


def steps_of(record: TrialRecord, summary: TrialSummary) -> list[TrialStep]:
    """Return a trial's recorded steps, each with a summary.

    If the journal ends inside a step, its summary is put together from its events so far.
    """
    cut_off = record.cut_off  # The unfinished step; None without one.
    if cut_off is None or summary.is_over:
        return record.whole_steps
    done = StepDone(
        trial_id=summary.trial_id,
        step=cut_off.number,
        calls=tuple(cut_off.calls),
        citations=tuple(cut_off.citations),
        verdicts=tuple(cut_off.submissions),
        error="the journal breaks off here: the step is not done",
    )
    if cut_off.replies:
        done = _with_reply(done, cut_off.replies[-1])
    return [*record.whole_steps, replace(cut_off, done=done)]


def _with_reply(step: StepDone, replied: ModelReplied) -> StepDone:
    """Return a step with what the model replied in it."""
    step = step.model_copy(update={"reply": replied.reply, "usage": replied.usage})
    # A usable reply contains a state (the model's own account), a plan and a script.
    action = action_of(replied.reply, replied.finish_reason)
    if isinstance(action, Unusable):
        return step
    fields = {"state": action.state, "plan": action.plan, "code": action.code}
    return step.model_copy(update=fields)
