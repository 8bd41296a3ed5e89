"""`controlplane benchmarks`: what can be run."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import click

from controlplane.benchmark import BenchmarkError
from controlplane.benchmark_opening import BenchmarkContext
from controlplane.commands.options import AS_JSON, SET, pairs_of
from controlplane.configuration.named_modules import BENCHMARKS, open_benchmark, options_of, refused
from controlplane.configuration.setting_sources import resolve


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
@click.option("--seed", type=int, default=None, help="The seed of the run whose worlds are previewed.  [default: 0]")
@SET
@AS_JSON
def show(benchmark: str, seed: int | None, pairs: tuple[str, ...], as_json: bool) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), each task as a run of that seed asks it."""
    settings = resolve({} if seed is None else {"seed": seed}, os.environ, Path.cwd()).settings
    options = options_of(benchmark)
    opened = open_benchmark(benchmark, pairs_of(pairs), BenchmarkContext()).benchmark
    try:
        description = opened.describe(preview_seed=settings.seed)
    except BenchmarkError as error:
        raise refused(error) from error
    finally:
        opened.close()
    if as_json:
        named = [{"name": each.name, "description": each.description, "choices": each.choices} for each in options]
        print(json.dumps(dataclasses.asdict(description) | {"options": named}))
        return
    print(f"{description.name}: {description.summary}")
    print(f"policy: {description.policy} · {len(description.tasks)} tasks")
    for option in options:
        values = ", ".join(option.choices)
        print(f"--set {option.name}=…  {option.description}{f' ({values})' if values else ''}")
    for each in description.tasks:
        print(f"  {each.task_id:<28} {' '.join(each.preview.split())[:90]}")
