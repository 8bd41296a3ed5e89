"""`controlplane replay`, `judge` and `rescore`: show a recorded trial, run its scripts again, judge its submissions by
today's gates, and grade its answer by today's grader.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.commands.options import (
    ACCEPT,
    AS_JSON,
    RUNS_DIR,
    about_a_run,
    complete_run,
    complete_trial,
    find_journal,
    progress_bar,
)
from controlplane.errors import ControlPlaneError, ReplayDiverged, UsageError
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_file import newest_first
from controlplane.journal.journal_index import glance_at
from controlplane.lifecycle.next_commands import invocation, run_argument, trial_arguments
from controlplane.view.display_text import count_text, one_line, sanitize, score_style, score_text
from controlplane.view.live_display import Keyboard
from controlplane.view.report import print_lines, print_next_commands, print_table
from controlplane.view.result_json import result_object
from controlplane.view.trial_pages import find_step, print_page, print_trial, step_object, trial_object

if TYPE_CHECKING:
    from controlplane.replay.forking import Rescored
    from controlplane.replay.judged_submissions import GateTally, Rejudged, VerdictChange
    from sandbox import Wall


@click.command("replay")
@about_a_run
@click.option(
    "--trial",
    "trial",
    default="",
    shell_complete=complete_trial,
    help="One trial: its id, its task id, or the beginning of one.",
)
@click.option("--step", "step", type=int, default=None, help="Print one step of that trial; 0 is turn one.")
@click.option("--verify", "verifying", is_flag=True, help="Run the scripts again on the recorded results and compare.")
@click.option(
    "--strict", is_flag=True, help="With --verify: exit code 5 for a difference under another version of the gates too."
)
@click.option(
    "--walls", default=None, help="The walls that --verify needs around the scripts; default: those of the settings."
)
@ACCEPT
def replay_command(  # noqa: PLR0913 - one parameter for each option
    path: Path,
    *,
    trial: str,
    step: int | None,
    verifying: bool,
    strict: bool,
    walls: str | None,
    accepted: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show what happened in RUN (a path, an id, a unique beginning of one, or `last`).

    Without --trial it lists the trials. With --trial on a terminal it walks through the trial, from its question to
    its end: n next, p back, g go to a step, r next rejection, f unfold, t next trial, ? all keys, q quit. In a pipe it
    prints the whole trial.

    The scripts of a journal are anyone's: --verify runs them only behind the walls of your settings, whichever the run
    had, and whoever wrote them.
    """
    if step is not None and not trial:
        msg = "--step needs --trial"
        raise UsageError(msg)
    if strict and not verifying:
        msg = "--strict needs --verify"
        raise UsageError(msg)
    if not trial and not verifying:
        _list(path, as_json=as_json)
        return
    with progress_bar("reading the journal") as on_progress:
        journal = open_journal(path, on_progress)
    with journal:
        if verifying:
            from controlplane.replay.verification import replay_walls

            chosen = (
                [journal.find_trial(trial)]
                if trial
                else [each.trial_id for each in journal.trials.values() if each.has_begun]
            )
            _verify(journal, chosen, replay_walls(walls), accepted, strict=strict, as_json=as_json)
        else:
            _replay(journal, journal.find_trial(trial), step, as_json=as_json)


def _replay(journal: Journal, trial_id: str, step: int | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(trial_object(journal, trial_id) if step is None else step_object(journal, trial_id, step)))
    elif step is not None:
        print_page(find_step(journal, trial_id, step))
    elif _can_walk():
        from controlplane.view.walker import walk_through

        walk_through(journal, trial_id)
    else:
        print_trial(journal, trial_id)


def _can_walk() -> bool:
    """Say whether there is a terminal to draw on and to read keys from."""
    return sys.stdout.isatty() and Console().is_interactive and Keyboard.is_available()


def _list(path: Path, *, as_json: bool) -> None:
    with progress_bar("reading the journal") as on_progress:
        summary = glance_at(path, at_trials=True, on_progress=on_progress)
    if as_json:
        print(json.dumps(result_object(summary, path)))
        return
    console = Console(highlight=False)
    print_table(console, summary, everything=True)
    if summary.trials:
        trial = trial_arguments(summary)[summary.worst_first[0].trial_id]
        print_next_commands(console, [(invocation("replay", run_argument(path), "--trial", trial), "walks through it")])


