"""A wire server behind a network that fails now and then, as a seed decides.

    faults = Faults(seed=7, unavailable=0.1, reset_after=0.05)
    with faulty_server(benchmark, ServerOptions(), faults) as server:
        ...  # a client at server.url: a tenth of its calls get 503
    assert server.faults.made["unavailable"] > 0

The server itself works; a relay before it makes the faults.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controlplane import Benchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.sandbox.interface import CallError
from tests.support.relay.fault_layer import FaultLayer
from tests.support.relay.faults import Faults
from tests.support.relay.wire_relay import relay_to
from tests.support.running_server import RunningServer, running_server


@dataclass(frozen=True)
class FaultyServer:
    """A server whose calls meet faults, at `url`."""

    url: str
    running: RunningServer
    """The server itself, behind the faults."""
    faults: FaultLayer

    def own_id(self, wire_id: str) -> str:
        """Return what the benchmark itself calls a run or trial: `ada-0` for the random id that the
        server has told its clients."""
        runs = self.running.runs
        try:
            return runs.trial(wire_id).id_in_benchmark
        except CallError:
            return runs.run(wire_id).id_in_benchmark


NO_FAULTS = Faults()


@contextmanager
def faulty_server(
    benchmark: Benchmark, options: ServerOptions, faults: Faults = NO_FAULTS
) -> Iterator[FaultyServer]:
    """Serve the benchmark behind these faults for the length of the block."""
    layer = FaultLayer(faults)
    with (
        running_server(benchmark, options) as running,
        relay_to(running.url, layer) as relay,
    ):
        yield FaultyServer(relay.url, running, layer)
