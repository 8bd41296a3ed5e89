"""Texts for people: numbers, durations, endings of trials, and foreign text made safe for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import click

from controlplane.gates.submission import GATE_NAMES
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.gates.evidence import Change
    from controlplane.journal.run_summary import RunSummary, Spent, TrialSummary
    from controlplane.lifecycle.run_lifecycle import Run


_HIDDEN_SPANS: Final = (
    "00-08 0b-1f 7f-9f 34f 61c 115f-1160 17b4-17b5 180b-180f 200b 200e-200f "
    "2028-202e 2060-206f 2800 3164 d800-dfff fe00-fe0e feff ffa0 fff9-fffb fffe-ffff 1d159 e0000-e0fff"
)
"""Code points and spans of them, in hexadecimal."""


def _picture(code: int) -> str:
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


HIDDEN: Final = {
    code: _picture(code)
    for first, _, last in (span.partition("-") for span in _HIDDEN_SPANS.split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
}
"""Characters that steer a terminal, or show nothing and are not part of words and emoji, and what is shown instead."""


def sanitize(text: str) -> str:
    """Return `text` with control characters, surrogates, direction marks and what shows nothing made visible.

    Models, scripts and documents write such text; it must not steer the reader's terminal.
    """
    if text.isascii() and text.isprintable():  # most texts are; the rest is slow
        return text
    return text.replace("\r\n", "\n").translate(HIDDEN).expandtabs(4)


def say(text: str = "", *, err: bool = False, is_styled: bool = False) -> None:
    """Print a text that anybody may have written, sanitized unless it `is_styled`: its foreign parts are so then,
    and our own styles are left out where no terminal shows them. Commands print by this function, besides JSON."""
    click.echo(text if is_styled else sanitize(text), err=err)


def changed_text(changes: Iterable[Change]) -> str:
    """Return a line about what a trial changed, as `changed: /notes.md, mail.send (2 times)`."""
    counts = Counter(change.path for change in changes)
    names = [
        one_line(path) + (f" ({count} times)" if count > 1 else "")
        for path, count in counts.items()
    ]
    more = f" and {len(names) - bounds.SHOWN_NAMES} more" if len(names) > bounds.SHOWN_NAMES else ""
    return f"changed: {', '.join(names[: bounds.SHOWN_NAMES]) or 'nothing'}{more}"


def one_line(text: str) -> str:
    """Return `text` sanitized, in one line."""
    return " ".join(sanitize(text).split())


def age_text(seconds: float) -> str:
    """Return a duration in its largest fitting unit: 42 s, 5 min, 3 h, 2 d."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(int(seconds), 0)} s"


def clock_text(seconds: float) -> str:
    """Return a duration as a clock shows it: 0:07, 12:40, 1:02:03."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def span_text(milliseconds: float) -> str:
    """Return a time span: 3 ms, 4.2 s, 12:40."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    return (
        f"{milliseconds / 1000:.1f} s" if milliseconds < 60_000 else clock_text(milliseconds / 1000)
    )


def tokens_text(tokens: int) -> str:
    """Return a number of tokens: 812 tokens, 45.2k tokens, 3.1M tokens."""
    for unit, size in (("M", 1_000_000), ("k", 10_000)):
        if tokens >= size:
            return f"{tokens / (1000 if unit == 'k' else size):.1f}{unit} tokens"
    return f"{tokens:,} tokens"


def cost_text(cost_usd: float) -> str:
    """Return an amount of money, with four decimals below one dollar."""
    return f"${cost_usd:.2f}" if cost_usd >= 1 else f"${cost_usd:.4f}"


def cost_or_dash(cost_usd: float | None) -> str:
    """Return an amount of money for a table's cell: `?` if it is unknown, a dash for zero."""
    return "?" if cost_usd is None else cost_text(cost_usd) if cost_usd else "-"


def spent_texts(spent: Spent, retries: int = 0) -> list[str]:
    """Return a text for each figure that is not zero; `~` marks estimated tokens."""
    usd = spent.cost_usd
    texts = (
        [("~" if spent.is_estimated else "") + tokens_text(spent.tokens)] if spent.tokens else []
    )
    texts += ["cost unknown"] if usd is None else [cost_text(usd)] if usd else []
    return texts + ([count_text(retries, "retry")] if retries else [])


def metrics_text(metrics: Mapping[str, float]) -> str:
    """Return a grader's further figures in one line: `security 0.900, utility 0.750`."""
    return one_line(", ".join(f"{name} {value:.3f}" for name, value in sorted(metrics.items())))


