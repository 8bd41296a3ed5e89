"""A container that a killed start of a trial has left is replaced when the trial starts again.

A trial is one try of a task. Its container has a name that follows from the trial's id, so only
one can have it.
"""

import pytest

from controlplane.benchmark import BenchmarkContext, RunRequest, TaskTry
from controlplane.benchmarks.containers.container_runtime import ContainerRuntime
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.benchmarks.harbor.trial_containers import container_name
from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import TASKS

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman_flags")]


def test_a_container_that_a_killed_start_has_left_is_replaced(
    runtime: ContainerRuntime,
) -> None:
    """The container that was left has a file, which the new one must not have.

    1. The first trial of the run starts. The benchmark lists the containers that exist.
    2. The old container appears, so that it is not in this list.
    3. The second trial starts. Only its name tells that the old container is in the way.
    """
    benchmark = open_benchmark(str(TASKS), {}, BenchmarkContext()).benchmark
    tries = (TaskTry("impossible", 0), TaskTry("impossible", 0, copy=1))
    run = benchmark.start_run(RunRequest("", tries))
    first, second = [planned_trial.trial_id for planned_trial in run.trials]
    benchmark.start_trial(first)
    old_container = runtime.start(ContainerSpec(BASE_IMAGE, container_name(second), {}))
    old_container.script("touch /tmp/left")

    try:
        environment = benchmark.start_trial(second).environment
        found = environment.call("find", {"name": "left", "root": "/tmp"})
        assert found["paths"] == []
    finally:
        benchmark.submit_run(run.run_id, force=True)
