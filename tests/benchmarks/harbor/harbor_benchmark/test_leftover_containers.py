"""A run first removes containers that a killed run has left.

Podman gives each container a name, and labels. Containers of the product have a label with their
owner, the user of this machine. A container is removed if it has this label, and if its name ends
with `ENDED_SUFFIX`: its trial has ended.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container import CommandInterrupted
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    SAMPLE_PREFIX,
    ContainerRuntime,
    ContainerSpec,
    owner,
    remove_leftovers,
)
from tests.benchmarks.harbor.base_image import BASE_IMAGE, PROCESS_VARIABLES
from tests.benchmarks.harbor.container_runs import TASKS, TIMEOUT_S, run_tasks
from tests.support.command import (
    start_controlplane,
    wait_for_exit,
    wait_until,
)

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


def test_a_build_that_is_ended_leaves_neither_a_container_nor_its_command(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    """Podman names the container of a build by its base image, which is this test's own here."""
    base = f"localhost/controlplane-test-{os.getpid()}:1"
    subprocess.run(["podman", "tag", BASE_IMAGE, base], check=True)
    seconds = str(10_000 + os.getpid() % 10_000)
    (tmp_path / "Dockerfile").write_text(f"FROM {base}\nRUN sleep {seconds}\n")

    def stop_once_it_runs() -> None:
        if _is_running(seconds):
            raise CommandInterrupted

    flags = PROCESS_VARIABLES["CONTAINER_BUILD_FLAGS"].split()
    words = ("build", "--network=none", "--pull=never", *flags, str(tmp_path))
    with pytest.raises(CommandInterrupted):
        runtime.program.run(*words, timeout_s=600, while_waiting=stop_once_it_runs)

    listed = subprocess.run(
        ["podman", "ps", "--all", "--external", "--format={{.Image}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    subprocess.run(["podman", "rmi", base], check=True, capture_output=True)
    assert base not in listed.stdout
    assert not _is_running(seconds)


BUILDS = """
import os, sys
from pathlib import Path
from controlplane.benchmarks.containers.compose_file import ComposeBuild, ComposeService
from controlplane.benchmarks.containers.container_runtime import find_runtime
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.set_files import SetFiles
runtime = find_runtime(ContainerSettings.parse({"runtime": "podman"}, {}), os.environ)
folder = Path(sys.argv[1])
service = ComposeService(build=ComposeBuild(folder=folder))
runtime.images.image_of(service, SetFiles.of(folder), 600)
"""
"""Builds the image of a folder, as the first trial of a run does."""


def test_the_container_of_a_build_that_was_killed_is_removed_by_the_next_run(
    tmp_path: Path, runtime: ContainerRuntime
) -> None:
    """Process and podman are killed at once, as by a machine without memory."""
    base = f"localhost/controlplane-killed-{os.getpid()}:1"
    subprocess.run(["podman", "tag", BASE_IMAGE, base], check=True)
    seconds = str(30_000 + os.getpid() % 10_000)
    (tmp_path / "Dockerfile").write_text(f"FROM {base}\nRUN sleep {seconds}\n")

    def left() -> bool:
        words = [
            "podman",
            "ps",
            "--all",
            "--external",
            "--format={{.Image}} {{.Names}}",
        ]
        listed = subprocess.run(words, capture_output=True, text=True, check=True)
        return "controlplane-killed" in listed.stdout

    words = [sys.executable, "-c", BUILDS, str(tmp_path)]
    builder = subprocess.Popen(words, env={**os.environ, **PROCESS_VARIABLES})
    wait_until(lambda: _is_running(seconds), within_s=TIMEOUT_S)
    remove_leftovers(runtime)
    assert left()  # Its process goes on.

    podman = subprocess.run(
        ["pgrep", "-P", str(builder.pid)], capture_output=True, check=True
    )
    for process_id in [builder.pid, *map(int, podman.stdout.split())]:
        os.kill(process_id, signal.SIGKILL)
    builder.wait()
    assert left()
    remove_leftovers(runtime)

    assert not left()
    sleeping = subprocess.run(["pgrep", "-fx", f"sleep {seconds}"], capture_output=True)
    for process_id in sleeping.stdout.split():
        os.kill(int(process_id), signal.SIGKILL)
    subprocess.run(["podman", "rmi", base], check=True, capture_output=True)


def _is_running(seconds: str) -> bool:
    """Return True if `sleep SECONDS` runs on this machine, also in a container."""
    found = subprocess.run(["pgrep", "-fx", f"sleep {seconds}"], capture_output=True)
    return found.returncode == 0
