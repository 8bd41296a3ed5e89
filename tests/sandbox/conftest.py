"""One fork server for all sandbox tests, and a sandbox over a small world."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import ForkServer, Sandbox, Worker
from sandbox.interface.host import WorkerLimits
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, Desk
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
    monkeypatch.setitem(Worker.__init__.__kwdefaults__, "limits", WorkerLimits(call_cpu_s=0.4))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def open_box(server: ForkServer, desk: Desk) -> Iterator[Callable[..., Sandbox]]:
    """Return a function that opens a sandbox; all are closed at the end."""
    opened: list[Sandbox] = []

    def make(**options: Any) -> Sandbox:
        given = {"now": NOW, "seed": 1, "server": server, **options}
        opened.append(Sandbox(options.pop("tool_schema", TOOL_SCHEMA), options.pop("host", desk), **_without(given)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def _without(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ("tool_schema", "host")}


@pytest.fixture
def box(open_box: Callable[..., Sandbox]) -> Sandbox:
    return open_box()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a text, a table, an empty folder and a file that is no text."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs/a.txt").write_text("alpha\nbeta\n")
    (tmp_path / "stock.csv").write_text('sku,qty,price,code\nx,10,1.5,007\ny,3,,12\n"z,z",1,2e1,a\'b\n')
    (tmp_path / "latin.bin").write_bytes(b"caf\xe9\x00\n")
    return tmp_path
