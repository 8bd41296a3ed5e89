"""Commands that the user can copy from a page, to examine trials or to play them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.configuration.continuation import belongs_to_a_program, run_argument
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.program_invocation import invocation
from controlplane.report.shown_runs import ShownRun, ShownTrial
from controlplane.terminal_text import one_line
from controlplane.view.next_commands import NextCommand
from controlplane.view.tables.run_totals import NO_MODELS

_MOST_NAMED_TASKS: Final = 8
"""A command names at most this many tasks."""
_KEPT_SETTINGS: Final = (
    "benchmark",
    "agent",
    "parts",
    "model",
    "base_url",
    "api",
    "reply_mode",
    "prompt",
    "hints",
)
"""Settings of a run that the command `improve` takes over."""


def commands_about(run: ShownRun, trials: Sequence[ShownTrial]) -> list[NextCommand]:
    """Return commands that the user can copy to examine or repeat some failed trials of a run."""
    argument = run_argument(run.path)
    judge = NextCommand(
        invocation("judge", argument), "judges all answers by today's gates"
    )
    if run.summary.opened is not None and belongs_to_a_program(
        run.summary.opened.benchmark
    ):
        return _in_one_line([judge])  # No command can play the tasks of a program.

    tasks = _task_ids(trials)
    rerun_options = []
    for task in tasks:
        rerun_options += ["--trials", task]
    rerun = invocation("rerun", argument, *rerun_options)
    commands = [NextCommand(rerun, "plays them again in the same worlds")]

    # The number of a trial's last step is 0 if it did none.
    trials_with_steps = [trial.summary for trial in trials if trial.summary.step]
    if trials_with_steps:
        first = trials_with_steps[0]
        fork = _fork_command(run.path, first, first.step)
        commands.append(NextCommand(fork, "plays the last step of the first one again"))

    commands.append(judge)
    improve_options = _improve_options(run.summary)
    if improve_options:
        improve = invocation("improve", *tasks, *improve_options)
        commands.append(NextCommand(improve, "looks for better prompts and hints"))
    return _in_one_line(commands)


def _in_one_line(commands: Sequence[NextCommand]) -> list[NextCommand]:
    """Return commands without line breaks and control characters, which names may contain."""
    return [
        NextCommand(one_line(command.line), command.purpose) for command in commands
    ]


def _task_ids(trials: Sequence[ShownTrial]) -> list[str]:
    """Return the ids of the trials' tasks, each once, at most `_MOST_NAMED_TASKS`."""
    task_ids: dict[str, None] = {}
    for trial in trials:
        if trial.summary.task_id:
            task_ids[trial.summary.task_id] = None
    return list(task_ids)[:_MOST_NAMED_TASKS]


def _improve_options(summary: RunSummary) -> list[str]:
    """Return the run's settings as options of `improve`; none if the run asked no real model."""
    assert summary.opened is not None
    settings = {}
    for setting in summary.opened.settings:
        if setting.source != "default":
            settings[setting.name] = setting.value
    model = str(settings.get("model") or "")
    # What answers without a real model cannot follow better prompts: the baseline and the
    # recorded model (`NO_MODELS`), and a file of scripts.
    if model in NO_MODELS or model.startswith("scripted:"):
        return []

    options = []
    for name in _KEPT_SETTINGS:
        if settings.get(name):
            options += [f"--{name.replace('_', '-')}", str(settings[name])]
    benchmark_options = settings.get("set")
    if isinstance(benchmark_options, dict):
        for name, value in benchmark_options.items():
            options += ["--set", f"{name}={value}"]
    # `--with` names the model that proposes better texts.
    return [*options, "--with", model]


def _fork_command(journal: Path, trial: TrialSummary, step: int) -> str:
    """Return the command that plays a trial again from a step, in one line.

    It does not work for tasks that are objects of a Python program.
    """
    return f"{fork_command_without_step(journal, trial)}{step}"


def fork_command_without_step(journal: Path, trial: TrialSummary) -> str:
    """Return the command `controlplane fork RUN --trial ID --step `, without the step's number."""
    run = run_argument(journal)
    command = invocation("fork", run, "--trial", trial.trial_id, "--step")
    return f"{one_line(command)} "
