"""`controlplane benchmarks`: list benchmarks, or show one."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    Description,
)
from controlplane.commands.arguments.options import AS_JSON, BENCHMARK_OPTIONS
from controlplane.commands.arguments.setting_options import given_options
from controlplane.configuration.named_modules import (
    BENCHMARKS,
    as_command_error,
    clean_up,
    open_benchmark,
    options_of,
)
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import near_names
from controlplane.quantity_texts import count_text
from controlplane.terminal_text import one_line, say


class _Commands(click.Group):
    """Lets the user leave out the name of the command `show`.

    `benchmarks folder:tasks` means `benchmarks show folder:tasks`.
    """

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A misspelt command is told by click.
        is_command = bool(near_names(args[0], self.commands))
        if not is_command and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


@click.group("benchmarks", cls=_Commands)
def benchmarks_command() -> None:
    """List benchmarks, or show one: `benchmarks ecom` does what `benchmarks show ecom`
    does."""


@benchmarks_command.command("list")
def list_benchmarks() -> None:
    """Print the names of the registered benchmarks; any importable module can be a
    benchmark too."""
    for name in BENCHMARKS:
        say(name)


@benchmarks_command.command("show")
@click.argument("benchmark")
@click.option(
    "--seed",
    type=int,
    default=None,
    help="The seed of the run whose worlds are previewed.  [default: 0]",
)
@BENCHMARK_OPTIONS
@AS_JSON
def show(
    benchmark: str, *, seed: int | None, pairs: dict[str, str], as_json: bool
) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), with
    previews of a run of that seed."""
    settings = resolve(given_options({"seed": seed}), os.environ, Path.cwd()).settings
    # Secret options cannot be given as --set: they come from environment variables.
    options = [option for option in options_of(benchmark) if not option.secret_variable]
    opened = open_benchmark(benchmark, pairs, BenchmarkContext())
    try:
        description = opened.benchmark.describe(preview_seed=settings.seed)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        opened.benchmark.close()
    if as_json:
        # Print a benchmark's description and its options as one JSON object.
        shown_options = []
        for listed in options:
            shown = {
                "name": listed.name,
                "description": listed.description,
                "choices": listed.choices,
            }
            shown_options.append(shown)
        print(json.dumps(dataclasses.asdict(description) | {"options": shown_options}))
    else:
        _say_description(description, options)


@benchmarks_command.command("clean")
@click.argument("benchmark", default="harbor")
@click.option(
    "--open-trials",
    is_flag=True,
    help="Also what belongs to trials that were not ended, such as their containers: "
    "a resumed run could go on with it.",
)
@BENCHMARK_OPTIONS
def clean(benchmark: str, *, open_trials: bool, pairs: dict[str, str]) -> None:
    """Remove what runs of BENCHMARK have left on this machine beside their journals, such as
    images that were built for tasks."""
    for line in clean_up(benchmark, pairs, open_trials=open_trials):
        say(line)


def _say_description(
    description: Description, options: Sequence[BenchmarkOption]
) -> None:
    """Print a benchmark as text: its name and policy, a line for each option, one for each task."""
    say(f"{description.name}: {one_line(description.summary)}")
    say(f"policy: {description.policy} · {count_text(len(description.tasks), 'task')}")
    for option in options:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        say(f"--set {option.name}=…  {option.description}{choices}")
    for task in description.tasks:
        say(f"  {one_line(task.task_id):<28} {one_line(task.preview)[:90]}")
