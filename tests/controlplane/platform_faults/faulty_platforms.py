"""Platforms that fail at random: they refuse calls, lose replies, or cannot start some trials.

    with faulty_platform(folder, trials=5, faults=Faults(seed=3, unavailable=0.2)) as platform:
        platform.command(*RUN_EFFECT_COUNTER)

By these faults, a fifth of all calls are refused, and the same ones each time, as the seed is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.controlplane.platform_faults.platform_commands import Platform
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.relay.fault_layer import FaultLayer
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import faulty_server


@dataclass(frozen=True)
class FaultyPlatform(Platform):
    """A platform that fails at some calls, which a random choice selects."""

    faults: FaultLayer
    """What selects the calls, and counts the failures."""


@contextmanager
def faulty_platform(
    folder: Path,
    *,
    trials: int,
    faults: Faults | None = None,
    failing_starts: frozenset[int] = frozenset(),
) -> Iterator[FaultyPlatform]:
    """Serve a benchmark of this many trials. Those with the numbers in `failing_starts` cannot be
    started."""
    benchmark = EffectCounterBenchmark(trials, failing_starts)
    with faulty_server(benchmark, ServerOptions(), faults or Faults()) as server:
        yield FaultyPlatform(benchmark, server.url, folder, server.faults)
