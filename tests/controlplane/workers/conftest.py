"""The benchmark that the tests with a cluster play."""

from collections.abc import Iterator

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.running_server import running_server


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[EffectCounterBenchmark]:
    """A benchmark of two trials, which counts the changes that each of them makes.

    A trial has to make one `write`, one `delete`, one `checkout` and one `answer`. The benchmark is
    behind a server whose address is in the environment variables.
    """
    counting_benchmark = EffectCounterBenchmark(2)
    with running_server(counting_benchmark, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        yield counting_benchmark
