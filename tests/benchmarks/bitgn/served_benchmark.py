"""What several tests need: the platform's client on a server that serves a benchmark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from benchmarks.bitgn.server import Faults, RunningServer, ServerOptions, running_server
from controlplane import Benchmark, BenchmarkContext

KEY = "canary-key-5f1d"
PLAIN = ServerOptions(api_key=KEY)


@dataclass(frozen=True)
class Wire:
    remote: RemoteBenchmark
    server: RunningServer
    notices: list[str]


@contextmanager
def wire(
    benchmark: Benchmark, options: ServerOptions | None = None, *, served_as: str = "", **settings: str
) -> Iterator[Wire]:
    """Serve `benchmark`, and open the platform's client on it."""
    with running_server(benchmark, options or PLAIN) as server, client(server, served_as, **settings) as wired:
        yield wired


@contextmanager
def client(server: RunningServer, served_as: str = "", faults: Faults | None = None, **settings: str) -> Iterator[Wire]:
    """Open the platform's client on a server, which makes `faults` meanwhile, where they are given."""
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"BITGN_API_KEY": KEY}))
        if faults is not None:
            server.faults.use(faults)
            stack.callback(server.faults.use, Faults())
        notices: list[str] = []
        context = BenchmarkContext(notify=notices.append)
        remote = RemoteBenchmark(served_as or "shelf", {"host": server.url, **settings}, context)
        stack.callback(remote.close)
        yield Wire(remote, server, notices)
