"""A sample of Inspect that is played in a container, with podman.

The task `greetings` has two samples. The script of the model corrects a file in the container of the
sample `plain`, and the task's scorer reads the file there. The sample `several` has two
containers, and does not say in which one tools work, so it is left out.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason
from tests.benchmarks.harbor.container_runs import TIMEOUT_S
from tests.benchmarks.inspect import greetings_containers
from tests.benchmarks.inspect.greetings_task import TASKS
from tests.support.command import start_controlplane, wait_for_exit

pytest.importorskip("inspect_ai")


@pytest.fixture
def tasks_folder(tmp_path: Path) -> Path:
    """A folder with the task, the files that describe its containers, and the model's reply."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)
    files = {
        "tasks.py": TASKS,
        "Dockerfile": greetings_containers.DOCKERFILE,
        "compose.yaml": greetings_containers.COMPOSE_FILE,
        "several-compose.yaml": greetings_containers.COMPOSE_FILE_WITH_TWO_SERVICES,
        "replies.toml": greetings_containers.REPLIES,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.second_tier
def test_a_sample_is_played_and_one_without_a_default_service_is_left_out(
    tasks_folder: Path,
) -> None:
    benchmark = ("--benchmark", "inspect:tasks.py@greetings")
    model = ("--model", "scripted:replies.toml")
    process = start_controlplane(
        "run", *benchmark, *model, "--json", cwd=tasks_folder, **PROCESS_VARIABLES
    )
    run = wait_for_exit(process, within_s=TIMEOUT_S)

    # The sample `plain` was played: its script ran in the container, and the scorer found "hello".
    (trial,) = run.json["trials"]
    assert trial["task_id"] == "greetings.plain", run.out + run.err
    assert trial["score"] == 1.0, run.out + run.err
    (journal_path,) = (tasks_folder / "runs").glob("*.jsonl")
    journal = journal_path.read_text()
    printed_text = "\n".join(greetings_containers.PRINTED_LINES)
    assert json.dumps(printed_text).strip('"') in journal

    # The sample `several` was left out, with the reason.
    assert "greetings.several: several-compose.yaml has 2 services" in journal

    # No container of the run is left over.
    list_containers = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    names = subprocess.run(list_containers, capture_output=True, text=True, check=True)
    assert "controlplane-inspect-" not in names.stdout

    # A replay takes what the commands returned from the journal, and starts no container.
    replay = start_controlplane("replay", "last", "--verify", cwd=tasks_folder)
    replayed = wait_for_exit(replay, within_s=TIMEOUT_S)
    assert replayed.code == 0, replayed.err
