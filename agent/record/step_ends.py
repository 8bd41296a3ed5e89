"""What follows for a step that is read from a journal if it is whole, or was cut off.

A step is whole once its summary is recorded. It is cut off if the process was killed meanwhile.
The next *attempt* at the trial then says at which call it goes on, with 0, 1 and 3 recorded:

    trial_started  step 3  number 2   -> call 3, which was sent beside others, is dropped
    trial_started  step 3  number 1   -> calls 1 and 3 are dropped
"""

from __future__ import annotations

from controlplane.agent.events import StepDone, TrialStarted
from controlplane.agent.record.step_calls import StepCalls
from controlplane.agent.record.trial_step import TrialStep


def begin_attempt(step: TrialStep, started: TrialStarted) -> None:
    """Drop the calls of the open step that a new attempt at the trial makes again.

    These are the calls from `started.number` on, if the attempt begins in this step, and the calls
    that wait for one before them: of 0, 1 and 3, number 3 waits for 2.
    """
    if started.step == step.number:
        step.step_calls.drop_from(started.number)
    step.step_calls.drop_waiting()


def end_step(step: TrialStep, done: StepDone) -> None:
    """Complete a step with its summary.

    Usually each call, citation and submission had an event of its own before. Only if none
    had one, they are taken from the summary, which may have them, too.
    """
    if not step.calls:
        step.step_calls = StepCalls(list(done.calls))
    if not step.citations:
        step.citations = list(done.citations)
    if not step.submissions:
        step.submissions = list(done.verdicts)
    step.done = done
