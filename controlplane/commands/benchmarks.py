"""`controlplane benchmarks`: what can be run."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import click

from controlplane.benchmark import Benchmark, BenchmarkError, Description
from controlplane.benchmark_opening import BenchmarkContext
from controlplane.commands.options import AS_JSON, SET, pairs_of
from controlplane.configuration.named_modules import BENCHMARKS, open_benchmark, options_of, refused
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.task_selection import TaskSelection, start_selected_run
from controlplane.view.turn_one_shares import TurnOne, print_shares, print_totals, shares_object

ALL_TASKS = "all"


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
@click.option("--turn-one", "task_id", default="", metavar="TASK", help="Print what turn one of a task is spent on.")
@SET
@AS_JSON
def show(benchmark: str, seed: int | None, task_id: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), each task as a run of that seed asks it.

    With --turn-one TASK it prints what each part of that task's first message takes, `all` for every task.
    """
    settings = resolve({} if seed is None else {"seed": seed}, os.environ, Path.cwd()).settings
    options = options_of(benchmark)
    opened = open_benchmark(benchmark, pairs_of(pairs), BenchmarkContext()).benchmark
    try:
        description = opened.describe(preview_seed=settings.seed)
        turns = _turns_one(opened, description, task_id, settings) if task_id else []
    except BenchmarkError as error:
        raise refused(error) from error
    finally:
        opened.close()
    if task_id:
        if as_json:
            objects = [shares_object(each) for each in turns]
            print(json.dumps(objects if task_id == ALL_TASKS else objects[0]))
        elif task_id == ALL_TASKS:
            print_totals(turns)
        else:
            print_shares(turns[0])
        return
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


def _turns_one(benchmark: Benchmark, description: Description, task_id: str, settings: RunSettings) -> list[TurnOne]:
    """Return what turn one of a task shows, or of all, in trials that are ended at once."""
    from agent.loop import InitialPromptLimits, preview_turn_one

    if description.allots_trials:
        msg = f"{description.name} starts a run for every trial that is looked at; after a run use show RUN --turn-one"
        raise UsageError(msg)
    selection = TaskSelection(names=() if task_id == ALL_TASKS else (task_id,))
    started = start_selected_run(benchmark, selection, name="preview", seed=settings.seed)
    limits = InitialPromptLimits(total_chars=settings.opening_chars)
    turns = []
    for head in started.trials:
        trial = benchmark.start_trial(head.trial_id)
        prompt = preview_turn_one(trial.instruction, trial.environment, limits)
        turns.append(TurnOne(trial.task_id, prompt.system, tuple(prompt.pieces)))
        benchmark.end_trial(head.trial_id)
    return turns
