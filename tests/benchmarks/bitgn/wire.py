"""What several tests need: the platform's client on a server that serves a benchmark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from benchmarks.bitgn import open_benchmark
from benchmarks.bitgn.platform import RemoteBenchmark
from benchmarks.bitgn.server import RunningServer, ServerOptions, running_server
from controlplane.benchmark import Benchmark

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
    with mock.patch.dict(os.environ, {"BITGN_API_KEY": KEY}), running_server(benchmark, options or PLAIN) as server:
        remote = open_benchmark(served_as or benchmark.describe().name, {"host": server.url, **settings})
        notices: list[str] = []
        remote.on_notice = notices.append
        try:
            yield Wire(remote, server, notices)
        finally:
            remote.close()
