"""Runs that a client submits to the server: they have scores then.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN. A
run is submitted when all its trials have ended, or by force, and then has scores. In these tests,
the first of a run's three trials is answered rightly, the second has no answer, and the last one
is not started.
"""

import pytest

from tests.benchmarks.bitgn.raw_client import RawClient
from tests.benchmarks.bitgn.server.served_runs.half_played_runs import (
    run_with_one_right_answer,
)


def test_run_with_an_open_trial_is_not_submitted(client: RawClient) -> None:
    """The user may still want to play the trial that was not started."""
    run = run_with_one_right_answer(client)

    refusal = client.harness("SubmitRun", runId=run["runId"])

    assert refusal["code"] == "failed_precondition"
    open_run = client.harness("GetRun", runId=run["runId"])
    assert open_run["state"] == "RUN_STATE_RUNNING"


def test_run_with_an_open_trial_can_be_submitted_by_force(client: RawClient) -> None:
    run = run_with_one_right_answer(client)

    submitted_run = client.harness("SubmitRun", runId=run["runId"], force=True)

    assert submitted_run["state"] == "RUN_STATE_EVALUATED"
    assert submitted_run["score"] == pytest.approx(1 / 3)
    answered, unanswered, not_started = submitted_run["trials"]
    assert answered == {
        "trialId": run["trialIds"][0],
        "taskId": "t00",
        "state": "TRIAL_STATE_DONE",
        "scoreAvailable": True,
        "score": 1,
    }
    assert unanswered == {
        "trialId": run["trialIds"][1],
        "taskId": "t01",
        "num": 1,
        "state": "TRIAL_STATE_DONE",
        "scoreAvailable": True,
        "score": 0,
        "scoreDetail": ["no answer provided"],
    }
    assert not_started == {
        "trialId": run["trialIds"][2],
        "taskId": "t02",
        "num": 2,
        "state": "TRIAL_STATE_ERROR",
        "scoreAvailable": True,
        "score": 0,
        "error": "forced close",
    }
