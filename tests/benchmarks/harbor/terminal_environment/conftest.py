r"""The calls of an agent to the container of its task.

environment.call("shell", {"command": "pwd"})
# {"stdout": "/tmp\n", "stderr": "", "exit_code": 0}
"""

import os
from collections.abc import Iterator

import pytest

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    ContainerSpec,
)
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from tests.benchmarks.harbor.base_image import BASE_IMAGE


@pytest.fixture
def container(runtime: ContainerRuntime) -> Iterator[Container]:
    """A running container of the base image."""
    name = f"controlplane-test-{os.getpid()}"
    yield runtime.start(ContainerSpec(BASE_IMAGE, name, {}))
    runtime.remove(name)


@pytest.fixture
def environment(container: Container) -> TerminalEnvironment:
    """The calls to a container. Commands run in /tmp, with COLOUR=green, for at most 60 s each."""
    root = ""
    place = CommandPlace(root, workdir="/tmp", variables={"COLOUR": "green"})
    return TerminalEnvironment(container, place, 60.0)


@pytest.fixture
def environment_with_note(environment: TerminalEnvironment) -> TerminalEnvironment:
    """The calls to a container with the file `/tmp/notes/a b.txt` of three lines."""
    arguments = {"path": "notes/a b.txt", "content": "one\ntwo 2\nthree\n"}
    environment.call("write", arguments)
    return environment
