"""A trial that was killed at its first request to the model sends the same one again.

In a trial of the shop, functions make calls before the model is asked. The resumed run takes their
results from the journal, so that the request has the same text.
"""

from pathlib import Path

from tests.exoskeleton.killed_run.killed_runs import kill_and_resume
from tests.exoskeleton.response_items import function_call, response
from tests.support.command import run_in_process


def test_a_trial_that_was_killed_at_its_first_request_sends_the_same_one_again(
    tmp_path: Path,
) -> None:
    give_up = response(
        function_call(
            "end",
            "report_completion",
            message="The tools have failed.",
            outcome="OUTCOME_ERR_INTERNAL",
        )
    )

    # These parts would send requests of their own, or answer before the model.
    parts_left_out = "-classifier,-preflight,-formatter"
    killed = kill_and_resume(
        tmp_path, [give_up], "record-field.1", "--parts", parts_left_out
    )

    (killed_request,) = killed.requests_before_kill
    assert killed.resumed.code == 0, killed.resumed.err
    resumed_request = killed.requests_after_kill[0]
    assert resumed_request.body == killed_request.body
    verified = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out + verified.err
