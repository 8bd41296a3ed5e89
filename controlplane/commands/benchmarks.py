"""`controlplane benchmarks`: what can be run."""

from __future__ import annotations

import dataclasses
import json

import click

from controlplane.benchmark import BenchmarkError
from controlplane.benchmark_opening import BenchmarkContext
from controlplane.commands.options import AS_JSON, SET, pairs_of
from controlplane.configuration.named_modules import BENCHMARKS, open_benchmark, refused


@click.group("benchmarks")
def command() -> None:
    """List benchmarks, and show what one has."""


@command.command("list")
def list_benchmarks() -> None:
    """Print the names of the registered benchmarks; any importable module can be one as well."""
    for name in BENCHMARKS:
        print(name)


@command.command("show")
@click.argument("benchmark")
@SET
@AS_JSON
def show(benchmark: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Print policy and tasks of BENCHMARK (NAME or NAME:ARGUMENT)."""
    opened = open_benchmark(benchmark, pairs_of(pairs), BenchmarkContext()).benchmark
    try:
        description = opened.describe()
    except BenchmarkError as error:
        raise refused(error) from error
    finally:
        opened.close()
    if as_json:
        print(json.dumps(dataclasses.asdict(description)))
        return
    print(f"{description.name}: {description.summary}")
    print(f"policy: {description.policy} · {len(description.tasks)} tasks")
    for each in description.tasks:
        print(f"  {each.task_id:<28} {' '.join(each.preview.split())[:90]}")
