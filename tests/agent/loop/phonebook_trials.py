"""Trials that ask for Ada's phone number, with a model whose replies are written out.

The right answer is 17. `solve_for_ada(server, LOOK_UP, ANSWER)` is a trial of two steps: a step
is a reply of the model and the script in it. `LOOK_UP` looks the number up, `ANSWER` submits it.
"""

from controlplane.agent.events import StepDone
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer
from tests.support.journals import trial_records_of
from tests.support.phonebook import Phonebook
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply

LOOK_UP = step_reply(
    'scratchpad["n"] = harness.lookup("ada").number\nprint(scratchpad["n"])'
)
ANSWER = step_reply(
    'scratchpad["answer"] = scratchpad["n"]\n'
    'scratchpad["outcome"] = "OUTCOME_OK"\n'
    'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
)


def solve_for_ada(
    server: ForkServer, *replies: str | Reply | ModelError, **settings: object
) -> SolvedTrial:
    """Run the trial `ada-0` with a model that gives these replies, one in each step.

    `settings` are those of `solve_trial`, such as `trial_limits=TrialLimits(max_calls=5)`.
    """
    return solve_trial(Phonebook(0.0), "ada-0", replies, server, **settings)


def feedback_of(step: StepDone) -> str:
    """Return the message that tells the model what its script did."""
    return "".join(step.feedback)


def record_after_steps(step_count: int, solved: SolvedTrial) -> TrialRecord:
    """Return the record of a trial that was interrupted after so many steps, to resume it."""
    last_step = solved.steps[step_count - 1]
    end = solved.events.index(last_step) + 1
    return trial_records_of(solved.events[:end])["ada-0"]
