"""Submitted runs that have no scores yet, as a benchmark may need time to grade them.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN. A
client asks for the run's state until `RUN_STATE_PENDING_EVAL` has become `RUN_STATE_EVALUATED`.
"""

from tests.benchmarks.bitgn.raw_client import raw_client_of
from tests.benchmarks.bitgn.server.served_runs.half_played_runs import (
    run_with_one_right_answer,
)
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark


def test_run_is_pending_until_the_benchmark_has_scores() -> None:
    """The benchmark has no scores at submission and the first request, and then has them."""
    with raw_client_of(ShelfBenchmark(pending_polls=2)) as client:
        run_id = run_with_one_right_answer(client)["runId"]

        submitted_run = client.harness("SubmitRun", runId=run_id, force=True)
        run_at_first_request = client.harness("GetRun", runId=run_id)
        run_at_second_request = client.harness("GetRun", runId=run_id)

    assert submitted_run["state"] == "RUN_STATE_PENDING_EVAL"
    assert run_at_first_request["state"] == "RUN_STATE_PENDING_EVAL"
    assert run_at_second_request["state"] == "RUN_STATE_EVALUATED"
