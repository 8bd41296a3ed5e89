"""A run first removes containers that a killed run has left.

Podman gives each container a name, and labels. Containers of the product have a label with their
owner, the user of this machine. A container is removed if it has this label, and if its name ends
with `ENDED_SUFFIX`: its trial has ended.
"""

import os
import subprocess
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    SAMPLE_PREFIX,
    ContainerRuntime,
    ContainerSpec,
    owner,
)
from tests.benchmarks.harbor.base_image import BASE_IMAGE, PROCESS_VARIABLES
from tests.benchmarks.harbor.container_runs import TASKS, TIMEOUT_S, run_tasks
from tests.support.command import start_controlplane, wait_for_exit

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


def test_doctor_removes_what_a_killed_process_has_left_of_a_sample(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    """A sample of Inspect is not taken over by a resumed run: its container has its process's name.

    Its process may have been killed when only a network was there.
    """
    process = subprocess.Popen(["true"])
    process.wait()
    ours = {OWNER_LABEL: owner()}
    sample = f"{SAMPLE_PREFIX}{process.pid}-1f05"
    running = f"{SAMPLE_PREFIX}{os.getpid()}-1f05"
    network = f"{SAMPLE_PREFIX}{process.pid}-2f05.front"
    label = f"--label={OWNER_LABEL}={owner()}"
    runtime.start(ContainerSpec(BASE_IMAGE, sample, labels=ours))
    runtime.start(ContainerSpec(BASE_IMAGE, running, labels=ours))
    runtime.program.run_or_raise("make", "network", "create", label, network)

    options = ("--benchmark", f"harbor:{TASKS}", "--model", "nothing", "--json")
    process = start_controlplane("doctor", *options, cwd=tmp_path, **PROCESS_VARIABLES)
    found = wait_for_exit(process, within_s=TIMEOUT_S)

    names = runtime.names(ours)
    networks = runtime.names(ours, "network")
    runtime.remove(running)
    assert sample not in names
    assert running in names
    assert network not in networks
    assert "that did not end" in found.out
