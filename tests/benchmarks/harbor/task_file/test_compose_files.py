"""A task may describe its container by a compose file, a format of Docker, instead of a Dockerfile.

The file calls a container a service. A task's file has one, which gives the task's container its
image, variables and limits: `services: {main: {image: "debian:bookworm"}}`.
"""

from pathlib import Path

from controlplane.benchmarks.harbor.harbor_benchmark import unsupported_feature
from tests.benchmarks.harbor.task_file.written_task import (
    write_and_read_task_with_compose_file,
)


def test_a_compose_file_of_one_service_gives_image_variables_and_limits(
    tmp_path: Path,
) -> None:
    """HOST_KEY has no value, so the container gets that of the host when it starts."""
    compose = """
services:
  main:
    image: debian:bookworm
    working_dir: /app
    environment: [COLOUR=green, HOST_KEY]
    command: sleep infinity
    mem_limit: 1g
    cpus: 2
    network_mode: none
"""
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.docker_image == "debian:bookworm"
    assert task.workdir == "/app"
    assert task.cpus == 2.0
    assert task.variables == {"COLOUR": "green", "HOST_KEY": "${HOST_KEY}"}
    assert not task.wants_network("agent")


def test_a_compose_file_may_build_the_folder_of_the_task(tmp_path: Path) -> None:
    """The folder with the Dockerfile is built. The key `image` only names the result."""
    compose = (
        "services: {main: {build: {context: ., dockerfile: Dockerfile}, image: named}}"
    )
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.docker_image == ""
    assert task.build_folder == task.environment_folder
