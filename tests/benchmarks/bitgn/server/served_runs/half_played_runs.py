"""Runs that a client of the platform (BitGN) has played in part.

    run = run_with_one_right_answer(client)
    run["trialIds"]     # ["8f3a...", "c2d1...", "77b0..."]

The first of these trials was answered rightly, the second was not answered, the last not started.
"""

from typing import Any

from tests.benchmarks.bitgn.raw_client import RawClient
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER_FIELDS


def run_with_one_right_answer(client: RawClient) -> dict[str, Any]:
    """Start a run of three trials. Return it with the ids of its trials in `trialIds`.

    The first trial is answered rightly and ended, the second one is ended without an
    answer, and the last one is not started.
    """
    run = client.start_run()
    answered, unanswered, _not_started = run["trialIds"]
    runtime_url = client.start_trial(answered)
    client.runtime(runtime_url, "Answer", **RIGHT_ANSWER_FIELDS)
    client.harness("EndTrial", trialId=answered)
    client.start_trial(unanswered)
    client.harness("EndTrial", trialId=unanswered)
    return run
