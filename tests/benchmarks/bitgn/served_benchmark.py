"""What several tests need: the platform's client on a server that serves a benchmark."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from benchmarks.bitgn.server import ServerOptions
from controlplane import Benchmark, BenchmarkContext
from tests.support.server_faults import Faults, FaultyServer, faulty_server

KEY = "canary-key-5f1d"
PLAIN = ServerOptions(api_key=KEY)


@dataclass(frozen=True)
class Wire:
    remote: RemoteBenchmark
    server: FaultyServer
    notices: list[str]


@contextmanager
def wire(
    benchmark: Benchmark,
    options: ServerOptions = PLAIN,
    faults: Faults = Faults(),  # noqa: B008 - it is frozen
    *,
    served_as: str = "",
    **settings: str,
) -> Iterator[Wire]:
    """Serve `benchmark` with faults, and open the platform's client on it."""
    with faulty_server(benchmark, options, faults) as server, client(server, served_as, **settings) as wired:
        yield wired


@contextmanager
def client(server: FaultyServer, served_as: str = "", faults: Faults | None = None, **settings: str) -> Iterator[Wire]:
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
