"""One fork server for all sandbox tests, and a sandbox over a small world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sandbox import ForkServer, Sandbox
from tests.sandbox.world import NOW, SURFACE, Desk


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def open_box(server: ForkServer, desk: Desk) -> Iterator[Callable[..., Sandbox]]:
    """Return a function that opens a sandbox; all are closed at the end."""
    opened: list[Sandbox] = []

    def make(**options: Any) -> Sandbox:
        given = {"now": NOW, "seed": 1, "server": server, **options}
        opened.append(Sandbox(options.pop("surface", SURFACE), options.pop("host", desk), **_without(given)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def _without(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ("surface", "host")}


@pytest.fixture
def box(open_box: Callable[..., Sandbox]) -> Sandbox:
    return open_box()
