"""A sample of Inspect that is played in a container, with podman.

The task `greetings` has two samples. The script of the model corrects a file in the container of the
sample `plain`, and the task's scorer reads the file there. The sample `several` needs two
containers, so it is left out.
"""

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason
from tests.benchmarks.harbor.container_runs import TIMEOUT_S
from tests.benchmarks.inspect.greetings_task import (
    COMPOSE_FILE,
    COMPOSE_FILE_WITH_TWO_SERVICES,
    DOCKERFILE,
    REPLIES,
    TASKS,
)
from tests.support.command import CommandResult, start_controlplane, wait_for_exit

pytest.importorskip("inspect_ai")


@pytest.fixture
def tasks_folder(tmp_path: Path) -> Path:
    """A folder with the task, the files that describe its containers, and the model's reply."""
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    (tmp_path / "compose.yaml").write_text(COMPOSE_FILE)
    (tmp_path / "several-compose.yaml").write_text(COMPOSE_FILE_WITH_TWO_SERVICES)
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


@pytest.fixture(scope="module")
def containers() -> None:
    """Skip the test if this computer can't start containers."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def containers_of_samples() -> list[str]:
    """Return the names of all containers of samples that podman has, running or not."""
    command = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        name for name in listing.split() if name.startswith("controlplane-inspect-")
    ]


def run_greetings(folder: Path) -> CommandResult:
    """Run the task `greetings`, and wait for its end."""
    process = start_controlplane(
        "run",
        *("--benchmark", "inspect:tasks.py@greetings"),
        *("--model", "scripted:replies.toml"),
        "--json",
        cwd=folder,
        **PROCESS_VARIABLES,
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


@pytest.mark.second_tier
@pytest.mark.usefixtures("containers")
def test_a_sample_of_one_service_is_played_and_one_of_several_is_left_out(
    tasks_folder: Path,
) -> None:
    """The journal names the sample that is left out. Afterwards no container is there any more.

    The replay starts none: it takes what the commands returned from the journal.
    """
    run = run_greetings(tasks_folder)

    (trial,) = run.json["trials"]
    assert trial["task_id"] == "greetings.plain", run.out + run.err
    assert trial["score"] == 1.0, run.out + run.err
    (journal_path,) = (tasks_folder / "runs").glob("*.jsonl")
    journal = journal_path.read_text()
    printed = "hullo\\ngreen\\n/work"
    assert printed in journal
    assert "greetings.several: several-compose.yaml has 2 services" in journal
    assert containers_of_samples() == []

    replay = wait_for_exit(
        start_controlplane("replay", "last", "--verify", cwd=tasks_folder),
        within_s=TIMEOUT_S,
    )
    assert replay.code == 0, replay.err
