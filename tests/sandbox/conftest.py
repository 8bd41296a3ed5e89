"""One fork server for all sandbox tests, and a sandbox over a small world."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.sandbox import ForkServer, Sandbox, Worker
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.host import WorkerLimits
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, RecordingHost
from tests.support.shared_fork_servers import shared_fork_servers


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture(scope="module")
def commands_share_servers() -> Iterator[None]:
    """Commands that run scripts in this process fork them from servers that are already there."""
    with shared_fork_servers(("sandbox.ForkServer",)):
        yield


@pytest.fixture
def short_worker_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of a worker ends after 0.4 s of CPU, not 2 s."""
    monkeypatch.setitem(
        Worker.__init__.__kwdefaults__, "limits", WorkerLimits(call_cpu_s=0.4)
    )


@pytest.fixture
def desk() -> RecordingHost:
    return RecordingHost()


@pytest.fixture
def open_box(
    server: ForkServer, desk: RecordingHost
) -> Iterator[Callable[..., Sandbox]]:
    """Return a function that opens a sandbox; all are closed at the end."""
    opened: list[Sandbox] = []

    def make(
        *, tool_schema: ToolSchema = TOOL_SCHEMA, host: Any = desk, **options: Any
    ) -> Sandbox:
        opened.append(
            Sandbox(
                tool_schema,
                host,
                **{"now": NOW, "seed": 1, "server": server, **options},
            )
        )
        return opened[-1]

    yield make
    for box in opened:
        box.close()


@pytest.fixture
def box(open_box: Callable[..., Sandbox]) -> Sandbox:
    return open_box()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a text, a table, an empty folder and a file that is no text."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs/a.txt").write_text("alpha\nbeta\n")
    (tmp_path / "stock.csv").write_text(
        'sku,qty,price,code\nx,10,1.5,007\ny,3,,12\n"z,z",1,2e1,a\'b\n'
    )
    (tmp_path / "latin.bin").write_bytes(b"caf\xe9\x00\n")
    return tmp_path
