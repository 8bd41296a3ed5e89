"""A trial ends after its answers were rejected a few times.

A script submits an answer by `harness.answer(scratchpad, verify)`. Each answer here cites a file that was
not read, so gate 4, one of the checks of answers, rejects it. The function `verify`, by which a script
checks its own answer, only looks whether there is one.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply

SUBMIT_ONCE = """\
scratchpad["answer"] = "17"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "the number of ada"}
harness.answer(scratchpad, lambda sp: sp["answer"] != "")
"""

SUBMIT_FIVE_ANSWERS = """\
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "the number of ada"}
for number in range(5):
    scratchpad["answer"] = str(number)
    try:
        harness.answer(scratchpad, lambda sp: sp["answer"] != "")
    except GateRejection as error:
        print(error)
"""


def play_same_script(server: ForkServer, script: str) -> SolvedTrial:
    """Play a trial whose model replies with this script in each step, at most nine times."""
    replies = [step_reply(script)] * 9
    return solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, server)


@pytest.fixture(scope="module")
def trial_of_five_answers_a_script(server: ForkServer) -> SolvedTrial:
    return play_same_script(server, SUBMIT_FIVE_ANSWERS)


def test_a_trial_ends_when_the_same_answer_is_rejected_five_times(
    server: ForkServer,
) -> None:
    trial = play_same_script(server, SUBMIT_ONCE)

    assert "same answer 5 times in a row" in trial.reason
    assert len(trial.steps) == 5


def test_a_trial_ends_when_twelve_answers_were_judged_three_of_each_script(
    trial_of_five_answers_a_script: SolvedTrial,
) -> None:
    trial = trial_of_five_answers_a_script

    judged_answers = [len(step.verdicts) for step in trial.steps]
    assert judged_answers == [3, 3, 3, 3]
    assert trial.reason.startswith(
        "12 submissions were sent back: the last submission was sent back by gate 4"
    )


def test_a_script_is_told_why_its_last_two_answers_are_not_judged(
    trial_of_five_answers_a_script: SolvedTrial,
) -> None:
    """The first three scripts are told to end, since the next script may submit again."""
    *first_outputs, last_output = [
        step.output for step in trial_of_five_answers_a_script.steps
    ]

    assert [output.count("end the script") for output in first_outputs] == [2, 2, 2]
    assert last_output.count("end the script") == 0
    assert last_output.count("12 submissions of this trial were sent back") == 2
