"""Fixtures of the sandbox's tests.

A *fork server* is a process that has imported everything scripts need; it forks a child for each
sandbox, in which the scripts run. The tests of a session share one. A *host* answers the calls
that scripts make.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from controlplane.sandbox import ForkServer, Sandbox
from tests.sandbox.local_parent import RecordingHost, new_sandbox


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """The fork server of all sandboxes."""
    with ForkServer() as server:
        yield server


@pytest.fixture
def commands_share_servers(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands that a test runs in its own process use the same fork server, because a start
    takes long."""
    monkeypatch.setattr("controlplane.sandbox.ForkServer", lambda: nullcontext(server))


@pytest.fixture
def host() -> RecordingHost:
    """The host of the test's sandboxes, which records their calls and answers."""
    return RecordingHost()


@pytest.fixture
def open_sandbox(
    server: ForkServer, host: RecordingHost
) -> Iterator[Callable[..., Sandbox]]:
    """A function that opens a sandbox: `open_sandbox(limits=Limits(step_calls=3))`.

    All its sandboxes are closed after the test.
    """
    sandboxes: list[Sandbox] = []

    def open_one(**options: Any) -> Sandbox:
        sandbox = new_sandbox(server, host, **options)
        sandboxes.append(sandbox)
        return sandbox

    yield open_one
    for sandbox in sandboxes:
        sandbox.close()


@pytest.fixture
def sandbox(open_sandbox: Callable[..., Sandbox]) -> Sandbox:
    """A sandbox with the limits and the isolation that users get by default."""
    return open_sandbox()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder on disk with a text, a table, an empty folder, and a file that is not text."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs/a.txt").write_text("alpha\nbeta\n")
    (tmp_path / "stock.csv").write_text(
        'sku,qty,price,code\nx,10,1.5,007\ny,3,,12\n"z,z",1,2e1,a\'b\n'
    )
    (tmp_path / "latin.bin").write_bytes(b"caf\xe9\x00\n")
    return tmp_path
