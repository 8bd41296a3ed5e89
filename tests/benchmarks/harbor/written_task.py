r"""A task in Harbor's format, a public format for tasks that are played in containers.

A task is a folder with `task.toml`, `instruction.md`, `environment/Dockerfile` and `tests/test.sh`.

    task = write_and_read_task(tmp_path / "task", '[environment]\nmemory = "2G"')
    task.file.environment.memory_mb  # 2048
"""

from pathlib import Path

from controlplane.benchmarks.harbor.harbor_benchmark import read_task
from controlplane.benchmarks.harbor.tasks import HarborTask


def write_and_read_task(folder: Path, toml: str) -> HarborTask:
    """Write a task whose task.toml has this text, and return it as the product reads it.

    Raises `TaskFileError` if the text has a fault, as `"[agent"` has.
    """
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "environment/Dockerfile").write_text("FROM base\n")
    (folder / "tests/test.sh").write_text("exit 0\n")
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "task.toml").write_text(toml)
    return read_task(folder, folder.name)


def write_and_read_task_with_compose_file(folder: Path, compose: str) -> HarborTask:
    """Write a task with a compose file, and return it as the product reads it.

    The file takes the place of the Dockerfile:

        compose = "services: {main: {image: 'debian:bookworm'}}"
        write_and_read_task_with_compose_file(folder, compose).main.image  # "debian:bookworm"
    """
    task = write_and_read_task(folder, toml="")
    (task.environment_folder / "docker-compose.yaml").write_text(compose)
    return read_task(folder, folder.name)
