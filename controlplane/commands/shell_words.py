"""Completes words of the command line in a shell: runs, trials, tasks, benchmarks and models, by click's own means.

A completer never fails: what cannot be read offers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem

FAMILY: Final = "a family of tasks"
Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(offered: Callable[[click.Context], Iterable[tuple[str, str]]]) -> Completer:
    """Return a completer of the words with their explanations that `offered` returns."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del parameter
        from controlplane.errors import ControlPlaneError

        try:
            return [CompletionItem(word, help=told) for word, told in offered(ctx) if word.startswith(incomplete)]
        except (ControlPlaneError, OSError, ValueError):
            return []

    return complete


def _runs(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.configuration.runs_folder import runs_folder
    from controlplane.journal.journal_file import journal_id, newest_first
    from controlplane.view.runs_index import indexed_runs

    folder = runs_folder(ctx.params.get("runs_dir"))
    paths = newest_first(folder)
    yield "last", "the last run that this terminal started"
    for path, run in zip(paths, indexed_runs(folder, paths), strict=True):
        if run.name:
            yield run.name, run.benchmark
        yield journal_id(path), run.benchmark


def _trials(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.commands.started_runs import last_run
    from controlplane.configuration.runs_folder import runs_folder
    from controlplane.journal.journal_file import journal_id, newest_first
    from controlplane.journal.journal_index import glance_at
    from controlplane.lifecycle.next_commands import trial_arguments
    from controlplane.view.runs_index import indexed_runs

    # An option that still lacks its value leaves the arguments before it unparsed.
    run = ctx.params.get("run") or next(iter(ctx.args), None)
    if not isinstance(run, str):
        return
    folder = runs_folder(ctx.params.get("runs_dir"))
    paths = newest_first(folder)
    named = [
        path
        for path, each in zip(paths, indexed_runs(folder, paths), strict=True)
        if run in (each.name, journal_id(path), str(path))
    ]
    if run == "last" and paths:
        named = [last_run(folder, paths)[0]]
    if not named:
        return
    summary = glance_at(named[0], at_trials=True)
    words = trial_arguments(summary)
    for each in summary.worst_first:
        yield words[each.trial_id], "" if each.score is None else f"score {each.score:.2f}"


def _tasks(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.benchmark import BenchmarkContext
    from controlplane.configuration.named_modules import open_benchmark
    from controlplane.configuration.setting_sources import resolve

    named = ctx.params.get("benchmark")
    settings = resolve({"benchmark": named} if named else {}, {}, Path.cwd()).settings
    opened = open_benchmark(settings.benchmark, settings.set, BenchmarkContext()).benchmark
    try:
        tasks = [each.task_id for each in opened.describe().tasks]
    finally:
        opened.close()
    for each in dict.fromkeys(task.rpartition(".")[0] for task in tasks):
        if each:
            yield each, FAMILY
    for each in tasks:
        yield each, ""


def _benchmarks(ctx: click.Context) -> Iterable[tuple[str, str]]:
    del ctx
    from controlplane.configuration.named_modules import BENCHMARKS

    return ((each, "") for each in BENCHMARKS)


def _models(ctx: click.Context) -> Iterable[tuple[str, str]]:
    del ctx
    from controlplane.configuration.setting_sources import resolve

    yield "baseline", "the embedded player by rules"
    yield "scripted:", "replies from a file"
    for name, profile in resolve({}, {}, Path.cwd()).profiles.items():
        yield name, profile.model


complete_run = _completer(_runs)
complete_trial = _completer(_trials)
complete_task = _completer(_tasks)
complete_single_task = _completer(lambda ctx: ((word, told) for word, told in _tasks(ctx) if told != FAMILY))
complete_benchmark = _completer(_benchmarks)
complete_model = _completer(_models)
