"""A run first removes containers that a killed run has left.

Podman gives each container a name, and labels. The containers of the product have a label with
their owner. Only if a container's name ends with the suffix for ended trials, nothing will go on
in it, so it can be removed.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    ContainerRuntime,
    owner,
)
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import TASKS, run_tasks

pytestmark = pytest.mark.second_tier


def test_a_run_first_removes_containers_that_ended_trials_have_left(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    ended = f"controlplane-test-{os.getpid()}-1{ENDED_SUFFIX}"
    still_open = f"controlplane-test-{os.getpid()}-2"
    not_ours = f"test-{os.getpid()}{ENDED_SUFFIX}"
    runtime.start(ContainerSpec(BASE_IMAGE, ended, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, still_open, {OWNER_LABEL: owner()}))
    runtime.start(ContainerSpec(BASE_IMAGE, not_ours, {}))

    run_tasks(TASKS, "nothing", tmp_path, "impossible")

    names = runtime.names({})
    runtime.remove(still_open)
    runtime.remove(not_ours)
    assert ended not in names
    assert still_open in names
    assert not_ours in names
