"""`controlplane rescore`: today's grader on what a journal holds."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.commands.options import about_a_run
from controlplane.configuration.trial_settings import settings_of
from controlplane.journal.journal_content import open_journal
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.replay.forking import Rescored, rescored_trials
from controlplane.view.display_text import count_text, one_line, score_text
from controlplane.view.progress_bar import progress_bar
from controlplane.view.report import print_lines


@click.command("rescore")
@about_a_run
@click.option("--all", "everything", is_flag=True, help="List every trial, not only those whose score changes.")
def command(path: Path, everything: bool, as_json: bool) -> None:
    """Grade the recorded answers and end states of RUN with today's grader. The journal stays as it is.

    Works where the benchmark can rebuild a trial, in the version of the worlds that RUN played in: the calls that
    changed something are made again.
    """
    with open_journal(path) as journal, progress_bar("grading") as on_progress:
        spec = RunSpec(settings_of(journal), packs=journal.opened.packs)
        found = []
        with RunResources(spec, works=False) as resources:
            for number, each in enumerate(rescored_trials(journal, resources), start=1):
                found.append(each)
                on_progress(number, len(journal.trials))
    if as_json:
        means = {"before": _mean([each.before for each in found]), "after": _mean([each.after for each in found])}
        print(json.dumps({**means, "trials": [dataclasses.asdict(each) for each in found]}))
    else:
        _print(found, everything=everything)


def _print(found: list[Rescored], *, everything: bool) -> None:
    console = Console(highlight=False)
    shown = [each for each in found if everything or each.problem or each.before != each.after]
    if shown:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("trial", "before", "after", "why"):
            table.add_column(name, justify="right" if name in ("before", "after") else "left", no_wrap=True)
        for each in shown:
            why = each.problem or "; ".join(each.details)
            table.add_row(
                Text(one_line(each.trial_id)), score_text(each.before), score_text(each.after), Text(one_line(why))
            )
        print_lines(console, table)
    changed = sum(each.before != each.after for each in found if not each.problem)
    left = sum(bool(each.problem) for each in found)
    before, after = (_mean([getattr(each, name) for each in found]) for name in ("before", "after"))
    text = f"{count_text(len(found), 'trial')} graded anew, {changed} changed"
    text += f", {left} not graded" if left else ""
    console.print(Text(f"{text} · mean score {score_text(before, 3)} before, {score_text(after, 3)} after"))


def _mean(scores: list[float | None]) -> float | None:
    known = [each for each in scores if each is not None]
    return sum(known) / len(known) if known else None
