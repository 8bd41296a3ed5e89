"""The embedded benchmark `ecom`: a simulated shop workspace, its tasks, its grader, and a player by rules.

Everything is deterministic from a seed. Nothing here is imported by the control plane; it opens the benchmark by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane import BenchmarkContext, OpenedBenchmark


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the benchmark. The one setting is `policy`: `open` (default) or `blind`, which seals scores.

    Raises `BenchmarkError` for an argument or a setting that it does not have.
    """
    from benchmarks.ecom.ecom_benchmark import EcomBenchmark, read_settings
    from benchmarks.ecom.identifiers import WORLD_VERSION
    from controlplane import OpenedBenchmark

    return OpenedBenchmark(EcomBenchmark(read_settings(argument, settings)), world_version=WORLD_VERSION)
