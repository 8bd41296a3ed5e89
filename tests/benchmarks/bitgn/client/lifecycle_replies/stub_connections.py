"""The product's client, connected to a stub of the platform (BitGN), which replies as a test says.

    with connected_to_stub(http_reply(b"{}")) as connection:
        connection.remote.start_trial("t")     # raises: the reply lacks a field
    connection.called_methods                  # ["StartTrial"]

The platform is a server of tasks, with methods to start a run and its trials, and to end them.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from controlplane import BenchmarkContext
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from tests.support.byte_server import Behaviour, ByteServer


@dataclass(frozen=True)
class StubConnection:
    """A client, connected to a stand-in for the platform."""

    remote: RemoteBenchmark
    context: BenchmarkContext
    platform: ByteServer

    @property
    def called_methods(self) -> list[str]:
        """The methods of all requests so far: `["StartTrial", "GetTrial"]`."""
        methods: list[str] = []
        for request in self.platform.requests:
            path = request.split(b" ", 2)[1].decode()
            methods.append(path.rpartition("/")[2])
        return methods


@contextmanager
def connected_to_stub(
    behaviour: Behaviour, **settings: str
) -> Iterator[StubConnection]:
    """Connect the client to a server that replies in this way.

    `settings` are those of the client. With `lifecycle_patience_s="0.2"`, it repeats a start, an
    end or a submission that has failed for 0.2 s.
    """
    context = BenchmarkContext()
    with (
        ByteServer(behaviour) as platform,
        closing(
            RemoteBenchmark("x", {"host": platform.url, **settings}, context)
        ) as remote,
    ):
        yield StubConnection(remote, context, platform)
