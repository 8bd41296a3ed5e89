"""Prints the result of a run: a table of its trials, totals, and the commands to type
next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from controlplane.agent.events import now_ms
from controlplane.configuration.config_file import run_argument
from controlplane.errors import invocation
from controlplane.journal.run_events import RunOpened
from controlplane.journal.run_summary import (
    FAILED,
    RUNNING,
    WAITING,
    RunSummary,
    TrialSummary,
)
from controlplane.sandbox.interface import bounds
from controlplane.score_statistics import (
    PassRates,
    flickering,
    pass_rates,
    scores_by_family,
    scores_by_world,
    tasks_without_score,
)
from controlplane.terminal_text import (
    cause_of,
    clock_text,
    cost_text,
    count_text,
    gates_and_rules_text,
    metrics_text,
    one_line,
    reasons_of,
    score_style,
    score_text,
    span_text,
    spent_texts,
)
from controlplane.view.clean_console import CleanConsole, fitted, print_columns
from controlplane.view.next_commands import NextCommand, next_commands, trial_arguments

BY_RULES: Final = (
    "played by the built-in rule-based player; the score says nothing about a model"
)
RECORDED: Final = (
    "played by a recorded model, whose replies are always the same; "
    "sandbox, gates and grader are at work"
)
NO_MODELS: Final = {"": BY_RULES, "baseline": BY_RULES, "recorded": RECORDED}
"""The values of `model` with which a benchmark plays itself, each with a remark on such
scores."""

# The number of trials that fit on a terminal depends on these numbers.
LINES_OF_TRIAL: Final = 3
"""The lines of a trial's row. Most reasons take two further lines."""
OTHER_LINES: Final = 9
"""The lines for the title, column heads, journal, next commands, and the shell's
prompt."""
FEWEST_ROWS: Final = 2
"""The number of trials that are shown even if the terminal is too low for them."""

SHOWN_NOTICES: Final = 3
"""The number of notices of a run that are shown. The most frequent ones come first."""
TRIAL_COLUMN_CHARS: Final = 32
"""The column of trial names is not made narrower than this, even on a small
terminal."""


def print_run_table(
    summary: RunSummary,
    journal: Path,
    *,
    everything: bool = False,
    is_running: bool = False,
) -> None:
    """Print the table of trials, the mean score, the journal's path, and the commands
    to type next.

    Without `everything`, the table shows only the worst trials that have started: at
    most `SHOWN_ROWS`, or on a terminal as many as fit its height. A terminal also shows
    only the worst families. If `is_running` is true, another process works on the run.
    Then the commands offer to follow it instead of resuming it.
    """
    console = CleanConsole(highlight=False)
    if summary.opened is not None:
        console.print(run_title(summary.opened), no_wrap=True, overflow="ellipsis")

    # On a terminal, the table gets the height that the lines below it leave free.
    fits_window = console.is_terminal and not everything
    lines_below = _lines_below_table(console, summary, fits_window=fits_window)
    max_rows: int | None
    if everything:
        max_rows = None
    elif fits_window:
        max_rows = _rows_that_fit(console, lines_below)
    else:
        max_rows = bounds.SHOWN_ROWS

    has_all_trials = print_trials(console, summary, max_rows=max_rows)
    for line in lines_below:
        console.print(line)
    console.print(f"journal  {journal}", soft_wrap=True, markup=False)
    commands = next_commands(summary, journal, is_running=is_running)
    if not has_all_trials:
        show_all = invocation("show", run_argument(journal), "--all")
        commands.append(NextCommand(show_all, "shows every trial"))
    print_next_commands(console, commands)


