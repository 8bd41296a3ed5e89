"""A script may catch the exception by which its answer is rejected, and print nothing.

The model is told all the same. Here, the answer is "OUTCOME_OK: 17". Gate 6, one of the checks of answers,
rejects it: the outcome has a field of its own, and must not stand in the answer.
"""

from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import solve_trial, step_reply


def test_the_model_is_told_of_a_rejection_that_its_script_swallowed(
    server: ForkServer,
) -> None:
    # The second argument of `harness.answer` is a function by which a script checks its answer.
    swallows_rejection = (
        'scratchpad["answer"] = "OUTCOME_OK: " + harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"\n'
        "try:\n"
        "    harness.answer(scratchpad, lambda sp: '17' in sp['answer'])\n"
        "except GateRejection:\n"
        "    pass"
    )
    submits_answer = (
        'scratchpad["answer"] = "17"\n'
        'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    )
    replies = [step_reply(swallows_rejection), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, server)

    assert trial.reason == ""  # The trial has an answer, that of the second reply.
    _first_request, second_request = trial.model.requests
    last_message = second_request[-1]["content"]
    assert "<gates>" in last_message
    assert "gate 6" in last_message
