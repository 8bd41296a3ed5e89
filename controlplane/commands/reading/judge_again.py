"""`controlplane judge`: today's gates on the submissions that journals hold."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from agent.submission import GateSettings
from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.commands.shell_words import complete_run
from controlplane.configuration.named_modules import load_packs
from controlplane.configuration.trial_settings import gate_policy, pack_names
from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import newest_first
from controlplane.replay.judged_submissions import Rejudged, rejudged, tallies
from controlplane.view.display_text import one_line
from controlplane.view.judged_text import print_judged
from controlplane.view.progress_bar import progress_bar


@click.command("judge")
@click.argument("names", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)
@click.option(
    "--gates", default="all", show_default=True, help="Gates, as `run` takes them: all, none, 1,4,8 or 6=off."
)
@click.option(
    "--rules",
    multiple=True,
    metavar="PACK",
    help="A rule pack: a name or module:ATTRIBUTE, or none; default: those of each run. Also NAME=ask, =block or =off.",
)
@click.option("--side-by-side", is_flag=True, help="Print what each changed verdict said then beside what it says now.")
@click.option("--all", "everything", is_flag=True, help="List every submission, not only those judged otherwise.")
@RUNS_DIR
@AS_JSON
def command(  # noqa: PLR0913 - one parameter for each option
    names: tuple[str, ...],
    *,
    gates: str,
    rules: tuple[str, ...],
    side_by_side: bool,
    everything: bool,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Judge the submissions of each RUN by today's gates: which right answers they stop, which wrong ones they catch.

    RUN may also be a folder of journals. The scripts run again on the recorded results, behind the walls of your
    settings, so that every gate has its evidence; no world and no model is needed. Journals stay as they are.

    What cannot be read or differs from its record is named on standard error and left out, with exit code 5 at the end.
    """
    found: list[Rejudged] = []
    problems: list[str] = []
    paths, of_folders = _journals(names, runs_dir)
    with progress_bar("judging") as on_progress:
        for number, path in enumerate(paths, start=1):
            try:
                found += _judged(path, gates, ",".join(rules), problems)
            except ControlPlaneError as error:
                if path not in of_folders or isinstance(error, UsageError):
                    raise
                problems.append(str(error))
            on_progress(number, len(paths))
    for each in problems:
        click.echo(f"controlplane: left out: {one_line(each)}", err=True)
    if as_json:
        print(json.dumps(_object(found, problems, len(paths))))
    else:
        print_judged(found, runs=len(paths), everything=everything, side_by_side=side_by_side)
    if problems:
        raise SystemExit(5)


def _journals(names: tuple[str, ...], runs_dir: str | None) -> tuple[list[Path], frozenset[Path]]:
    """Return the journals that are named, each once, and those of them that come from a folder. Raises `UsageError`."""
    paths: dict[Path, bool] = {}
    for name in names:
        if not Path(name).is_dir():
            paths[find_journal(name, runs_dir)] = False
            continue
        inside = newest_first(Path(name))
        if not inside:
            msg = f"no journals in {name}"
            raise UsageError(msg)
        for each in inside:
            paths.setdefault(each, True)
    return list(paths), frozenset(path for path, is_inside in paths.items() if is_inside)


def _judged(path: Path, gates: str, rules: str, problems: list[str]) -> list[Rejudged]:
    with open_journal(path) as journal:
        packs = pack_names(rules, journal.opened.packs)
        settings = GateSettings(gate_policy(gates, rules, load_packs(packs)), packs)
        return list(rejudged(journal, settings, lambda error: problems.append(f"{journal.run}: {error}")))


def _object(found: list[Rejudged], problems: list[str], runs: int) -> dict[str, object]:
    counts: dict[str, int] = {}
    for each in found:
        counts[each.effect] = counts.get(each.effect, 0) + 1
    return {
        "runs": runs,
        "submissions": [{**dataclasses.asdict(each), "right": each.is_right} for each in found],
        "counts": counts,
        "gates": [dataclasses.asdict(each) for each in tallies(found)],
        "left_out": problems,
    }