def _rows_that_fit(console: Console, lines_below: Sequence[Text]) -> int:
    """Return how many trials fit on a terminal above these lines, which may have to be
    wrapped."""
    wrapped_lines = sum(len(line.wrap(console, console.width)) for line in lines_below)
    free_lines = console.height - wrapped_lines - OTHER_LINES
    return max(free_lines // LINES_OF_TRIAL, FEWEST_ROWS)


def run_title(opened: RunOpened) -> Text:
    """Return the title of a run: its name, benchmark and model, and its id."""
    player = opened.model or opened.played
    names = [name for name in (opened.name, opened.benchmark, player) if name]
    title = Text(one_line(" · ".join(names)), style="bold")
    return title.append(f"  {opened.run}", style="not bold dim")


def print_next_commands(console: Console, commands: Sequence[NextCommand]) -> None:
    """Print the commands to type next, one per line, each with its purpose if the line
    has room."""
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


# --- The table of trials ---


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A row of the table of trials, in the terminal and in notebooks."""

    name: str
    """The argument by which commands name the trial: its task, or a longer name if the
    task has several trials."""
    score: float | None
    outcome: str
    """The trial's outcome, or its state if it has no outcome."""
    steps: int
    time: str
    why: str
    """Why the score is not the best one. For the best score, only how the trial
    ended."""

    @classmethod
    def of(cls, trial: TrialSummary, name: str, *, is_submitted: bool) -> TrialRow:
        """Return the row of a trial. `is_submitted` says if its run has been
        submitted."""
        return cls(
            name=name,
            score=trial.score,
            outcome=short_outcomes(trial.outcome) or trial.state,
            steps=trial.step,
            time=_time_text(trial),
            why=_why_text(trial, is_submitted=is_submitted),
        )


def print_trials(
    console: Console, summary: RunSummary, *, max_rows: int | None
) -> bool:
    """Print a table of the worst trials that have started, or of all trials if
    `max_rows` is None.

    Return True if the table has all trials of the run. Otherwise a last line counts the
    missing ones.
    """
    trials = summary.worst_first
    started = [trial for trial in trials if trial.state != WAITING]
    shown = trials if max_rows is None else started[:max_rows]

    arguments = trial_arguments(summary)
    rows = []
    for trial in shown:
        name = arguments[trial.trial_id]
        row = TrialRow.of(trial, name, is_submitted=summary.submitted)
        score = Text(score_text(row.score), style=score_style(row.score))
        rows.append((row.name, score, row.outcome, row.steps, row.time, row.why))
    heads = ("trial", "score", "outcome", "steps", "time")
    print_columns(
        heads,
        rows,
        narrowest={"trial": TRIAL_COLUMN_CHARS},
        right_aligned=("score", "steps", "time"),
    )

    if len(shown) == len(trials):
        return True
    left_out = started[len(shown) :]
    waiting = len(trials) - len(started)
    console.print(Text(_left_out_text(left_out, waiting), style="dim"))
    return False


def _time_text(trial: TrialSummary) -> str:
    """Return how long a trial took, or has been running; `-` if it has not started."""
    if trial.state == RUNNING and trial.started_ms:
        return clock_text((now_ms() - trial.started_ms) / 1000)
    if trial.elapsed_ms:
        return span_text(trial.elapsed_ms)
    return "-"


def _why_text(trial: TrialSummary, *, is_submitted: bool) -> str:
    """Return the reasons for a trial's score in one line."""
    reasons = reasons_of(trial, is_submitted=is_submitted)
    has_full_score = trial.score is not None and trial.score >= 1
    lines = reasons.lines
    if reasons.has_answer and has_full_score:
        lines = list(
            reasons.ending
        )  # The grader's remarks matter only if the score is not full.
    return short_outcomes("; ".join(lines))


def _left_out_text(left_out: Sequence[TrialSummary], waiting: int) -> str:
    """Return a line that counts the missing trials: `12 more trials (3 below 1.00), 5
    not started`.

    `left_out` are the trials that have started. `waiting` is the number of trials that
    have not.
    """
    texts = []
    if left_out:
        text = count_text(len(left_out), "more trial")
        wrong = [
            trial for trial in left_out if trial.score is not None and trial.score < 1
        ]
        if wrong:
            text += f" ({len(wrong):,} below 1.00)"
        texts.append(text)
    if waiting:
        texts.append(f"{waiting:,} not started")
    return ", ".join(texts)


def short_outcomes(text: str) -> str:
    """Return a text with shortened outcomes: `OUTCOME_OK` becomes `OK`."""
    return text.replace("OUTCOME_", "")


# --- The lines below the table ---


def _lines_below_table(
    console: Console, summary: RunSummary, *, fits_window: bool
) -> list[Text]:
    """Return totals, families, rates of repeated tries, and notices, one line each.

    With `fits_window`, only the families with the lowest scores are shown.
    """
    trials = list(summary.trials.values())
    family_lines = _family_lines(summary)
    if fits_window:
        worst_families = family_lines[: bounds.SHOWN_FEW]
        family_lines = [fitted(line, console.width) for line in worst_families]
    tries = scores_by_world(trials)
    rate_lines = rates_lines(
        pass_rates(tries), flickering(tries), tasks_without_score(trials)
    )
    lines = [
        Text(line) for line in [*_total_lines(summary), *family_lines, *rate_lines]
    ]

    causes = Counter(cause_of(notice) for notice in summary.notices)
    for cause, count in causes.most_common(SHOWN_NOTICES):
        text = f"noticed  {one_line(cause)}"
        if count > 1:
            text += f" ({count} times)"
        lines.append(Text(text, style="yellow"))
    return lines


def _total_lines(summary: RunSummary) -> list[str]:
    """Return the lines with totals: score, spending, rejections, and remarks on the
    score."""
    lines = [" · ".join(_score_texts(summary))]
    for figures in (
        spent_texts(summary.spent, summary.retries),
        _cost_texts(summary),
        _role_texts(summary),
    ):
        if figures:
            lines.append(" · ".join(figures))
    if summary.rejections:
        lines.append(rejections_text(summary.rejections))
    lines += objection_lines(summary)

    # A remark says what took the place of a model. `opened.model` is empty if the
    # solver asks none; then there is nothing to remark.
    opened = summary.opened
    if opened is not None and opened.model:
        remark = NO_MODELS.get(str(opened.setting("model") or ""))
        if remark is not None:
            lines.append(remark)
    return lines


def _score_texts(summary: RunSummary) -> list[str]:
    """Return the mean score, the graders' other figures, and the number of trials that
    went wrong.

    `mean score 0.850 over 18 of 20 trials`, `2 failed to start`
    """
    texts = [_mean_score_text(summary)]
    if summary.metrics:
        texts.append(metrics_text(summary.metrics))

    # "fallback": the product sent an answer in place of the solver.
    without_own_answer = summary.count("fallback", "unanswered")
    if without_own_answer:
        texts.append(f"{without_own_answer} ended by the fallback")
    failed = summary.count(FAILED)
    if failed:
        texts.append(f"{failed} failed to start")
    unfinished = len(summary.trials) - summary.over
    if unfinished and summary.submitted:
        texts.append(f"{unfinished} cut off")
    elif unfinished and summary.mean_score is not None:
        texts.append(f"{unfinished} unfinished")
    return texts


def _mean_score_text(summary: RunSummary) -> str:
    """Return the mean score with the number of its trials, or why there is none."""
    total = len(summary.trials)
    if not total:
        return "the run has no trials"
    if summary.mean_score is None:
        return f"{summary.over} of {count_text(total, 'trial')} over, no scores yet"
    scored = len(summary.scores)
    text = f"mean score {summary.mean_score:.3f} over {scored} of {count_text(total, 'trial')}"
    # The setting `parts` names the parts of the solver that the user switched on or
    # off.
    parts = summary.opened.setting("parts") if summary.opened else None
    if isinstance(parts, str) and parts:
        text += f", {parts}"
    return text


def _cost_texts(summary: RunSummary) -> list[str]:
    """Return the cost of a trial and of a right answer, and the share of cached
    tokens."""
    spent = summary.spent
    texts = []
    if spent.unpriced and spent.known_usd:
        texts.append(
            f"{cost_text(spent.known_usd)} plus {spent.unpriced} replies of unknown price"
        )
    if summary.cost_per_trial_usd:
        texts.append(f"{cost_text(summary.cost_per_trial_usd)} a trial")
    if summary.cost_per_right_usd:
        texts.append(f"{cost_text(summary.cost_per_right_usd)} a right answer")
    if spent.cached_tokens and spent.cached_share is not None:
        texts.append(
            f"{spent.cached_share:.0%} of request tokens from the provider's cache"
        )
    return texts


def _role_texts(summary: RunSummary) -> list[str]:
    """Return the tokens and cost of each role; an empty list if all replies have the
    same role."""
    if len(summary.by_role) < 2:
        return []
    # Roles with the most tokens come first.
    roles = sorted(
        summary.by_role, key=lambda role: (-summary.by_role[role].tokens, role)
    )
    texts = []
    for role in roles:
        spent = summary.by_role[role]
        figures = [count_text(spent.replies, "reply"), *spent_texts(spent)]
        texts.append(f"{role}: {', '.join(figures)}")
    return texts


def _family_lines(summary: RunSummary) -> list[str]:
    """Return a line for each mean score, with the families that have it. The lowest
    score is first.

    `0.50  letters ×4, sums`: both families have a mean score of 0.50, and `letters` has
    four trials. The list is empty if there is only one family, or if each family has
    one trial: then the table of trials already shows the scores.
    """
    families = scores_by_family(summary.trials.values())
    has_one_trial_each = len(families) == len(summary.trials)
    if len(families) < 2 or has_one_trial_each:
        return []
    names_by_score: dict[str, list[str]] = {}
    for family in families:
        if family.mean is None:
            continue
        name = one_line(family.name)
        if family.scored > 1:
            name += f" ×{family.scored}"
        names_by_score.setdefault(score_text(family.mean), []).append(name)
    return [f"{score}  {', '.join(names)}" for score, names in names_by_score.items()]


def rejections_text(rejections: Mapping[str, int]) -> str:
    """Return how often each gate and rule rejected an answer.

    `sent back by gate 8 (literal tokens) ×12, SET/RULE ×1`
    """
    return f"sent back by {_counted(rejections)}"


def _counted(counts: Mapping[str, int]) -> str:
    """Return gates and rules with their counts: `gate 8 (literal tokens) ×12, SET/RULE
    ×1`."""
    suffixes = {}
    for key, count in dict(counts).items():  # Copy: running trials add to the original.
        suffixes[key] = f" ×{count}"
    return gates_and_rules_text(suffixes)


STOPPED_BY: Final = {
    "check": "pre-call check held",
    "provenance": "held for values from read text alone:",
}
"""The beginning of a line about calls that were held back, by what held them back."""


def objection_lines(summary: RunSummary) -> list[str]:
    """Return the objections that answers were sent over, and what happened to calls
    held back.

    For example:

        accepted over objections: gate 8 (literal tokens) ×2
        pre-call check held 3 calls; done otherwise (mean score 1.00), 1 call; not done

    In the second line, the model did the same as 3 of the calls in another way, and
    those trials have a mean score of 1.00. One call was not made at all.
    """
    lines = []
    if summary.overridden:
        lines.append(f"accepted over objections: {_counted(summary.overridden)}")
    for stopped_by, figures_by_ending in summary.call_ends.items():
        texts = []
        for ending, figures in figures_by_ending.items():
            calls = int(figures["calls"] or 0)
            text = f"{count_text(calls, 'call')}; {ending}"
            mean_score = figures["mean_score"]
            if mean_score is not None:
                text += f" (mean score {mean_score:.2f})"
            texts.append(text)
        lines.append(f"{STOPPED_BY[stopped_by]} {', '.join(texts)}")
    return lines


def rates_lines(
    rates: Sequence[PassRates], flickers: Sequence[str], missing: Sequence[str] = ()
) -> list[str]:
    """Return the pass rates of tasks with several tries, one line for each number k of
    tries.

    pass@k is the chance that at least one of k tries passes; pass^k is the chance that
    all k pass. A last line names the tasks whose tries differ (`flickers`). `missing`
    names the tasks without a score, which the rates leave out.
    """
    if not rates:
        return []
    lines = []
    for rate in rates:
        line = f"pass@{rate.k} {rate.at_least_one}  pass^{rate.k} {rate.every_one}"
        if missing:
            line += f"  without {listed(missing)}, which had no score"
        lines.append(line)
    if flickers:
        lines.append(f"tries differ: {listed(flickers, max_names=12)}")
    else:
        lines.append("the tries of each task agree: all passed, or all failed")
    return lines


def listed(names: Iterable[str], max_names: int = 6) -> str:
    """Return the first names of a list, and the number of the other names: `a, b and 4
    more`."""
    all_names = [one_line(name) for name in names]
    shown = ", ".join(all_names[:max_names])
    if len(all_names) > max_names:
        return f"{shown} and {len(all_names) - max_names} more"
    return shown
