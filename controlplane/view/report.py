"""Prints the result of a run: a table of its trials, worst first, the mean score, and the commands to type next.

While the run works, a terminal has one picture of it, redrawn in place and erased at the end. Whatever is printed
passes a console that makes control characters visible, whoever wrote the text.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group, RenderableType
from rich.live import Live
from rich.segment import Segment, Segments
from rich.text import Text

from controlplane.agent.events import now_ms
from controlplane.configuration.run_settings import run_argument
from controlplane.errors import invocation
from controlplane.journal.run_events import RunOpened
from controlplane.journal.run_summary import FAILED, RUNNING, WAITING, RunSummary
from controlplane.run_comparison import (
    PassRates,
    flickering,
    pass_rates,
    scores_by_family,
    scores_by_world,
    tasks_without_score,
)
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import (
    RunPhase,
    age_text,
    cause_of,
    clock_text,
    cost_text,
    count_text,
    ending_texts,
    figure_texts,
    gates_and_rules_text,
    metrics_text,
    one_line,
    phase_of,
    sanitize,
    score_style,
    score_text,
    span_text,
    spent_texts,
    why_texts,
)

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


WIDTH_OF_PIPES: Final = 120
"""Columns where nobody says how many there are."""
BY_RULES: Final = "played by the built-in rule-based player; the score says nothing about a model"
RECORDED: Final = "played by a recorded model, whose replies are always the same; sandbox, gates and grader are at work"
NO_MODELS: Final = {"": BY_RULES, "baseline": BY_RULES, "recorded": RECORDED}
"""The values of `model` with which a benchmark plays itself, and what to say of their scores."""


def print_report(
    summary: RunSummary, journal: Path, *, everything: bool = False, is_running: bool = False
) -> None:
    """Print the table of trials, the mean score, the journal's path, and the commands to type next.

    Without `everything`, the table holds the worst trials that have started, `SHOWN_ROWS` of them or as many as fit
    the height of a terminal, which also shows the worst families alone. `is_running` says that another process works
    on the run, which can be followed but not resumed.
    """
    console = CleanConsole(highlight=False)
    if (opened := summary.opened) is not None:
        console.print(run_title(opened), no_wrap=True, overflow="ellipsis")
    tries, families = scores_by_world(summary.trials.values()), _family_lines(summary)
    rates = rates_lines(
        pass_rates(tries), flickering(tries), tasks_without_score(summary.trials.values())
    )
    is_short = console.is_terminal and not everything
    if is_short:
        families = [_fitted(line, console.width) for line in families[: bounds.SHOWN_FEW]]
    lines = [Text(line) for line in (*_closing_lines(summary), *families, *rates)]
    for notice, times in Counter(map(cause_of, summary.notices)).most_common(3):
        lines.append(
            Text(
                f"noticed  {one_line(notice)}{f' ({times} times)' if times > 1 else ''}",
                style="yellow",
            )
        )
    below = sum(len(line.wrap(console, console.width)) for line in lines)
    # A row and its note take three lines; title, head, journal, commands and the shell's prompt take nine.
    most = max((console.height - below - 9) // 3, 2) if is_short else bounds.SHOWN_ROWS
    commands = next_commands(summary, journal, is_running=is_running)
    if print_table(console, summary, most=None if everything else most):
        commands.append((invocation("show", run_argument(journal), "--all"), "shows every trial"))
    for line in lines:
        console.print(line)
    console.print(f"journal  {journal}", soft_wrap=True, markup=False)
    print_next_commands(console, commands)


def run_title(opened: RunOpened) -> Text:
    """Return the head of what is shown of a run: its name, benchmark and model, and its id."""
    names = (opened.name, opened.benchmark, opened.model or opened.played)
    title = Text(one_line(" · ".join(filter(None, names))), style="bold")
    return title.append(f"  {opened.run}", style="not bold dim")


def print_table(console: Console, summary: RunSummary, *, most: int | None) -> bool:
    """Print the table of the worst trials that began, at most so many, or of all; return whether some are left out."""
    trials = summary.worst_first
    begun = [trial for trial in trials if trial.state != WAITING]
    shown = trials if most is None else begun[:most]
    words, now, rows = trial_arguments(summary), now_ms(), []
    for trial in shown:
        elapsed = span_text(trial.elapsed_ms) if trial.elapsed_ms else "-"
        if trial.state == RUNNING and trial.started_ms:
            elapsed = clock_text((now - trial.started_ms) / 1000)
        # Of the full score, only what the ending says.
        is_right = trial.state == "answered" and (trial.score or 0) >= 1
        why = (ending_texts if is_right else why_texts)(trial, is_submitted=summary.submitted)
        rows.append(
            (
                words[trial.trial_id],
                Text(score_text(trial.score), style=score_style(trial.score)),
                short_outcomes(trial.outcome) or trial.state,
                trial.step,
                elapsed,
                short_outcomes("; ".join(why)),
            )
        )
    heads = ("trial", "score", "outcome", "steps", "time")
    print_columns(heads, rows, least={"trial": 32}, right=("score", "steps", "time"))
    if len(shown) == len(trials):
        return False
    more, waiting = len(begun) - len(shown), len(trials) - len(begun)
    below = sum(trial.score is not None and trial.score < 1 for trial in begun[len(shown) :])
    left_out = (
        [f"{count_text(more, 'more trial')}{f' ({below:,} below 1.00)' if below else ''}"]
        if more
        else []
    )
    left_out += [f"{waiting:,} not started"] if waiting else []
    console.print(Text(", ".join(left_out), style="dim"))
    return True


def short_outcomes(text: str) -> str:
    """Return a text with outcomes named as `DENIED_SECURITY`."""
    return text.replace("OUTCOME_", "")


def print_columns(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    least: Mapping[str, int] | None = None,
    right: Container[str] = (),
) -> None:
    """Print columns that fit the window, if there are rows; a pipe without COLUMNS has `WIDTH_OF_PIPES` columns.

    A cell behind those of the `heads` is a note, which stands below its row in two lines at most. A narrow window cuts
    the columns with a `least` width, the widest first. The columns `right` are aligned to the right. Cells are
    untrusted, except `Text`. A table of rich takes ten times as long, and cuts names at their ends.
    """
    least = least or {}
    console = CleanConsole(highlight=False)
    available = console.width
    lines = [
        [cell if isinstance(cell, Text) else Text(one_line(str(cell))) for cell in row]
        for row in rows
    ]
    if not lines:
        return
    lines.insert(0, [Text(head, style="bold") for head in heads])
    widths = {}
    for at, head in enumerate(heads):
        longest = max(line[at].cell_len for line in lines)
        widths[head] = min(longest, max(available, least.get(head, longest)))
    while sum(widths.values()) + 2 * (len(widths) - 1) > available:
        wide = [head for head, width in widths.items() if width > least.get(head, width)]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    segments = []
    for line in lines:
        cells = list(zip(heads, line, strict=False))
        while len(cells) > 1 and not cells[-1][1].plain:
            cells.pop()  # no blanks at the end of a line
        for place, (head, text) in enumerate(cells, start=1):
            plain, width = text.plain, widths[head]
            if text.cell_len > width:
                plain = (
                    _cut_in_the_middle(plain, width)
                    if head == next(iter(least))
                    else _fitted(plain, width)
                )
            blank, is_last = " " * (width - cell_len(plain)), place == len(cells)
            padded = blank + plain if head in right else plain if is_last else plain + blank
            segments += [
                Segment(padded, console.get_style(text.style)),
                Segment("\n" if is_last else "  "),
            ]
        for note in line[len(heads) :]:
            first, *others = (part.plain.rstrip() for part in note.wrap(console, available - 2))
            parts = filter(None, (first, _fitted(" ".join(others), available - 2)))
            segments += [Segment(f"  {part}\n") for part in parts]
    console.print(Segments(segments), end="", soft_wrap=True)


def _fitted(text: str, width: int) -> str:
    """Return a text cut to `width` columns."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def _cut_in_the_middle(name: str, width: int) -> str:
    """Return a name cut to `width` columns, its end kept: similar names and ids often differ there."""
    end = (width - 1) // 2
    return f"{set_cell_size(name, width - 1 - end).rstrip()}…{name[-end:] if end else ''}"


