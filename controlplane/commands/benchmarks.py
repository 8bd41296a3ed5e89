"""`controlplane benchmarks`: what can be run."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import click

from controlplane.benchmark import Benchmark, BenchmarkContext, BenchmarkError, Description
from controlplane.commands.options import AS_JSON
from controlplane.commands.setting_options import SET, given, pairs_of, settings_options
from controlplane.commands.shell_words import complete_benchmark, complete_single_task
from controlplane.configuration.named_modules import BENCHMARKS, open_benchmark, options_of, refused
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import placed, resolve
from controlplane.configuration.trial_settings import prompts_named_by
from controlplane.errors import UsageError
from controlplane.task_selection import TaskSelection, start_selected_run
from controlplane.view.request_shares import FirstRequest, print_shares, print_totals, shares_object

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
@click.argument("benchmark", shell_complete=complete_benchmark)
@click.option("--seed", type=int, default=None, help="The seed of the run whose worlds are previewed.  [default: 0]")
@click.option(
    "--turn-one",
    "task_id",
    default="",
    metavar="TASK",
    shell_complete=complete_single_task,
    help="Print what a task's first request is spent on.",
)
@settings_options("prompt", "hints")
@SET
@AS_JSON
def show(
    benchmark: str, *, seed: int | None, task_id: str, pairs: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), each task as a run of that seed asks it.

    With --turn-one TASK it prints what each part of that task's first request takes: of the system prompt, which may be
    another by --prompt and --hints, and of turn one. `all` is for every task.
    """
    resolved = resolve(given(options | {"seed": seed}), os.environ, Path.cwd())
    settings = resolved.settings
    declared = options_of(benchmark)
    opened = open_benchmark(benchmark, pairs_of(pairs), BenchmarkContext()).benchmark
    try:
        description = opened.describe(preview_seed=settings.seed)
        requests = _first_requests(opened, description, task_id, settings) if task_id else []
    except BenchmarkError as error:
        raise refused(error) from error
    except UsageError as error:
        raise placed(error, resolved.sources) from error
    finally:
        opened.close()
    if task_id:
        if as_json:
            objects = [shares_object(each) for each in requests]
            print(json.dumps(objects if task_id == ALL_TASKS else objects[0]))
        elif task_id == ALL_TASKS:
            print_totals(requests)
        else:
            print_shares(requests[0])
        return
    if as_json:
        named = [{"name": each.name, "description": each.description, "choices": each.choices} for each in declared]
        print(json.dumps(dataclasses.asdict(description) | {"options": named}))
        return
    print(f"{description.name}: {description.summary}")
    print(f"policy: {description.policy} · {len(description.tasks)} tasks")
    for option in declared:
        values = ", ".join(option.choices)
        print(f"--set {option.name}=…  {option.description}{f' ({values})' if values else ''}")
    for each in description.tasks:
        print(f"  {each.task_id:<28} {' '.join(each.preview.split())[:90]}")


def _first_requests(
    benchmark: Benchmark, description: Description, task_id: str, settings: RunSettings
) -> list[FirstRequest]:
    """Return the first request of a task's trial, or of all, in trials that are ended at once."""
    from agent.loop import InitialPromptLimits, preview_turn_one

    if description.allots_trials:
        msg = f"{description.name} starts a run for every trial that is looked at; after a run use show RUN --turn-one"
        raise UsageError(msg)
    selection = TaskSelection(names=() if task_id == ALL_TASKS else (task_id,))
    started = start_selected_run(benchmark, selection, name="preview", seed=settings.seed)
    limits, prompts = InitialPromptLimits(total_chars=settings.opening_chars), prompts_named_by(settings)
    requests = []
    for head in started.trials:
        trial = benchmark.start_trial(head.trial_id)
        prompt = preview_turn_one(trial.instruction, trial.environment, limits, prompts=prompts)
        requests.append(FirstRequest(trial.task_id, prompt.system, tuple(prompt.pieces), prompts.hints))
        benchmark.end_trial(head.trial_id)
    return requests
