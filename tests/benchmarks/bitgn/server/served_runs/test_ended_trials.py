"""Trials of the server that have ended: they take no calls, and do not start again.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
`client.harness` calls a method for runs and trials, `client.runtime` one for the files and tools of a
trial. A refusal is `{"code": "already_exists", "message": ...}`.
"""

import pytest

from tests.benchmarks.bitgn.raw_client import RawClient


def test_ended_trial_cannot_be_ended_again(client: RawClient) -> None:
    """The client learns that the trial is over, and not that it failed."""
    trial_id = client.start_run()["trialIds"][0]
    client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.harness("EndTrial", trialId=trial_id)

    assert refusal["code"] == "already_exists"
    assert "has already ended" in refusal["message"]


def test_ended_trial_cannot_be_started_again(client: RawClient) -> None:
    trial_id = client.start_run()["trialIds"][0]
    client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.harness("StartTrial", trialId=trial_id)

    assert refusal["code"] == "failed_precondition"
    assert "has already ended" in refusal["message"]


@pytest.mark.parametrize("method", ["Answer", "Read"])
def test_ended_trial_takes_no_calls(client: RawClient, method: str) -> None:
    """Its answer is graded already, so that nothing may change any more."""
    trial_id = client.start_run()["trialIds"][0]
    runtime_url = client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.runtime(runtime_url, method, path="/AGENTS.MD")

    assert refusal["code"] == "failed_precondition"
    assert "has already ended" in refusal["message"]
