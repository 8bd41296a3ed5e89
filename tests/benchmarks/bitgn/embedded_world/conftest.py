"""A run of the embedded shop that was solved in this process, and one over the protocol."""

import pytest

from controlplane import TaskSelection, start_selected_run
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.tasks.families import task_ids
from tests.benchmarks.bitgn.embedded_world.solved_runs import (
    SolvedRun,
    solve_remote_run,
    solve_run,
)
from tests.benchmarks.bitgn.shelf_benchmark import API_KEY, remote_benchmark_on


@pytest.fixture(scope="session")
def task_count(request: pytest.FixtureRequest) -> int:
    """The number of tasks: nine different ones, or all in a heavy run."""
    if request.config.getoption("--heavy"):
        return len(task_ids())
    return 9


@pytest.fixture(scope="session")
def local_run(task_count: int) -> SolvedRun:
    """The run in this process, without a server."""
    benchmark = EcomBenchmark()
    run = start_selected_run(
        benchmark, TaskSelection(limit=task_count), name="local", seed=11
    )
    return solve_run(benchmark, run)


@pytest.fixture(scope="session")
def server_options(task_count: int) -> ServerOptions:
    """The options of a server whose runs have the seed, and so the tasks, of the local run."""
    return ServerOptions(
        api_key=API_KEY, selection=TaskSelection(limit=task_count), seed=11
    )


@pytest.fixture(scope="session")
def remote_run(server_options: ServerOptions) -> SolvedRun:
    """The same run over the protocol. Four trials at a time are solved, and not one as locally."""
    with remote_benchmark_on(
        EcomBenchmark(), server_options, benchmark_id="bitgn/ecom1-prod"
    ) as connection:
        return solve_remote_run(connection, concurrency=4)
