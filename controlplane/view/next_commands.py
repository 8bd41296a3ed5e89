"""The commands to suggest after a run, each with its purpose. The most useful one comes first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from controlplane.configuration.run_names import (
    belongs_to_a_program,
    is_played_here,
    resume_text,
    run_argument,
)
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.program_invocation import invocation
from controlplane.sandbox.interface import error_codes


class NextCommand(NamedTuple):
    """A command to suggest, with its purpose."""

    line: str
    purpose: str


def next_commands(
    summary: RunSummary, journal: Path, *, is_running: bool = False
) -> list[NextCommand]:
    """Return the commands to suggest after a run.

    `is_running` is true if another process works on the run.
    """
    run = run_argument(journal)
    commands = []
    if is_running:
        commands.append(NextCommand(invocation("show", run, "--follow"), "follows it"))
    elif summary.run_id and not summary.submitted:
        commands += _commands_to_finish(summary, journal)
    elif summary.submitted and summary.state != "evaluated":
        commands.append(NextCommand(invocation("poll", run), "asks for the scores"))

    parent = summary.opened.parent if summary.opened is not None else None
    if parent is not None and parent.how == "rerun":
        compare = invocation("compare", parent.run, f"{parent.run}+{run}")
        # `RUN+RERUN` is the first run with the trials of the second in place of its own.
        commands.append(NextCommand(compare, "replaces their trials by these"))

    worst = _worst_with_steps(summary)
    if worst is not None:
        argument = trial_arguments(summary)[worst.trial_id]
        # If even the worst trial is right, all are.
        all_are_right = worst.score is not None and worst.score >= 1
        purpose = (
            "walks through a trial"
            if all_are_right
            else "walks through the worst trial"
        )
        commands.append(
            NextCommand(invocation("replay", run, "--trial", argument), purpose)
        )
    return commands


def _commands_to_finish(summary: RunSummary, journal: Path) -> list[NextCommand]:
    """Return the commands that finish a run which was not submitted.

    The first line that fits counts:

    | state of the run | commands |
    |---|---|
    | its tasks are in a Python program | `controlplane.run(TASKS, resume=...)` |
    | some trials are unfinished | `resume RUN`, and `submit RUN --force` at a platform |
    | the benchmark refused it, as trials are open there | `submit RUN --force` |
    | some trials could not start | `resume RUN` |
    | all trials have ended | `submit RUN` |
    """
    run = run_argument(journal)
    benchmark = summary.opened.benchmark if summary.opened is not None else ""
    error = summary.process.error  # why the run stopped; empty if it did not stop early
    resume = resume_text(journal, benchmark, _higher_limit(error))
    submit = invocation("submit", run)
    submit_anyway = invocation("submit", run, "--force")

    if belongs_to_a_program(benchmark):
        purpose = "finishes it, in the Python program that has its tasks"
        return [NextCommand(resume, purpose)]

    unfinished_trials = summary.trials.left
    if unfinished_trials:
        continues = f"continues the {unfinished_trials} unfinished trials"
        commands = [NextCommand(resume, continues)]
        if not is_played_here(benchmark):
            as_it_is = "submits it as it is; open trials score 0"
            commands.append(NextCommand(submit_anyway, as_it_is))
        return commands

    # A benchmark that refuses a run with open trials does so by an error with this code.
    was_refused_with_open_trials = error_codes.FAILED_PRECONDITION in error
    if was_refused_with_open_trials:
        return [NextCommand(submit_anyway, "submits it; trials open there score 0")]

    some_could_not_start = summary.trials.count(FAILED) > 0
    if some_could_not_start:
        retry = resume_text(journal, benchmark)
        return [NextCommand(retry, "retries what could not start, and submits it")]
    return [NextCommand(submit, "submits it")]


_LIMITS_OF_RUN = ("--run-cost", "--run-time", "--run-tokens")
"""Limits at which a run stops. Its error then ends with the command that continues it
(`_used_up_text` in `lifecycle.unfinished_run`)."""


def _higher_limit(error: str) -> tuple[str, ...]:
    """Return the higher limit that a run's error recommends, as an option and a value.

    A run that has reached a limit needs a higher one, or it would end again at once.
    Its error ends with one of these texts, and both give ("--run-cost", "4"):

    - `controlplane resume 7b1c --run-cost 4`
    - `controlplane.run(TASKS, resume='7b1c.jsonl', run_cost=4)`

    The journal keeps only this text, so the limit is read from its end. Any other error
    gives an empty tuple.
    """
    words = error.split(" ")
    if len(words) < 2:
        return ()

    last_word = words[-1]
    is_python_call = last_word.endswith(")")
    if is_python_call:  # `run_cost=4)`
        argument, _, value = last_word.removesuffix(")").partition("=")
        option = f"--{argument.replace('_', '-')}"
    else:  # `--run-cost 4`
        option = words[-2]
        value = last_word

    if option in _LIMITS_OF_RUN and value[:1].isdecimal():
        return (option, value)
    return ()


def _worst_with_steps(summary: RunSummary) -> TrialSummary | None:
    """Return the trial with the lowest score that has steps to look at; None if there is none."""
    for trial in summary.trials.worst_first:
        if trial.step:
            return trial
    return None


def trial_arguments(summary: RunSummary) -> dict[str, str]:
    """Return the `--trial` argument of each trial, by trial id.

    It is the task's id if the task has only one trial, else the trial's id.
    """
    trials_of_task = Counter(trial.task_id for trial in summary.trials.values())
    arguments = {}
    for trial in summary.trials.values():
        is_only_trial = trials_of_task[trial.task_id] == 1
        if trial.task_id and is_only_trial:
            arguments[trial.trial_id] = trial.task_id
        else:
            arguments[trial.trial_id] = trial.trial_id
    return arguments
