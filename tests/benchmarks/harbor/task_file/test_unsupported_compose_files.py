"""Compose files of tasks that ask for more than one container of their own.

A compose file, such as `services: {main: {build: ., privileged: true}}`, describes the container
of a task. Some keys would give the container rights on the host, such as its files or its
network. The task is then refused, and the message names the key: "privileged".
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.harbor_benchmark import unsupported_feature
from tests.benchmarks.harbor.task_file.written_task import (
    write_and_read_task_with_compose_file,
)

FILES_OF_THE_HOST = "services: {main: {build: ., volumes: [/:/host]}}"
RIGHTS_ON_THE_HOST = "services: {main: {build: ., privileged: true}}"
NETWORK_OF_THE_HOST = "services: {main: {build: ., network_mode: host}}"
FOLDER_OUTSIDE_THE_TASK = "services: {main: {build: ../../..}}"
SECRETS = "services: {main: {build: {context: ., secrets: [key]}}}"
SHARED_FOLDERS = "services: {main: {build: .}}\nvolumes: {data: {}}"
TWO_CONTAINERS = "services: {main: {build: .}, store: {image: redis}}"


@pytest.mark.parametrize(
    ("compose", "message_part"),
    [
        pytest.param("services: {}", "0 services", id="no container"),
        pytest.param(TWO_CONTAINERS, "2 services", id="two containers"),
        pytest.param(FILES_OF_THE_HOST, "volumes", id="files of the host"),
        pytest.param(RIGHTS_ON_THE_HOST, "privileged", id="rights on the host"),
        pytest.param(NETWORK_OF_THE_HOST, "network_mode", id="the network of the host"),
        pytest.param(
            FOLDER_OUTSIDE_THE_TASK,
            "outside",
            id="an image of a folder outside the task",
        ),
        pytest.param(SECRETS, "build has secrets", id="an image built with secrets"),
        pytest.param(
            "services: {main: {command: sleep}}", "neither build", id="no image"
        ),
        pytest.param(SHARED_FOLDERS, "volumes", id="shared folders"),
        pytest.param("services: [", "cannot be read", id="a syntax error"),
        pytest.param("[]", "no services", id="a list"),
    ],
)
def test_an_unsupported_part_of_a_compose_file_is_named(
    tmp_path: Path, compose: str, message_part: str
) -> None:
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert message_part in unsupported_feature(task)
