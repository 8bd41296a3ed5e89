"""A trial that fails to start is not said to have ended already.

By the code FAILED_PRECONDITION, a benchmark says that a trial, one try of a task, has ended. A resumed
trial whose answer is in the journal, but not graded yet, would then never get its score. Here, the
image of the task's container cannot be built, as `RUN false` is a command that fails.
"""

from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkContext, BenchmarkError, RunRequest, TaskTry
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.sandbox.interface import error_codes
from tests.benchmarks.harbor.container_runs import write_task

pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.usefixtures("podman", "podman_flags"),
]


def test_the_error_of_a_failed_start_does_not_say_that_the_trial_has_ended(
    tmp_path: Path,
) -> None:
    write_task(tmp_path / "impossible", dockerfile="RUN false\n")
    benchmark = open_benchmark(str(tmp_path), {}, BenchmarkContext()).benchmark
    run = benchmark.start_run(RunRequest("", (TaskTry("impossible", 0),)))

    with pytest.raises(BenchmarkError) as error:
        benchmark.start_trial(run.trials[0].trial_id)

    assert error.value.code != error_codes.FAILED_PRECONDITION
