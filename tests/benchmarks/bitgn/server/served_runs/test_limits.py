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
    """3 trials may run. The newer run starts 4, so the older run has to end.

    The newer run exceeds the limit by itself. It goes on, as the limit never ends the run that
    calls.
    """
    monkeypatch.setattr(bounds, "MOST_RUNNING_TRIALS", 3)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        older_run = client.start_run()
        newer_run = client.start_run()
        client.start_trial(older_run["trialIds"][0])
        assert len(newer_run["trialIds"]) == 4
        for trial_id in newer_run["trialIds"]:
            client.start_trial(trial_id)

        older_run_at_end = client.harness("GetRun", runId=older_run["runId"])
        newer_run_at_end = client.harness("GetRun", runId=newer_run["runId"])

    assert older_run_at_end["state"] == "RUN_STATE_EVALUATED"  # The run has ended.
    assert newer_run_at_end["stats"] == {"runningCount": 4}


def test_run_that_stores_too_much_can_end_trials_to_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The trials of a run may together store 100,000 bytes: two files of 40,000, but not three.

    An answer is stored, too. After the first trial has ended, its file is gone, so that there is
    room for the answer of the second.
    """
    monkeypatch.setattr(bounds, "MOST_WIRE_SERVER_BYTES", 100_000)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        trial_ids = client.start_run()["trialIds"]
        runtime_urls = [client.start_trial(trial_id) for trial_id in trial_ids]
        file = {"path": "/a", "content": "x" * 40_000}

        statuses: list[int] = []
        for runtime_url in runtime_urls:  # of four trials
            reply = client.http.post(runtime_url + "Write", json=file)
            statuses.append(reply.status_code)
        client.harness("EndTrial", trialId=trial_ids[0])
        reply_to_answer = client.runtime(
            runtime_urls[1], "Answer", **RIGHT_ANSWER_FIELDS
        )

    too_much = 429
    assert statuses == [200, 200, too_much, too_much]
    assert reply_to_answer == {}  # The answer was accepted.
