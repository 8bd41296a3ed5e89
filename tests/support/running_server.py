"""A wire server that runs in a thread of this process."""

import asyncio
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from unittest import mock

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.benchmarks.bitgn.server.wire_server import bound_server, server_of


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts calls, and the runs that it serves."""

    url: str
    runs: ServedRuns


@contextmanager
def running_server(
    benchmark: Benchmark, options: ServerOptions
) -> Iterator[RunningServer]:
    """Serve for the length of the block."""
    with bound_server(benchmark, options) as bound:
        server = server_of(bound.app)
        thread = threading.Thread(
            target=server.run, args=([bound.listener],), name="wire server", daemon=True
        )
        thread.start()
        try:
            yield RunningServer(bound.url, bound.app.runs)
        finally:
            server.should_exit = True
            thread.join()


TICK_S = 0.01


class _Quick(ModuleType):
    """`asyncio` with short pauses."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    def sleep(delay_s: float) -> Awaitable[None]:
        return asyncio.sleep(min(delay_s, TICK_S))


@contextmanager
def quick_server_ends() -> Iterator[None]:
    """Shorten the pauses between a server's looks at whether
    it is to end, and before it closes what is idle."""
    with mock.patch("uvicorn.server.asyncio", _Quick("asyncio")):
        yield
