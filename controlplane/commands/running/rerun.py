"""`controlplane rerun`: play trials of a run once more, in the same worlds."""

from __future__ import annotations

from pathlib import Path

import click

from controlplane.benchmark import TaskTry
from controlplane.commands.options import QUIET, about_a_run
from controlplane.commands.running.fresh_run import fresh_of, see_through
from controlplane.commands.shell_words import complete_trial
from controlplane.comparison.compared_trials import ComparedTrial, numbered
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.next_commands import invocation, run_argument


@click.command("rerun")
@about_a_run
@click.option("--failed", is_flag=True, help="The trials that did not start, or gave no answer of their own.")
@click.option("--below", type=click.FloatRange(0, 1), help="The trials with a lower score than this.")
@click.option(
    "--trials",
    multiple=True,
    metavar="TRIAL",
    shell_complete=complete_trial,
    help="Trials by id or task; may be given several times.",
)
@click.option("--name", default="", help="A name for the new run.")
@click.option("--base-url", default=None, help="The model's endpoint; default: that of the run.")
@click.option("--walls", default=None, help="The walls that scripts need; default: those of the run.")
@QUIET
def command(  # noqa: PLR0913 - one parameter for each option
    path: Path,
    *,
    failed: bool,
    below: float | None,
    trials: tuple[str, ...],
    name: str,
    base_url: str | None,
    walls: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play trials of RUN once more, in the same worlds, into a new journal that names RUN as its parent.

    Without an option that chooses trials it plays all of them; with several, every trial that one of them chooses.
    The settings are those of RUN. `compare` takes RUN+RERUN for RUN with these trials in the place of its own.
    """
    with open_journal(path) as journal:
        chosen = _chosen(journal, trials, failed=failed, below=below)
        if journal.opened.parent is not None and journal.opened.parent.how == "fork":
            msg = f"{journal.run} is a fork, whose trials have no start of their own; fork or rerun its parent"
            raise UsageError(msg)
        given = {"name": name, "base_url": base_url, "walls": walls}
        fresh = fresh_of(
            journal,
            {key: value for key, value in given.items() if value},
            tries=tuple(TaskTry(each.summary.task_id, each.number) for each in chosen),
            parent=ParentRun(run=journal.run, how="rerun"),
        )
    raise SystemExit(see_through(fresh, quiet=quiet, as_json=as_json).exit_code)


def _chosen(journal: Journal, names: tuple[str, ...], *, failed: bool, below: float | None) -> list[ComparedTrial]:
    """Return the trials to play. Raises `UsageError` if there are none, or if it is not known what one of them is."""
    named = {each for name in names for each in _named(journal, name)}
    every = not (failed or names) and below is None
    chosen = [
        each
        for each in numbered(journal.summary, journal.run)
        if every
        or each.summary.trial_id in named
        or (failed and each.summary.state != "answered")
        or (below is not None and each.score is not None and each.score < below)
    ]
    if not chosen:
        show = invocation("show", run_argument(journal.path), "--all")
        msg = f"none of the {len(journal.trials)} trials of {journal.run} is so; see them with: {show}"
        raise UsageError(msg)
    unknown = [each for each in chosen if not each.summary.task_id]
    if unknown:
        msg = f"the journal of {journal.run} does not say which task {unknown[0].summary.trial_id} is of"
        raise UsageError(msg)
    return chosen


def _named(journal: Journal, name: str) -> list[str]:
    """Return the trials of a task, or the one trial that `name` means."""
    of_task = [each.trial_id for each in journal.trials.values() if each.task_id == name]
    return of_task or [journal.find_trial(name)]
