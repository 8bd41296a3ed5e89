"""What tests of tasks in containers share: tasks on a base image, and runs of them by podman.

A task in Harbor's format is a folder with a Dockerfile, an instruction for the agent, and a verifier, a
script that writes the score to a file when the agent has finished.

    task = write_task(tmp_path / "task", verifier="exit 1")
    run_tasks(task, "nothing", tmp_path).json["trials"]
"""

import json
import subprocess
import time
from pathlib import Path

from tests.benchmarks.harbor.base_image import BASE_IMAGE, PROCESS_VARIABLES
from tests.support.command import (
    CommandResult,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

TIMEOUT_S = 900
"""Seconds that a command of a test may take: a container starts slowly on a busy machine."""
FULL_REWARD = "echo 1 >/logs/verifier/reward.txt\n"
"""A verifier that gives the score 1."""


def write_task(
    folder: Path, *, toml: str = "", verifier: str = FULL_REWARD, dockerfile: str = ""
) -> Path:
    """Write a task on the base image, and return its folder.

    `toml` is the text of its task.toml; `dockerfile` are further lines of its Dockerfile.
    """
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "task.toml").write_text(toml)
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "environment/Dockerfile").write_text(f"FROM {BASE_IMAGE}\n{dockerfile}")
    (folder / "tests/test.sh").write_text(verifier)
    return folder


def run_tasks(
    task_folder: Path, model: str, cwd: Path, *arguments: str | Path
) -> CommandResult:
    """Run the tasks of a folder to the end.

    The model "nothing" does nothing, and the model "solution" runs the tasks' own solutions.
    """
    options = ("--benchmark", f"harbor:{task_folder}", "--model", model, "--json")
    process = start_controlplane(
        "run", *options, *arguments, cwd=cwd, **PROCESS_VARIABLES
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


def resume_last_run(cwd: Path) -> CommandResult:
    """Resume the last run of a folder, and wait for its end."""
    process = start_controlplane(
        "resume", "last", "--json", cwd=cwd, **PROCESS_VARIABLES
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


def container_states(task_id: str) -> dict[str, str]:
    """Return the state of each container of a task's trials: `{"controlplane-…": "running"}`.

    The containers have the id of their trial, which contains the task's id, as a label.
    """
    command = ["podman", "ps", "--all", "--format", "json"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    states = {}
    for container in json.loads(listing):
        labels = container["Labels"] or {}
        if task_id in labels.get("controlplane.trial", ""):
            states[container["Names"][0]] = container["State"]
    return states


def wait_for_waiting_container(task_id: str) -> str:
    """Wait until a command in a task's container has made /tmp/waiting.

    Returns the name of the container.
    """
    waiting_containers: list[str] = []

    def find_waiting_container() -> bool:
        # Not more often, since each look takes locks that other commands of podman wait for.
        time.sleep(1)
        for name in container_states(task_id):
            command = ["podman", "exec", name, "test", "-e", "/tmp/waiting"]
            result = subprocess.run(command, check=False, capture_output=True)
            if result.returncode == 0:
                waiting_containers.append(name)
        return bool(waiting_containers)

    wait_until(find_waiting_container, within_s=300)
    return waiting_containers[0]
