"""Asks a benchmark what it is: its tasks, rule sets and the version of its worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane.benchmark import Benchmark, BenchmarkError, Description
from controlplane.configuration.named_modules import as_command_error
from controlplane.errors import UsageError

if TYPE_CHECKING:
    from controlplane.lifecycle.resources.run_resources import RunResources


def describe_benchmark(benchmark: Benchmark, name: str) -> Description:
    """Return the description of the benchmark called `name`.

    Raises `UsageError` and `Unreachable`.
    """
    try:
        description: object = benchmark.describe()
    except BenchmarkError as error:
        raise as_command_error(error) from error
    if isinstance(description, Description):
        return description
    msg = f"describe() of the benchmark {name!r} returned {description!r}, not a Description"
    raise UsageError(msg)


def check_world(resources: RunResources, recorded_version: str, refusal: str) -> None:
    """Raise `UsageError` if the benchmark's worlds are no longer those of a recorded run.

    The message begins with `refusal`.
    """
    version = resources.opened.world_version
    if recorded_version == version:
        return
    recorded = "a version that its journal does not name"
    if recorded_version:
        recorded = f"version {recorded_version!r}"
    msg = (
        f"{refusal}: it began in {recorded} of the worlds of "
        f"{resources.settings.benchmark}, and this is version {version!r}, "
        "where its trials would continue in other worlds; start a new run"
    )
    raise UsageError(msg)
