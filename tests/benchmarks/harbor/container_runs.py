"""What tests of tasks in containers share: tasks on a base image, and runs of them by podman.

A task in Harbor's format is a folder with a Dockerfile, an instruction for the agent, and a verifier, a
script that writes the score to a file when the agent has finished.

    task = write_task(tmp_path / "task", verifier="exit 1")
    run_tasks(task, "nothing", tmp_path).json["trials"]
"""

from pathlib import Path

from tests.benchmarks.harbor.base_image import BASE_IMAGE, PROCESS_VARIABLES
from tests.support.command import CommandResult, start_controlplane, wait_for_exit

TASKS = Path(__file__).parent / "tasks"
"""A folder with eight tasks: `fix-test`, `impossible`, and others."""
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
