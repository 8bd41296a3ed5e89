"""A wire server (which serves a benchmark to agents over HTTP) in a thread of the test's process.

with running_server(benchmark, ServerOptions()) as server:
    ...  # a client talks to server.url
"""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from unittest import mock

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.harness import ServedRuns
from controlplane.benchmarks.bitgn.server.wire_server import bound_server


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts calls, and the runs that it serves."""

    url: str
    runs: ServedRuns


@contextmanager
def running_server(
    benchmark: Benchmark, options: ServerOptions
) -> Iterator[RunningServer]:
    """Serve the benchmark for the length of the block."""
    with bound_server(benchmark, options) as bound, bound.host.serving():
        yield RunningServer(bound.url, bound.app.runs)


LONGEST_PAUSE_S = 0.01
"""The longest pause of a server within `quick_server_ends`."""


class _QuickAsyncio(ModuleType):
    """The module `asyncio`, except that its `sleep` never takes long."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    def sleep(delay_s: float) -> Awaitable[None]:
        return asyncio.sleep(min(delay_s, LONGEST_PAUSE_S))


@contextmanager
def quick_server_ends() -> Iterator[None]:
    """Let servers end within milliseconds.

    Uvicorn sleeps between two looks at whether it is to end, and again before it closes idle
    connections: together about a quarter of a second for each server of a test.
    """
    with mock.patch("uvicorn.server.asyncio", _QuickAsyncio("asyncio")):
        yield