def print_next_commands(console: Console, commands: list[tuple[str, str]]) -> None:
    """Print the commands to type next, one per line, with its purpose if both fit."""
    longest = max((len(command) for command, _ in commands), default=0)
    for place, (command, purpose) in enumerate(commands):
        line = Text("next     " if place == 0 else "         ").append(command, style="bold")
        reason = f"{' ' * (longest - len(command))}  # {purpose}"
        if line.cell_len + len(reason) <= console.width:
            line.append(reason, style="dim")
        console.print(line, soft_wrap=True)


def _closing_lines(summary: RunSummary) -> list[str]:
    total, over = len(summary.trials), summary.over
    scored, mean = len(summary.scores), summary.mean_score
    trials = count_text(total, "trial")
    first = [f"{over} of {trials} over, no scores yet" if total else "the run has no trials"]
    if mean is not None:
        parts = summary.opened.setting("parts") if summary.opened else None
        how = f", {parts}" if isinstance(parts, str) and parts else ""
        first = [f"mean score {mean:.3f} over {scored} of {trials}{how}"]
    first += [metrics_text(summary.metrics)] if summary.metrics else []
    fell_back = summary.count("fallback", "unanswered")
    failed = summary.count(FAILED)
    first += [f"{fell_back} ended by the fallback"] if fell_back else []
    first += [f"{failed} failed to start"] if failed else []
    left_out = "cut off" if summary.submitted else "unfinished"
    first += (
        [f"{total - over} {left_out}"]
        if over < total and (mean is not None or summary.submitted)
        else []
    )
    spent = spent_texts(summary.spent, summary.retries)
    lines = [
        " · ".join(texts)
        for texts in (first, spent, _cost_texts(summary), _role_texts(summary))
        if texts
    ]
    lines += [rejections_text(summary.rejections)] if summary.rejections else []
    lines += objection_lines(summary)
    # A solver that asks no model has no player either.
    opened = summary.opened
    note = (
        NO_MODELS.get(str(opened.setting("model") or ""))
        if opened is not None and opened.model
        else None
    )
    return [*lines, note] if note else lines


