"""Suggests the commands to type next, ready to copy into a shell, and finds the folder of the journals."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.journal.journal_lines import CONFIG_FILE, RUNS_DIR, journal_id, journals_folder, with_home
from controlplane.journal.run_summary import FAILED, RunSummary


def invocation(*words: str) -> str:
    """Return a shell command that starts this program with `words`."""
    return " ".join((_program(), *(shlex.quote(word) for word in words)))


def _program() -> str:
    if wrapper := os.environ.get("CONTROLPLANE_CALLED_AS", ""):  # the name by which `./start` was called
        return shlex.quote(wrapper)
    python = Path(sys.executable)
    script = python.with_name("controlplane")
    return _shortest(script) if script.exists() else f"{_shortest(python)} -P -m controlplane"


def _shortest(program: Path) -> str:
    """Return the shortest word by which a shell finds a program from here."""
    path, here = shutil.which(program.name), Path.cwd()
    # Symbolic links stay unresolved: the python of a virtual environment links to the one outside.
    if path is not None and Path(path).absolute() == program.absolute():
        return program.name
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))


def runs_folder(given: str | None = None) -> Path:
    """Return the journals' folder: the given one, else from the environment, controlplane.toml, or the default.

    Other settings are not loaded: most commands that read a journal do not need them. Raises `UsageError` if
    controlplane.toml is consulted and cannot be read.
    """
    named = given or os.environ.get("CONTROLPLANE_RUNS_DIR")
    file = Path(os.environ.get("CONTROLPLANE_CONFIG") or Path.cwd() / CONFIG_FILE)
    if not named and os.path.lexists(file):
        from controlplane.configuration.setting_sources import runs_dir_in

        return Path(journals_folder(runs_dir_in(file)))
    return Path(with_home(named) if named else journals_folder(RUNS_DIR))


def run_argument(journal: Path) -> str:
    """Return the RUN argument that names `journal`: its id if it is in the runs folder, else its path."""
    try:
        is_in_runs_folder = journal.parent.absolute() == runs_folder().absolute()
    except UsageError:  # controlplane.toml is broken; commands ignore it if RUN is a path
        is_in_runs_folder = False
    return journal_id(journal) if is_in_runs_folder else str(journal)


def trial_arguments(summary: RunSummary) -> dict[str, str]:
    """Return each trial's `--trial` argument by trial id: the task's id if the task has one trial, else the trial's."""
    tasks = Counter(trial.task_id for trial in summary.trials.values())
    return {
        trial.trial_id: trial.task_id if trial.task_id and tasks[trial.task_id] == 1 else trial.trial_id
        for trial in summary.trials.values()
    }


def next_commands(summary: RunSummary, journal: Path, *, is_running: bool = False) -> list[tuple[str, str]]:
    """Return the commands to suggest after a run, with their purposes, the most useful first.

    `is_running` says that another process works on the run.
    """
    run = run_argument(journal)
    commands: list[tuple[str, str]] = []
    if is_running:
        commands.append((invocation("show", run, "--follow"), "follows it"))
    elif summary.run_id and not summary.submitted:
        if summary.left:
            # The higher limit that the error of a run ends with which met its limit; the run would end at once else.
            *_, option, limit = ("", "", *summary.error.split(" "))
            is_limit = option in ("--run-cost", "--run-time", "--max-tokens-run") and limit[:1].isdecimal()
            resume = invocation("resume", run, *((option, limit) if is_limit else ()))
            commands.append((resume, f"continues the {summary.left} unfinished trials"))
            commands.append((invocation("submit", run, "--force"), "submits it as it is; open trials score 0"))
        elif "failed_precondition" in summary.error:  # the benchmark refused it: trials are open there
            commands.append((invocation("submit", run, "--force"), "submits it; trials open there score 0"))
        elif summary.count(FAILED):
            commands.append((invocation("resume", run), "retries what could not start, and submits it"))
        else:
            commands.append((invocation("submit", run), "submits it"))
    elif summary.submitted and summary.state != "evaluated":
        commands.append((invocation("poll", run), "asks for the scores"))
    if summary.opened is not None and summary.opened.parent is not None and summary.opened.parent.how == "rerun":
        before = summary.opened.parent.run
        commands.append((invocation("compare", before, f"{before}+{run}"), "replaces their trials by these"))
    worst = next((trial for trial in summary.worst_first if trial.step), None)
    if worst is not None:
        word = trial_arguments(summary)[worst.trial_id]
        which = "a" if worst.score is not None and worst.score >= 1 else "the worst"
        commands.append((invocation("replay", run, "--trial", word), f"walks through {which} trial"))
    return commands
