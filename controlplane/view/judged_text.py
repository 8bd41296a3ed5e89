"""Prints how today's gates judge recorded submissions."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.replay.judged_submissions import GateTally, Rejudged, VerdictChange, tallies, verdict_name
from controlplane.view.display_text import count_text, one_line, sanitize, score_style, score_text
from controlplane.view.report import print_lines

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
    if each.changes:
        return "; ".join(f"{one_line(verdict_name(one))}: {one.before} → {one.after}" for one in each.changes)
    names = each.rejected_after or each.rejected_before
    switched = "on" if each.effect == "stopped" else "off"
    return "" if each.effect == "as before" else f"switched {switched}: {one_line('; '.join(names))}"


def _tally_table(rows: Sequence[GateTally]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for name in ("gate", "stops right", "stops wrong", "stops unscored", "rejects no more"):
        table.add_column(name, justify="left" if name == "gate" else "right", no_wrap=True)
    for each in rows:
        counts = (each.stops_right, each.stops_wrong, each.stops_unscored, each.rejects_no_more)
        table.add_row(Text(one_line(each.name)), *map(str, counts))
    return table


def _print_side_by_side(console: Console, each: Rejudged) -> None:
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