def objection_lines(summary: RunSummary) -> list[str]:
    """Return which objections an answer was sent over, and what became of the calls that were stopped or held."""
    lines = (
        [f"accepted over objections: {_counted(summary.overridden)}"] if summary.overridden else []
    )
    what = {"check": "pre-call check held", "provenance": "held for values from read text alone:"}
    for by, ends in summary.call_ends.items():
        texts = []
        for then, calls in ends.items():
            mean = "" if calls["mean_score"] is None else f" (mean score {calls['mean_score']:.2f})"
            texts.append(f"{count_text(int(calls['calls'] or 0), 'call')}; {then}{mean}")
        lines.append(f"{what[by]} {', '.join(texts)}")
    return lines


def _family_lines(summary: RunSummary) -> list[str]:
    """Return the families of tasks by their mean score, a line for each score; empty if the table says as much."""
    families = scores_by_family(summary.trials.values())
    names: dict[str, list[str]] = {}
    for family in families if 1 < len(families) < len(summary.trials) else ():
        if family.mean is not None:
            count = f" ×{family.scored}" if family.scored > 1 else ""
            names.setdefault(score_text(family.mean), []).append(f"{one_line(family.name)}{count}")
    return [f"{score}  {', '.join(own)}" for score, own in names.items()]


def _cost_texts(summary: RunSummary) -> list[str]:
    """Return the costs of a trial and of a right answer, and the share of cached tokens; empty if nothing was paid."""
    spent = summary.spent
    texts = []
    if spent.unpriced and spent.known_usd:
        texts.append(f"{cost_text(spent.known_usd)} plus {spent.unpriced} replies of unknown price")
    for cost_usd, what in (
        (summary.cost_per_trial_usd, "a trial"),
        (summary.cost_per_right_usd, "a right answer"),
    ):
        texts += [f"{cost_text(cost_usd)} {what}"] if cost_usd else []
    if spent.cached_tokens and spent.cached_share is not None:
        texts.append(f"{spent.cached_share:.0%} of request tokens from the provider's cache")
    return texts


