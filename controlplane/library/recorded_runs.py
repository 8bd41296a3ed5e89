"""Recorded runs from Python: `resume`, `rerun`, `fork`, `submit` and `poll`, by a journal's path.

Each continues or repeats a run as the command of that name does, and returns the run's results.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.journal.journal_reader import open_journal
from controlplane.library.new_runs import consent_of, options_of, play_opened, reopen
from controlplane.library.run_report import RunReport, open_run

if TYPE_CHECKING:
    from controlplane.lifecycle.run_plan import RunPlan


def resume(path: str | Path, **settings: Any) -> RunReport:
    """Continue the run of a journal whose benchmark has a name.

    `settings` may hold the settings that `controlplane resume` can change. Raises the
    errors of `run`.
    """
    # `None`: the journal names its benchmark, so the benchmark is loaded by name.
    return play_opened(reopen(Path(path).absolute(), settings, None))


def rerun(
    path: str | Path,
    *trials: str,
    failed: bool = False,
    below: float | None = None,
    **settings: Any,
) -> RunReport:
    """Play trials of a recorded run again, in the same worlds, into a new journal.

    - `trials`: names of trials or tasks.
    - `failed`: choose the trials without an answer of the solver.
    - `below`: choose the trials with a score below this one.

    Without any of them, all trials are played again. Raises the errors of `run`.
    """
    from controlplane.lifecycle.run_beginnings import opened_run
    from controlplane.lifecycle.run_plan import TrialChoice, rerun_plan

    options = options_of(settings)
    choice = TrialChoice(trials, failed, below)
    with open_journal(Path(path)) as journal:
        plan = rerun_plan(journal, choice, options.settings, consent_of(options))
    return play_opened(opened_run(plan))


def fork(
    path: str | Path,
    trial: str,
    step: int,
    *,
    note: str = "",
    repeats: int = 1,
    **settings: Any,
) -> RunReport:
    """Continue a recorded trial from a step (counted from 1), `repeats` times, into a new journal.

    `note` is added to the last message before that step. Raises the errors of `run`.
    """
    from controlplane.lifecycle.run_beginnings import opened_run
    from controlplane.replay.forking import fork_plan, opened_fork_point

    options = options_of(settings)
    with open_journal(Path(path)) as journal:
        point = opened_fork_point(
            journal, trial, step, note=note, has_new_prompt="prompt" in settings
        )
        plan: RunPlan = fork_plan(
            journal, point, repeats, options.settings, consent_of(options)
        )
        return play_opened(opened_run(plan))


def submit(path: str | Path, *, force: bool = False) -> RunReport:
    """Submit a recorded run. With `force`, open trials score 0. Raises the errors of `run`."""
    from controlplane.lifecycle import conducting, run_submission

    journal = Path(path)
    reason_for_nothing = run_submission.reason_not_to_submit(journal)
    if reason_for_nothing:
        return open_run(journal)
    code = conducting.submit(journal, screen=None, force=force, is_trusted=False)
    return replace(open_run(journal), exit_code=code)


def poll(path: str | Path) -> RunReport:
    """Ask for the scores of a submitted run, and add them to its journal.

    Raises the errors of `run`.
    """
    from controlplane.lifecycle import conducting
    from controlplane.questions import nothing_to_poll

    journal = Path(path)
    reason_for_nothing = nothing_to_poll(journal)
    if reason_for_nothing:
        return open_run(journal)
    code = conducting.poll(journal, screen=None, is_trusted=False)
    return replace(open_run(journal), exit_code=code)
