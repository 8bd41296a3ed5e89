"""Prints the result of a run: a table of its trials, totals, and the commands to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from controlplane.configuration.run_names import run_argument
from controlplane.facts.run_facts import RunFacts, run_facts
from controlplane.facts.trial_facts import trial_facts
from controlplane.gate_texts import cause_of
from controlplane.journal.run_events import RunOpened
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import (
    WAITING,
    TrialSummary,
    scores_by_world,
)
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text, score_style, score_text
from controlplane.sandbox.interface import bounds
from controlplane.score_statistics import flickering, pass_rates, tasks_without_score
from controlplane.terminal_text import one_line
from controlplane.view.next_commands import (
    NextCommand,
    next_commands,
    trial_arguments,
)
from controlplane.view.printed_columns import CleanConsole, fitted, print_columns
from controlplane.view.tables.run_totals import family_lines, rates_lines, total_lines

# The number of trials that fit on a terminal depends on these numbers.
_LINES_OF_TRIAL: Final = 3
"""The lines of a trial's row. Most reasons take two further lines."""
_OTHER_LINES: Final = 9
"""The lines for the title, column heads, journal, next commands, and the shell's prompt."""
_FEWEST_ROWS: Final = 2
"""The number of trials that are shown even if the terminal is too low for them."""

_TRIAL_COLUMN_CHARS: Final = 32
"""The column of trial names is not made narrower than this, even on a small terminal."""
_SHOWN_NOTICES: Final = 3
"""The number of notices of a run that are shown. The most frequent ones come first."""


def print_run_table(
    summary: RunSummary,
    journal: Path,
    *,
    everything: bool = False,
    is_running: bool = False,
) -> None:
    """Print the table of trials, the mean score, the journal's path, and the commands to type next.

    Without `everything`, the table has only the worst of the trials that have started:
    at most `SHOWN_ROWS`, or on a terminal as many as fit its height. On a terminal, only
    the worst families are shown, too. `is_running`: another process plays the run, so
    the commands offer to follow it instead of resuming it.
    """
    console = CleanConsole(highlight=False)
    if summary.opened is not None:
        console.print(run_title(summary.opened), no_wrap=True, overflow="ellipsis")

    # On a terminal, the table gets the height that the lines below it leave free, so
    # these lines are made first and printed last.
    fits_window = console.is_terminal and not everything
    facts = run_facts(summary, journal)
    below = _lines_below(console, summary, facts, fits_window=fits_window)
    below += _notice_lines(summary, shows_all=everything)
    max_rows: int | None = None
    if fits_window:
        max_rows = _rows_that_fit(console, below)
    elif not everything:
        max_rows = bounds.SHOWN_ROWS
    has_all = _print_trials(console, summary, max_rows=max_rows)
    for line in below:
        console.print(line)

    console.print(f"journal  {journal}", soft_wrap=True, markup=False)
    commands = next_commands(summary, journal, is_running=is_running)
    if not has_all:
        show_all = invocation("show", run_argument(journal), "--all")
        commands.append(NextCommand(show_all, "shows every trial"))
    print_next_commands(console, commands)


def _print_trials(
    console: Console, summary: RunSummary, *, max_rows: int | None
) -> bool:
    """Print a table of the worst trials that have started, or of all trials if `max_rows` is None.

    Return True if the table has all trials of the run. Otherwise a last line counts those
    that are left out.
    """
    trials = summary.trials.worst_first
    started = [trial for trial in trials if trial.state != WAITING]
    shown = trials
    left_out: Sequence[TrialSummary] = ()  # of those that have started
    if max_rows is not None:
        shown = started[:max_rows]
        left_out = started[max_rows:]

    arguments = trial_arguments(summary)
    rows = []  # With one more cell than heads: why the score is low, printed below the row.
    for trial in shown:
        facts = trial_facts(trial, is_submitted=summary.submitted)
        rows.append(
            (
                arguments[facts.trial_id],
                Text(score_text(facts.score), style=score_style(facts.score)),
                facts.shown_outcome,
                facts.steps,
                facts.time_text,
                facts.why,
            )
        )
    print_columns(
        ("trial", "score", "outcome", "steps", "time"),
        rows,
        narrowest={"trial": _TRIAL_COLUMN_CHARS},
        right_aligned=("score", "steps", "time"),
    )
    if len(shown) == len(trials):
        return True
    waiting = len(trials) - len(started)
    console.print(Text(_left_out_text(left_out, waiting), style="dim"))
    return False