def _role_texts(summary: RunSummary) -> list[str]:
    """Return the tokens and cost of each role; empty if all replies have one role."""
    if len(summary.by_role) < 2:
        return []
    shares = sorted(summary.by_role.items(), key=lambda share: (-share[1].tokens, share[0]))
    return [
        f"{role}: {', '.join((count_text(share.replies, 'reply'), *spent_texts(share)))}"
        for role, share in shares
    ]


def rejections_text(rejections: Counter[str]) -> str:
    """Return rejections by gate and rule: `sent back by gate 8 (literal tokens) ×12, ecom/checklist ×1`."""
    return f"sent back by {_counted(rejections)}"


def _counted(keys: Counter[str]) -> str:
    counted = dict(keys)  # a copy: running trials add to it meanwhile
    return gates_and_rules_text({key: f" ×{count}" for key, count in counted.items()})


def rates_lines(
    rates: Sequence[PassRates], flickers: Sequence[str], missing: Sequence[str] = ()
) -> list[str]:
    """Return a run's pass@k and pass^k, a line for each k with the tasks without a score, and the flickering tasks."""
    without = f"  without {listed(missing)}, which had no score" if missing else ""
    lines = [
        f"pass@{rate.k} {rate.at_least_one}  pass^{rate.k} {rate.every_one}{without}"
        for rate in rates
    ]
    if rates:
        alike = "the tries of each task agree: all passed, or all failed"
        lines.append(f"tries differ: {listed(flickers, 12)}" if flickers else alike)
    return lines


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return the first names of a list, and the number of further names."""
    shown = ", ".join(one_line(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


class CleanConsole(Console):
    """A console that makes control characters visible in everything it prints, whoever wrote the text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not (self.is_terminal or os.environ.get("COLUMNS")):
            self.width = WIDTH_OF_PIPES

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, their texts sanitized."""
        for segment in super().render(renderable, options):
            is_clean = segment.control or segment.text == "\n" or segment.text.isprintable()
            yield segment if is_clean else Segment(sanitize(segment.text), segment.style)


def trial_arguments(summary: RunSummary) -> dict[str, str]:
    """Return each trial's `--trial` argument by trial id: the task's id if the task has one trial, else the trial's."""
    tasks = Counter(trial.task_id for trial in summary.trials.values())
    return {
        trial.trial_id: trial.task_id
        if trial.task_id and tasks[trial.task_id] == 1
        else trial.trial_id
        for trial in summary.trials.values()
    }


def next_commands(
    summary: RunSummary, journal: Path, *, is_running: bool = False
) -> list[tuple[str, str]]:
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
            is_limit = (
                option in ("--run-cost", "--run-time", "--max-tokens-run") and limit[:1].isdecimal()
            )
            resume = invocation("resume", run, *((option, limit) if is_limit else ()))
            commands.append((resume, f"continues the {summary.left} unfinished trials"))
            commands.append(
                (invocation("submit", run, "--force"), "submits it as it is; open trials score 0")
            )
        elif (
            "failed_precondition" in summary.error
        ):  # the benchmark refused it: trials are open there
            commands.append(
                (invocation("submit", run, "--force"), "submits it; trials open there score 0")
            )
        elif summary.count(FAILED):
            commands.append(
                (invocation("resume", run), "retries what could not start, and submits it")
            )
        else:
            commands.append((invocation("submit", run), "submits it"))
    elif summary.submitted and summary.state != "evaluated":
        commands.append((invocation("poll", run), "asks for the scores"))
    if (
        summary.opened is not None
        and summary.opened.parent is not None
        and summary.opened.parent.how == "rerun"
    ):
        before = summary.opened.parent.run
        commands.append(
            (invocation("compare", before, f"{before}+{run}"), "replaces their trials by these")
        )
    worst = next((trial for trial in summary.worst_first if trial.step), None)
    if worst is not None:
        word = trial_arguments(summary)[worst.trial_id]
        which = "a" if worst.score is not None and worst.score >= 1 else "the worst"
        commands.append(
            (invocation("replay", run, "--trial", word), f"walks through {which} trial")
        )
    return commands


