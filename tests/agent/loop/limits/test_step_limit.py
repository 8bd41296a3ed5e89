"""A trial may take a number of steps, and a few extra ones after the model was told to answer.

A step is a reply of the model with what its script did. Some steps in which nothing ran are *refunded*, so
that they do not count: the first three with a refused script, and the first two without a script.
"""

from controlplane.agent.events import StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.loop.step_limit import StepLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import solve_for_ada
from tests.support.single_trial import step_reply


def count_refused_script(steps: StepLimit, number: int) -> None:
    """Count a step whose script was refused before it ran; it is refunded if it may be."""
    refunded = steps.refunds.can_refund_script
    done = StepDone(trial_id="t", step=number, code="import os", refunded=refunded)
    steps.count(TrialStep(number, done=done))


def count_reply_without_script(steps: StepLimit, number: int) -> None:
    """Count a step in which the model has sent no script; it is refunded if it may be."""
    refunded = steps.refunds.can_refund_reply
    done = StepDone(trial_id="t", step=number, code="", refunded=refunded)
    steps.count(TrialStep(number, done=done))


def test_three_refused_scripts_are_refunded() -> None:
    steps = StepLimit(BudgetLimits())

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)

    assert steps.spent == 2  # 4 and 5


def test_two_replies_without_a_script_are_refunded() -> None:
    steps = StepLimit(BudgetLimits())

    for number in (1, 2, 3, 4, 5):
        count_reply_without_script(steps, number)

    assert steps.spent == 3  # 3, 4 and 5


def test_refused_scripts_and_replies_without_a_script_are_refunded_each() -> None:
    steps = StepLimit(BudgetLimits())

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)
    for number in (6, 7, 8, 9, 10):
        count_reply_without_script(steps, number)

    assert steps.spent == 5  # 4 and 5, then 8, 9 and 10


def test_a_trial_warns_asks_for_an_answer_and_ends(server: ForkServer) -> None:
    """The model prints 1, 2, 3, ..., and never answers. It has 7 steps and 2 extra ones, 9 in all.
    Two steps before the 7th, it is warned: 4 of the 9 are left. After the 7th, the message to answer
    now, the *nudge*, says that the steps are used up."""
    budget = BudgetLimits(max_steps=7, extra_steps=2, warn_before=2)
    scripts = [step_reply(f"print({number})") for number in range(1, 20)]

    solved = solve_for_ada(server, *scripts, budget=budget)

    _first_message, *messages_after_steps = [
        request[-1]["content"] for request in solved.model.requests
    ]
    message_after_step = dict(enumerate(messages_after_steps, start=1))
    assert "Only 4 steps are left" in message_after_step[5]
    assert "used up" in message_after_step[7]
    assert len(solved.steps) == 9
    assert "7 steps, and 2 more after the nudge" in solved.reason
