"""An answer that a script only sets, and does not submit, is submitted when the trial ends.

A script submits its answer by `harness.answer(scratchpad, verify)`. Some only set
`scratchpad["answer"]`. These trials ask for Ada's phone number, 17.
"""

from controlplane.agent.events import AnswerSent
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import solve_trial, step_reply


def test_an_answer_that_the_last_script_only_sets_is_submitted(
    server: ForkServer,
) -> None:
    script = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'  # 17
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    one_step = BudgetLimits(max_steps=1, extra_steps=0)

    trial = solve_trial(
        Phonebook(0.0), "ada-0", [step_reply(script)], server, budget=one_step
    )

    assert trial.session.is_over
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]
    assert answer.message == "17"
    assert not answer.fallback


def test_an_answer_is_not_judged_while_a_later_script_may_correct_it(
    server: ForkServer,
) -> None:
    sets_answer = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    submits_answer = 'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    replies = [step_reply(sets_answer), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(0.0), "ada-0", replies, server)

    first_step, second_step = trial.steps
    assert first_step.verdicts == ()
    assert len(second_step.verdicts) == 1
    assert trial.reason == ""