ECHO: Final = len("^C")
"""Columns kept free in the last line: the terminal echoes Ctrl-C there, and a wrapped line would shift the picture."""


def picture(
    summary: RunSummary, phase: RunPhase, now_ms: int, window: ConsoleDimensions
) -> list[Text]:
    """Return a run as lines that fit a window."""
    width, height = min(window.width, 100), window.height
    running = summary.running
    shown = running[: max(height - 7, 0)]
    left_s = summary.time_left_s(now_ms) if phase is RunPhase.WORKING else None
    rows = []
    for trial in shown:
        name = one_line(trial.task)
        step = max(trial.step, trial.steps_done + 1)
        row = Text("  ").append(f"{name[:28]:<28}", style="cyan").append(f" step {step:>2} ")
        row.append(f"{clock_text((now_ms - trial.started_ms) / 1000):>6}  ", style="dim")
        rows.append(row.append(one_line(trial.doing)))
    lines = [
        run_title(summary.opened) if summary.opened else Text(),
        _progress(summary, now_ms, width, left_s),
        Text(" · ".join(figure_texts(summary))),
        Text(rejections_text(summary.rejections) if summary.rejections else "", style="yellow"),
        *rows,
        Text(
            f"  + {len(running) - len(shown)} more running" if len(running) > len(shown) else "",
            style="dim",
        ),
        Text(_last_line(summary, phase), style="dim" if phase is RunPhase.WORKING else "bold"),
    ]
    for line in lines:
        line.no_wrap = True
        line.truncate(width - 1, overflow="ellipsis")
    lines = lines[: max(height - 1, 1)]
    lines[-1].truncate(width - 1 - ECHO, overflow="ellipsis")
    return lines


def _progress(summary: RunSummary, now_ms: int, width: int, left_s: float | None) -> Text:
    over, total = summary.over, len(summary.trials)
    elapsed = clock_text((now_ms - summary.began_ms) / 1000) if summary.began_ms else "0:00"
    words = f" {over} of {total} · {elapsed}"
    words += f" · about {age_text(max(left_s, 1))} left" if left_s is not None else ""
    length = max(min(40, width - 45), 10)
    done = length * over // total if total else 0
    return (
        Text("━" * done, style="green")
        .append("─" * (length - done), style="dim")
        .append(words, style="default")
    )


def _last_line(summary: RunSummary, phase: RunPhase) -> str:
    notices = summary.notices[summary.earlier_notices :]
    if not notices:
        return str(phase)
    latest = one_line(notices[-1])
    if phase is RunPhase.WORKING:
        return f"{count_text(len(notices), 'notice')}, the latest: {latest}"
    return f"{phase}: {latest}" if phase in (RunPhase.SUBMITTING, RunPhase.SCORING) else str(phase)


def live_display(run: Run) -> Live | None:
    """Return what draws a run on standard error while it is entered; None if no terminal there can move its cursor
    and draw lines."""
    console = CleanConsole(stderr=True, highlight=False)
    if not (console.is_interactive and sys.stderr.isatty() and console.encoding.startswith("utf")):
        return None
    return Live(
        console=console,
        get_renderable=lambda: Group(*picture(run.summary, phase_of(run), now_ms(), console.size)),
        refresh_per_second=5,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )
