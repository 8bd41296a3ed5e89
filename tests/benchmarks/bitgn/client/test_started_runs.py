"""A client starts a run on a server, and gets a trial for each task of the server's benchmark.

`server` serves `benchmark` over HTTP: three tasks about a few books, called `shelf`. The product's
client is `connection.remote`. It shows the platform's benchmark as one of the product's own.
"""

import pytest

from controlplane import (
    BenchmarkError,
    RunRequest,
    TaskSelection,
    start_selected_run,
)
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faulty_server import FaultyServer


def test_client_describes_the_benchmark_of_the_server(server: FaultyServer) -> None:
    """The client takes the tasks from the server. The policy and the rule set are its own."""
    with connected_to(server) as connection:
        description = connection.remote.describe()

    assert description.name == "bitgn:shelf"
    assert [task.task_id for task in description.tasks] == ["t00", "t01", "t02"]
    assert description.tasks[0].hint == "look in /books"
    assert description.policy == "open"
    assert description.rule_sets == ("ecom",)


def test_run_has_a_trial_for_each_task(server: FaultyServer) -> None:
    """The instruction of a trial comes with its start."""
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        first_trial = connection.remote.start_trial(run.trials[0].trial_id)

    assert [trial.task_id for trial in run.trials] == ["t00", "t01", "t02"]
    assert first_trial.task_id == "t00"
    expected_instruction = "Which title has the book in /books/emma.json?"
    assert first_trial.instruction == expected_instruction


@pytest.mark.parametrize(
    ("selection", "seed", "option"),
    [
        pytest.param(TaskSelection(repeats=2), 0, "repeats=2", id="repeats"),
        pytest.param(TaskSelection(), 5, "seed=5", id="seed"),
        pytest.param(TaskSelection(("t77",)), 0, "'t77'", id="unknown task"),
    ],
)
def test_option_that_the_platform_does_not_have_is_refused_before_a_run_starts(
    server: FaultyServer,
    benchmark: ShelfBenchmark,
    selection: TaskSelection,
    seed: int,
    option: str,
) -> None:
    """A server gives one trial for each of its tasks, and chooses the seed itself."""
    with (
        connected_to(server) as connection,
        pytest.raises(BenchmarkError) as caught,
    ):
        start_selected_run(connection.remote, selection, name="r", seed=seed)

    assert caught.value.code == "invalid_argument"
    assert option in caught.value.message
    requested_runs = benchmark.requests
    assert requested_runs == []