def _left_out_text(left_out: Sequence[TrialSummary], waiting: int) -> str:
    """Return a line that counts trials: `12 more trials (3 below 1.00), 5 not started`.

    `left_out` are those that have started and are not in the table. `waiting` is the number
    of those that have not started.
    """
    texts = []
    if left_out:
        text = count_text(len(left_out), "more trial")
        scores = [trial.score for trial in left_out if trial.score is not None]
        wrong = [score for score in scores if score < 1]
        if wrong:
            text += f" ({len(wrong):,} below 1.00)"
        texts.append(text)
    if waiting:
        texts.append(f"{waiting:,} not started")
    return ", ".join(texts)


def _rows_that_fit(console: Console, below: Sequence[Text]) -> int:
    """Return how many trials fit on a terminal above the lines `below`, which may be wrapped."""
    wrapped = sum(len(line.wrap(console, console.width)) for line in below)
    free = console.height - wrapped - _OTHER_LINES
    return max(free // _LINES_OF_TRIAL, _FEWEST_ROWS)


def _lines_below(
    console: Console, summary: RunSummary, facts: RunFacts, *, fits_window: bool
) -> list[Text]:
    """Return the lines below the table: totals, families, and rates of repeated tries.

    With `fits_window`, only the families with the lowest scores are shown.
    """
    families = family_lines(facts)
    if fits_window:
        worst = families[: bounds.SHOWN_EXAMPLES]
        families = [fitted(line, console.width) for line in worst]
    trials = list(summary.trials.values())
    tries = scores_by_world(trials)
    rates = rates_lines(
        pass_rates(tries), flickering(tries), tasks_without_score(trials)
    )
    texts = [*total_lines(facts), *families, *rates]
    return [Text(text) for text in texts]


def _notice_lines(summary: RunSummary, *, shows_all: bool) -> list[Text]:
    """Return the notices of a run: `noticed  the endpoint is slow (12 times)`.

    Unless `shows_all`, only the most frequent ones are named, and the others counted.
    """
    lines = []
    causes = Counter(cause_of(notice) for notice in summary.notices)
    shown = causes.most_common(None if shows_all else _SHOWN_NOTICES)
    left_out = len(causes) - len(shown)
    for cause, count in shown:
        text = f"noticed  {one_line(cause)}"
        if count > 1:
            text += f" ({count} times)"
        lines.append(Text(text, style="yellow"))
    if left_out:
        text = f"noticed  {count_text(left_out, 'more cause')}: show --all"
        lines.append(Text(text, style="yellow"))
    return lines


def run_title(opened: RunOpened) -> Text:
    """Return the title of a run: `monday · ecom · gpt-5-mini  20261127-191130-ecom-ca93`."""
    player = opened.model or opened.played
    names = [name for name in (opened.name, opened.benchmark, player) if name]
    title = Text(one_line(" · ".join(names)), style="bold")
    return title.append(f"  {opened.run}", style="not bold dim")


def print_next_commands(console: Console, commands: Sequence[NextCommand]) -> None:
    """Print the commands to type next, one per line, each with its purpose if the line has room."""
    longest = max((len(command.line) for command in commands), default=0)
    label = "next     "
    for command in commands:
        line = Text(label).append(command.line, style="bold")
        padding = " " * (longest - len(command.line))  # Align the purposes in a column.
        purpose = f"{padding}  # {command.purpose}"
        if line.cell_len + len(purpose) <= console.width:
            line.append(purpose, style="dim")
        console.print(line, soft_wrap=True)
        label = " " * len(label)  # Only the first line has the label.