def _verify(
    journal: Journal,
    trials: list[str],
    walls: frozenset[Wall],
    accepted: tuple[str, ...],
    *,
    strict: bool,
    as_json: bool,
) -> None:
    from controlplane.replay.verification import verify

    with progress_bar("running the scripts again") as on_progress:
        verification = verify(journal, trials, on_progress, walls=walls, accepted=accepted)
    counted = f"{count_text(verification.trials, 'trial')}, {count_text(verification.steps, 'step')}"
    found = verification.differences
    text = f"{counted}: everything is as recorded"
    if found:
        versions = " and ".join(verification.other_versions)
        text += f" except for {count_text(len(found), 'step')}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    is_closed = bool(journal.summary.closed)
    if journal.index.chain.torn:
        text += "; the last line was cut off while it was written"
    elif not is_closed:
        text += "; the journal ends before the run was closed"
    if as_json:
        fields = dataclasses.asdict(verification)
        print(json.dumps({"agrees": not found, **fields, "closed": is_closed}))
    else:
        print("\n".join((*found, text)))
    if strict and found:
        raise SystemExit(ReplayDiverged.exit_code)


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
@ACCEPT
@RUNS_DIR
@AS_JSON
def judge_command(  # noqa: PLR0913 - one parameter for each option
    names: tuple[str, ...],
    *,
    gates: str,
    rules: tuple[str, ...],
    side_by_side: bool,
    everything: bool,
    accepted: tuple[str, ...],
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
                found += _judged(path, gates, ",".join(rules), accepted, problems)
            except ControlPlaneError as error:
                if path not in of_folders or isinstance(error, UsageError):
                    raise
                problems.append(str(error))
            on_progress(number, len(paths))
    for problem in problems:
        click.echo(f"controlplane: left out: {one_line(problem)}", err=True)
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


def _judged(path: Path, gates: str, rules: str, accepted: tuple[str, ...], problems: list[str]) -> list[Rejudged]:
    from agent.submission import GateSettings
    from controlplane.configuration.recorded_settings import packs_here
    from controlplane.configuration.trial_settings import gate_policy, pack_names
    from controlplane.replay.judged_submissions import rejudged

    with open_journal(path) as journal:
        packs = pack_names(rules, lambda: packs_here(journal, accepted))
        settings = GateSettings(gate_policy(gates, rules, packs), packs)
        return list(rejudged(journal, settings, lambda error: problems.append(f"{journal.run}: {error}")))


def _object(found: list[Rejudged], problems: list[str], runs: int) -> dict[str, object]:
    from controlplane.replay.judged_submissions import tallies

    counts: dict[str, int] = {}
    for each in found:
        counts[each.effect] = counts.get(each.effect, 0) + 1
    return {
        "runs": runs,
        "submissions": [{**dataclasses.asdict(each), "right": each.is_right} for each in found],
        "counts": counts,
        "gates": [dataclasses.asdict(tally) for tally in tallies(found)],
        "left_out": problems,
    }


STYLES = {"stopped": "red", "let through": "yellow"}


def print_judged(found: Sequence[Rejudged], *, runs: int, everything: bool, side_by_side: bool) -> None:
    """Print the submissions that are judged otherwise, with `side_by_side` each verdict then and now, and the sums."""
    console = Console(highlight=False)
    shown = [each for each in found if everything or each.effect != "as before"]
    if side_by_side:
        for each in shown:
            _print_side_by_side(console, each)
    elif shown:
        print_lines(console, _table(shown, names_runs=runs > 1))
    from controlplane.replay.judged_submissions import tallies

    stopping = tallies(found)
    if stopping:
        print_lines(console, _tally_table(stopping))
    console.print(Text(sums_text(found, runs)))


def sums_text(found: Sequence[Rejudged], runs: int) -> str:
    """Return the sums as one line: what is stopped and let through, and how much of that was right."""
    trials = len({(each.run, each.trial_id) for each in found})
    head = (
        f"{count_text(len(found), 'submission')} of {count_text(trials, 'trial')} in {count_text(runs, 'run')} judged"
    )
    parts = []
    stopped = [each for each in found if each.effect == "stopped"]
    passed = [each for each in found if each.effect == "let through"]
    others = sum(each.effect == "other verdicts" for each in found)
    for group, what in ((stopped, "stopped"), (passed, "let through")):
        if group:
            parts.append(f"{len(group)} now {what} ({_shares(group)})")
    if others:
        parts.append(f"{others} with other verdicts and the same end")
    parts.append(f"{sum(each.effect == 'as before' for each in found)} as before")
    return f"{head}: {', '.join(parts)}"


def _shares(group: Sequence[Rejudged]) -> str:
    named = (("right", True), ("wrong", False), ("without a score", None))
    counts = [(sum(each.is_right is kind for each in group), text) for text, kind in named]
    return ", ".join(f"{count} {text}" for count, text in counts if count)


def _table(shown: Sequence[Rejudged], *, names_runs: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (*(["run"] if names_runs else []), "trial", "step", "score", "today", "why"):
        table.add_column(name, justify="right" if name in ("step", "score") else "left", no_wrap=True)
    for each in shown:
        cells = [Text(one_line(each.run))] if names_runs else []
        table.add_row(
            *cells,
            Text(one_line(each.trial_id)),
            str(each.step),
            Text(score_text(each.score), style=score_style(each.score)),
            Text(each.effect, style=STYLES.get(each.effect, "")),
            Text(_why(each)),
        )
    return table


def _why(each: Rejudged) -> str:
    from controlplane.replay.judged_submissions import verdict_name

    if each.changes:
        return "; ".join(f"{one_line(verdict_name(one))}: {one.before} → {one.after}" for one in each.changes)
    names = each.rejected_after or each.rejected_before
    switched = "on" if each.effect == "stopped" else "off"
    return "" if each.effect == "as before" else f"switched {switched}: {one_line('; '.join(names))}"


def _tally_table(rows: Sequence[GateTally]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for name in ("gate", "stops right", "stops wrong", "stops unscored", "rejects no more"):
        table.add_column(name, justify="left" if name == "gate" else "right", no_wrap=True)
    for row in rows:
        counts = (row.stops_right, row.stops_wrong, row.stops_unscored, row.rejects_no_more)
        table.add_row(Text(one_line(row.name)), *map(str, counts))
    return table


def _print_side_by_side(console: Console, each: Rejudged) -> None:
    from controlplane.replay.judged_submissions import verdict_name

    head = f"{each.run} · {each.trial_id} · step {each.step}: {each.effect}, score {score_text(each.score)}"
    console.print(Text(one_line(head), style="bold"))
    console.print(Text(f"{each.outcome} · {one_line(each.answer)}"), overflow="ellipsis", no_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold", expand=console.is_terminal)
    for name in ("gate", "then", "today"):
        table.add_column(name, ratio=1 if name == "gate" else 2)
    for one in each.changes:
        table.add_row(Text(one_line(verdict_name(one))), *_two_verdicts(one))
    if not each.changes:
        table.add_row(
            "", Text(", ".join(each.rejected_before) or "accepted"), Text(", ".join(each.rejected_after) or "accepted")
        )
    console.print(table)
    console.print()


def _two_verdicts(one: VerdictChange) -> tuple[Text, Text]:
    then, now = ((one.before, one.reason_before), (one.after, one.reason_after))
    first, second = (Text(f"{result}\n{sanitize(reason)}" if reason else result) for result, reason in (then, now))
    return first, second


@click.command("rescore")
@about_a_run
@click.option("--all", "everything", is_flag=True, help="List every trial, not only those whose score changes.")
@ACCEPT
def rescore_command(path: Path, everything: bool, accepted: tuple[str, ...], as_json: bool) -> None:
    """Grade the recorded answers and end states of RUN with today's grader. The journal stays as it is.

    Works where the benchmark can rebuild a trial, in the version of the worlds that RUN played in: the calls that
    changed something are made again.
    """
    from controlplane.configuration.recorded_settings import settings_here
    from controlplane.lifecycle.run_resources import RunResources, RunSpec
    from controlplane.replay.forking import rescored_trials

    with open_journal(path) as journal, progress_bar("grading") as on_progress:
        spec = RunSpec(settings_here(journal, {}, accepted), packs=journal.opened.packs)
        found = []
        with RunResources(spec, works=False) as resources:
            for number, rescored_trial in enumerate(rescored_trials(journal, resources), start=1):
                found.append(rescored_trial)
                on_progress(number, len(journal.trials))
    if as_json:
        means = {"before": _mean([each.before for each in found]), "after": _mean([each.after for each in found])}
        print(json.dumps({**means, "trials": [dataclasses.asdict(each) for each in found]}))
    else:
        _print_rescored(found, everything=everything)


def _print_rescored(found: list[Rescored], *, everything: bool) -> None:
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
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None
