"""The remote platform: a client of its API, and a server that speaks it.

`bitgn:<benchmark id>`, or `bitgn` with BENCH_ID. BITGN_HOST names the platform, BITGN_API_KEY holds the key for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane import BenchmarkContext, OpenedBenchmark


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the platform's benchmark that `argument` names. Nothing is called yet.

    Raises `BenchmarkError` for a missing id, an unknown setting, or a value that does not fit.
    """
    from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
    from controlplane import OpenedBenchmark

    remote = RemoteBenchmark(argument, settings, context)
    return OpenedBenchmark(remote, resume_identity=remote.identity, throttle_status=remote.throttle_status)
