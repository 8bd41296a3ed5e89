"""Ends a step that is read from a journal: with its summary, or where the process was killed.

If the process is killed within step 3, the step has no summary. The next *attempt* at the trial
goes on in the step, and its first event says at which call. It makes this call and those after it
again, so their records are dropped. Of the calls 0 to 3 of step 3, these stay:

    TrialStarted(step=3, number=2)   -> calls 0 and 1
    TrialStarted(step=3, number=1)   -> call 0
"""

from __future__ import annotations

from controlplane.agent.events import StepDone, TrialStarted
from controlplane.agent.record.step_calls import StepCalls
from controlplane.agent.record.trial_step import TrialStep


def begin_attempt(step: TrialStep, started: TrialStarted) -> None:
    """Drop the calls of the cut-off step that a new attempt at the trial makes again.

    Calls that are sent side by side may be recorded with a gap. If there are 0, 1 and 3, call 3
    waits until 2 is recorded. Since 2 is made again, 3 is, too.
    """
    if started.step == step.number:
        step.step_calls.drop_from(started.number)
    step.step_calls.drop_waiting()


def end_step(step: TrialStep, done: StepDone) -> None:
    """Complete a step with its summary.

    Most journals have an event for each call, citation and submission of the step. Others
    have them only in the summary, from which they are taken then.
    """
    if not step.calls:
        step.step_calls = StepCalls(list(done.calls))
    if not step.citations:
        step.citations = list(done.citations)
    if not step.submissions:
        step.submissions = list(done.verdicts)
    step.done = done
