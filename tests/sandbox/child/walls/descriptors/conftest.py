"""Sandboxes whose host looks at their process, with two kinds of isolation."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controlplane.sandbox import Layer, Sandbox
from tests.sandbox.child.walls.descriptors.looking_host import (
    LookingHost,
    ServerWithPids,
)
from tests.sandbox.local_parent import new_sandbox


@pytest.fixture(scope="session")
def server() -> Iterator[ServerWithPids]:
    """A server that was started with 60 open files, so that its own socket has a number above 60. A
    child must close it, too, and not only descriptors with low numbers."""
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(Path(os.devnull).open("rb"))
        yield stack.enter_context(ServerWithPids())


@pytest.fixture
def host(server: ServerWithPids) -> LookingHost:
    return LookingHost(server)


@pytest.fixture(
    params=[
        pytest.param({Layer.PROCESS}, id="process"),
        pytest.param({Layer.LANGUAGE, Layer.PROCESS}, id="language,process"),
    ]
)
def sandbox(
    request: pytest.FixtureRequest, server: ServerWithPids, host: LookingHost
) -> Iterator[Sandbox]:
    """A sandbox with these layers, whose calls are answered by `host`."""
    with new_sandbox(server, host, isolation=frozenset(request.param)) as sandbox:
        yield sandbox
