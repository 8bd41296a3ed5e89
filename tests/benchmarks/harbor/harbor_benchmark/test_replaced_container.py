"""If the start of a trial was killed, the trial's container is left. The next start replaces it.

The name of a container follows from the id of its trial, so podman refuses to start a second one.
"""

import pytest

from controlplane.benchmark import BenchmarkContext, RunRequest, TaskTry
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    ContainerSpec,
)
from controlplane.benchmarks.harbor.harbor_benchmark import open_benchmark
from controlplane.benchmarks.harbor.trial_containers import container_name
from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import TASKS

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman_flags")]


def test_a_container_that_a_killed_start_has_left_is_replaced(
    runtime: ContainerRuntime,
) -> None:
    """The benchmark lists the containers once, when the first trial of a run starts.

    The old container of the second trial appears later, so the benchmark does not know of it until
    podman refuses its name. The old container has a file, which the new one must not have.
    """
    benchmark = open_benchmark(
        str(TASKS), settings={}, context=BenchmarkContext()
    ).benchmark
    # Two trials of one task, which is called "impossible".
    tries = (TaskTry("impossible", 0), TaskTry("impossible", 0, copy=1))
    run = benchmark.start_run(RunRequest(name="", tries=tries))
    first, second = [planned_trial.trial_id for planned_trial in run.trials]
    benchmark.start_trial(first)
    old_container = runtime.start(
        ContainerSpec(BASE_IMAGE, container_name(second), labels={})
    )
    old_container.script("touch /tmp/left")

    try:
        environment = benchmark.start_trial(second).environment
        found = environment.call("find", {"name": "left", "root": "/tmp"})
        assert found["paths"] == []
    finally:
        benchmark.submit_run(run.run_id, force=True)
