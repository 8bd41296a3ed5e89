"""How a played case may end: the trial is solved, the run pauses, or only the trial ends.

    check_solved(played, max_requests=2)                          # exit 0, score 1.0
    check_paused(played, "the key is refused")                    # exit 3, nothing scored, resumable
    check_trial_ended(played, "longer than the model's context")  # exit 0, no answer of the model

`played` is the run of one trial against an endpoint that replied as in a recorded case.
"""

import json

from controlplane.errors import Unreachable
from tests.controlplane.reported_endpoints.played_case import PlayedCase


def check_solved(played: PlayedCase, *, max_requests: int) -> None:
    """Assert that the reply was read, and the trial solved."""
    assert played.result.code == 0, played.summary
    assert played.trial["score"] == 1.0, played.summary
    assert played.trial["steps"] >= 1, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_paused(played: PlayedCase, *words: str, max_requests: int = 10) -> None:
    """Assert that the run paused: nothing is scored, and the user is told all of `words`.

    `controlplane resume` continues such a run, once the endpoint or its settings are right.
    """
    assert played.result.code == Unreachable.exit_code, played.summary
    assert played.trial["state"] == "open", played.summary
    assert played.trial["score"] is None, played.summary
    for word in words:
        assert word in played.printed, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_trial_ended(played: PlayedCase, *words: str, max_requests: int = 1) -> None:
    """Assert that only this trial ended, without an answer, for a reason with all of `words`.

    The run goes on. In place of the model's answer, it submits a *fallback* of its own.
    """
    assert played.result.code == 0, played.summary
    assert played.trial["state"] == "fallback", played.summary
    for word in words:
        assert word in played.trial["reason"], played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_model_told(played: PlayedCase, part_of_message: str) -> None:
    """Assert that the second request tells the model what was wrong with its reply."""
    second_request = json.dumps(played.requests[1])
    assert part_of_message in second_request, played.summary
    check_no_prose_submitted(played)


def check_no_prose_submitted(played: PlayedCase) -> None:
    """Assert that nothing of a reply was submitted that is not an answer.

    The trial has the right answer, or the run's own fallback.
    """
    if played.trial["state"] != "fallback":
        assert played.trial["score"] == 1.0, played.summary
