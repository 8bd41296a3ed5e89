"""Clients of a benchmark that is served over HTTP, as the platform (BitGN) serves one.

The platform starts trials, has their files and tools, and grades their answers. The product has a
client of the platform, and a server that speaks the same protocol. Tests let them meet, or send
requests of their own:

    with remote_benchmark_on(ShelfBenchmark()) as connection:
        connection.remote.describe()  # by the product's client

    with raw_client_of(ShelfBenchmark()) as client:
        client.harness("StartRun", benchmarkId="shelf")  # any request
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

from controlplane import Benchmark, BenchmarkContext
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer, faulty_server

API_KEY = "canary-key-5f1d"
OPTIONS_WITH_KEY = ServerOptions(api_key=API_KEY)
"""Options of a server whose clients have to name the key."""


@dataclass(frozen=True)
class Connection:
    """The product's client, connected to a server."""

    remote: RemoteBenchmark
    server: FaultyServer
    notices: list[str]
    """What the client has told its user so far."""


@contextmanager
def remote_benchmark_on(
    benchmark: Benchmark,
    options: ServerOptions = OPTIONS_WITH_KEY,
    faults: Faults = Faults(),  # noqa: B008 - it is frozen
    *,
    benchmark_id: str = "shelf",
) -> Iterator[Connection]:
    """Serve a benchmark behind a network with faults, and connect the product's client to it."""
    with (
        faulty_server(benchmark, options, faults) as server,
        connected_to(server, benchmark_id=benchmark_id) as connection,
    ):
        yield connection


@contextmanager
def connected_to(
    server: FaultyServer,
    *,
    benchmark_id: str = "shelf",
    faults: Faults | None = None,
    **settings: str,
) -> Iterator[Connection]:
    """Connect the product's client to a running server. The server's key is in the environment.

    If `faults` are given, the network has them for the length of the block. `settings` are
    those of the client, such as `call_timeout_s="0.2"`.
    """
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"BITGN_API_KEY": API_KEY}))
        if faults is not None:
            server.faults.use(faults)
            stack.callback(server.faults.use, Faults())
        notices: list[str] = []
        context = BenchmarkContext(notify=notices.append)
        remote = RemoteBenchmark(
            benchmark_id, {"host": server.url, **settings}, context
        )
        stack.callback(remote.close)
        yield Connection(remote, server, notices)