def figure_texts(summary: RunSummary) -> list[str]:
    """Describe a running run: mean score, running trials, tokens, cost, retries."""
    mean = summary.mean_score
    texts = [f"mean score {mean:.3f}"] if mean is not None else []
    texts += [f"{len(summary.running)} running"] if summary.running else []
    return texts + spent_texts(summary.spent, summary.retries)


def cause_of(notice: str) -> str:
    """Return a notice without the parts that vary between tries, so that equal failures are reported once."""
    for sign in ("; asking again in ", "; trying again in "):
        before, is_tried, _ = notice.partition(sign)
        notice = f"{before}; it is tried again" if is_tried else before
    before, given_up, rest = notice.partition("; given up at try ")
    return f"{before}; given up{rest.lstrip('0123456789')}" if given_up else before


def count_text(count: int, noun: str) -> str:
    """Return a count with its noun: 1 trial, 12 trials, 2 retries."""
    if count == 1:
        return f"{count} {noun}"
    return (
        f"{count:,} {noun[:-1]}ies"
        if noun[-1] == "y" and noun[-2] not in "aeiou"
        else f"{count:,} {noun}s"
    )


def gates_and_rules_text(notes: Mapping[str, str]) -> str:
    """Join gates (keyed by number) with their names and rules of rule sets (keyed by name), the gates first.

    A note follows each: `gate 4 (citations were read) ×12, ecom/checklist ×1`.
    """
    keys = sorted(notes, key=lambda key: (not key.partition("/")[0].isdecimal(), key))
    return ", ".join(f"{gate_or_rule_text(key)}{notes[key]}" for key in keys)


def ending_texts(trial: TrialSummary, *, is_submitted: bool = False) -> list[str]:
    """Describe how a trial ended: why it has no answer, its fallback, the rules that objected, and broken rules.

    Once its run `is_submitted`, an open trial is over at its platform and described as cut off.
    """
    texts = [trial.reason] if trial.reason else []
    if trial.state == "open" and (is_submitted or trial.score is not None):
        texts = [f"cut off: {trial.reason}" if trial.reason else "cut off"]
    if trial.state == "fallback":
        named = gates_and_rules_text(dict.fromkeys(trial.failed, ""))
        # The gates' words say more than that the model stopped.
        words = f"its last submission, sent back by {named}" if named else trial.outcome
        texts.insert(0 if named else 1, f"fallback: {words}")
    if trial.overridden:
        texts.append(
            f"accepted over objections: {gates_and_rules_text(dict.fromkeys(trial.overridden, ''))}"
        )
    return [
        *texts,
        *(f"{gate_or_rule_text(key)}: {reason}" for key, reason in trial.broken.items()),
    ]


def why_texts(trial: TrialSummary, *, is_submitted: bool = False) -> list[str]:
    """Return why a trial has its score: its answer beside what the grader expected, and how it ended."""
    answer = one_line(trial.answer) if trial.state == "answered" or trial.failed else ""
    answered = (
        [f"answered {answer if len(answer) <= 40 else answer[:39] + '…'}"]
        if trial.details and answer
        else []
    )
    graded = [*trial.details[:1], *answered, *trial.details[1:]]
    ending = ending_texts(trial, is_submitted=is_submitted)
    return [*graded, *ending] if trial.state == "answered" else [*ending, *graded]


def gate_or_rule_text(key: str) -> str:
    """Return the name of a gate, keyed by number, as `gate 4 (citations were read)`, or of a rule."""
    number, slash, rule = key.partition("/")
    if not number.isdecimal():
        return one_line(key)
    name = one_line(rule) if slash else GATE_NAMES.get(int(number), "")
    return f"gate {number} ({name})" if name else f"gate {number}"


def score_text(score: float | None, digits: int = 2) -> str:
    """Return a score, or a dash if it is unknown."""
    return "-" if score is None else f"{score:.{digits}f}"


def score_style(score: float | None) -> str:
    if score is None:
        return "dim"
    return "green" if score >= 1 else "yellow" if score > 0 else "red"


class RunPhase(StrEnum):
    """A phase of a run; its value is the display's last line."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps; a second Ctrl-C stops at once"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run) -> RunPhase:
    """Return the phase of `run`."""
    summary, controls = run.summary, run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        return RunPhase.OVER if summary.state == "evaluated" else RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.stop.is_set():
        return RunPhase.STOPPING if controls.interrupted.is_set() else RunPhase.FAILING
    if not summary.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING
