"""An answer may be rejected a few times, until the trial ends.

A script submits by `harness.answer(scratchpad, verify)`. The gates, which are checks of answers,
reject each answer here, because it cites `/unread.md`, which was not read (gate 4).
"""

from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply


def play_same_script(server: ForkServer, script: str, *, times: int) -> SolvedTrial:
    """Play a trial whose model replies with the same script in each step, at most so many times."""
    replies = [step_reply(script)] * times
    return solve_trial(Phonebook(0.0), "ada-0", replies, server)


def test_a_trial_ends_when_the_same_answer_is_rejected_five_times(
    server: ForkServer,
) -> None:
    submits_once = (
        'scratchpad["answer"] = "17"\n'
        'scratchpad["outcome"] = "OUTCOME_OK"\n'
        'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
        'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    )

    trial = play_same_script(server, submits_once, times=9)

    assert "same answer 5 times in a row" in trial.reason
    assert len(trial.steps) == 5


def test_three_submissions_of_a_script_and_twelve_of_a_trial_are_judged(
    server: ForkServer,
) -> None:
    """Each script submits five answers: "0", "1", "2", "3" and "4". Three of them are judged. After
    four scripts, twelve have been judged, and the trial ends."""
    submits_five_times = (
        'scratchpad["outcome"] = "OUTCOME_OK"\n'
        'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
        "for number in range(5):\n"
        '    scratchpad["answer"] = str(number)\n'
        "    try:\n"
        '        harness.answer(scratchpad, lambda sp: sp["answer"] != "")\n'
        "    except GateRejection as error:\n"
        "        print(error)"
    )

    trial = play_same_script(server, submits_five_times, times=9)

    judged_answers = [len(step.verdicts) for step in trial.steps]
    assert judged_answers == [3, 3, 3, 3]
    # The other two answers of a script print an error. The first three scripts are told to end,
    # since the next step may submit again. The fourth is told that nothing more can be submitted.
    told_to_end = [step.output.count("end the script") for step in trial.steps]
    assert told_to_end == [2, 2, 2, 0]
    last_output = trial.steps[-1].output
    assert last_output.count("12 submissions of this trial were sent back") == 2
    assert trial.reason.startswith(
        "12 submissions were sent back: the last submission was sent back by gate 4"
    )
