"""Limits of the server for trials and bytes, so that clients cannot fill it.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
The tests lower the limits: to three running trials, and to 100,000 bytes.
"""

import pytest

from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.raw_client import raw_client_of
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER_FIELDS


def test_too_many_running_trials_end_the_run_that_was_called_longest_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At most 3 trials may run. The run that starts a fourth one is not ended itself."""
    monkeypatch.setattr(bounds, "MOST_RUNNING_TRIALS", 3)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        older_run = client.start_run()
        newer_run = client.start_run()
        client.start_trial(older_run["trialIds"][0])
        for trial_id in newer_run["trialIds"]:  # four trials
            client.start_trial(trial_id)

        older_run_at_end = client.harness("GetRun", runId=older_run["runId"])
        newer_run_at_end = client.harness("GetRun", runId=newer_run["runId"])

    assert older_run_at_end["state"] == "RUN_STATE_EVALUATED"
    assert newer_run_at_end["stats"] == {"runningCount": 4}


def test_run_that_stores_too_much_can_end_trials_to_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run may store 100,000 bytes: two files of 40,000, and not a third one.

    After one of the trials with a file has ended, another one can be answered.
    """
    monkeypatch.setattr(bounds, "MOST_WIRE_SERVER_BYTES", 100_000)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        trial_ids = client.start_run()["trialIds"]
        runtime_urls = [client.start_trial(trial_id) for trial_id in trial_ids]
        file = {"path": "/a", "content": "x" * 40_000}

        statuses: list[int] = []
        for runtime_url in runtime_urls:
            reply = client.http.post(runtime_url + "Write", json=file)
            statuses.append(reply.status_code)
        client.harness("EndTrial", trialId=trial_ids[0])
        reply_after_the_end = client.runtime(
            runtime_urls[1], "Answer", **RIGHT_ANSWER_FIELDS
        )

    assert statuses == [200, 200, 429, 429]
    assert reply_after_the_end == {}
