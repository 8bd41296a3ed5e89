"""Settings with which the client of the platform (BitGN) refuses to be opened.

The platform is a server that offers tasks to agents. `refusal_of(host="api.bitgn.com")` is the
message for an address without `https://`.
"""

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.bitgn.client.remote_benchmark import open_benchmark


def refusal_of(benchmark_id: str = "x", **settings: str) -> str:
    """Return the message with which the client refuses to be opened."""
    with pytest.raises(BenchmarkError) as caught:
        open_benchmark(benchmark_id, settings, BenchmarkContext())

    assert caught.value.code == "invalid_argument"
    return caught.value.message
