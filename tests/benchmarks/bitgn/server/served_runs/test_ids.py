"""Ids of the runs and trials of the server: nobody can guess one.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
Whoever has the id of a trial can make its calls.
"""

from controlplane import TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from tests.benchmarks.bitgn.raw_client import raw_client_of


def test_ids_of_runs_and_trials_cannot_be_guessed() -> None:
    """An id names neither the task nor the run, and no two ids begin or end alike."""
    run_count = 20
    options = ServerOptions(selection=TaskSelection(("calendar-date",)), seed=77)
    with raw_client_of(EcomBenchmark(), options) as client:
        ids: list[str] = []
        for _ in range(run_count):
            run = client.harness("StartRun", benchmarkId="ecom")
            ids.append(run["runId"])
            ids.extend(run["trialIds"])

    id_count = 2 * run_count  # Each run has one trial.
    assert len(set(ids)) == id_count
    beginnings = {wire_id[:5] for wire_id in ids}
    ends = {wire_id[-5:] for wire_id in ids}
    assert len(beginnings) == id_count
    assert len(ends) == id_count
    for wire_id in ids:
        assert len(wire_id) == 20
        assert "calendar" not in wire_id
