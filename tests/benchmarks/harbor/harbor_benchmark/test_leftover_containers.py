"""A run first removes containers that a killed run has left.

Podman gives each container a name, and labels. Containers of the product have a label with their
owner, the user of this machine. A container is removed if it has this label, and if its name ends
with `ENDED_SUFFIX`: its trial has ended.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    ContainerRuntime,
    ContainerSpec,
    owner,
)
from tests.benchmarks.harbor.base_image import BASE_IMAGE
from tests.benchmarks.harbor.container_runs import TASKS, run_tasks

pytestmark = pytest.mark.second_tier


def test_a_run_first_removes_containers_that_ended_trials_have_left(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    ended = f"controlplane-test-{os.getpid()}-1{ENDED_SUFFIX}"
    still_open = f"controlplane-test-{os.getpid()}-2"
    not_ours = f"test-{os.getpid()}{ENDED_SUFFIX}"
    our_label = {OWNER_LABEL: owner()}
    runtime.start(ContainerSpec(BASE_IMAGE, ended, labels=our_label))
    runtime.start(ContainerSpec(BASE_IMAGE, still_open, labels=our_label))
    runtime.start(ContainerSpec(BASE_IMAGE, not_ours, labels={}))

    # Any run will do: of the task "impossible", by a model that does nothing.
    run_tasks(TASKS, "nothing", tmp_path, "impossible")

    names = runtime.names(labels={})  # of all containers
    runtime.remove(still_open)
    runtime.remove(not_ours)
    assert ended not in names
    assert still_open in names
    assert not_ours in names
