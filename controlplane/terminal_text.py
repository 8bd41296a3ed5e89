"""Texts for the terminal: numbers, durations, endings of trials, and foreign text made safe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import click

from controlplane.gates.verdicts import GATE_NAMES
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.gates.trial.changes import Change
    from controlplane.journal.totals.run_summary import RunSummary
    from controlplane.journal.totals.spending_totals import Spent
    from controlplane.journal.totals.trial_summary import TrialSummary
    from controlplane.lifecycle.run_lifecycle import Run


_HIDDEN_SPANS: Final = (
    "00-08 0b-1f 7f-9f "  # control characters, without tab and line feed
    "34f 61c 115f-1160 17b4-17b5 180b-180f "  # joiners, marks and fillers of several scripts
    "200b 200e-200f 2028-202e 2060-206f "  # zero-width space, direction marks, line separators
    "2800 3164 ffa0 "  # blank Braille pattern, Hangul fillers
    "d800-dfff "  # surrogates
    "fe00-fe0e feff fff9-fffb fffe-ffff "  # variation selectors, byte-order mark, noncharacters
    "1d159 e0000-e0fff"  # null note head, tag characters
)
"""Code points of hidden characters, and ranges of them, in hexadecimal.

Zero-width joiners (200c, 200d) and the selector
fe0f are not hidden: words and emoji need them.
"""

DELETE: Final = 0x7F
CONTROL_PICTURES: Final = 0x2400
"""The first of Unicode's pictures for control characters: ␀ for code 0, ␁ for code 1, and so on."""


def _visible_replacement(code: int) -> str:
    """Return the character that is shown in place of a hidden one."""
    if code < ord(" "):
        return chr(CONTROL_PICTURES + code)
    if code == DELETE:
        return "␡"
    return "\N{REPLACEMENT CHARACTER}"


def _replacements() -> dict[int, str]:
    """Return the visible replacement of each hidden character, by code point."""
    replacements = {}
    for span in _HIDDEN_SPANS.split():
        first, _, last = span.partition("-")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            replacements[code] = _visible_replacement(code)
    return replacements


HIDDEN: Final = _replacements()
"""Characters that control a terminal, or that are invisible and not part of words or emoji.

The value of each is the text that is shown in its place.
"""


def sanitize(text: str) -> str:
    """Return `text` with control characters, surrogates, direction marks and blanks made visible.

    Texts of models, scripts and documents may contain such characters. They must not
    control the user's terminal.
    """
    if text.isascii() and text.isprintable():  # the fast path for most texts
        return text
    return text.replace("\r\n", "\n").translate(HIDDEN).expandtabs(4)


def one_line(text: str) -> str:
    """Return `text` sanitized and in one line."""
    return " ".join(sanitize(text).split())


def say(text: str = "", *, err: bool = False, is_styled: bool = False) -> None:
    """Print a text, and sanitize it first unless `is_styled` is true.

    The caller has already sanitized the foreign parts of a styled text.
    Styles are dropped if the output is not a terminal. Commands print all output
    but JSON with this function.
    """
    if not is_styled:
        text = sanitize(text)
    click.echo(text, err=err)


def changed_text(changes: Iterable[Change], label: str = "changed") -> str:
    """Return a line on what a trial changed: `changed: /notes.md, mail.send (2 times)`."""
    names = []
    for path, count in Counter(change.path for change in changes).items():
        name = one_line(path)
        if count > 1:
            name += f" ({count} times)"
        names.append(name)
    if not names:
        return f"{label}: nothing"
    text = f"{label}: {', '.join(names[: bounds.SHOWN_NAMES])}"
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text


# --- Numbers, durations, money ---


MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S


def age_text(seconds: float) -> str:
    """Return a duration in the largest unit that fits: 42 s, 5 min, 3 h, 2 d."""
    for unit, unit_s in (("d", DAY_S), ("h", HOUR_S), ("min", MINUTE_S)):
        if seconds >= unit_s:
            return f"{int(seconds // unit_s)} {unit}"
    return f"{max(int(seconds), 0)} s"


def clock_text(seconds: float) -> str:
    """Return a duration in the form of a clock: 0:07, 12:40, 1:02:03."""
    minutes, seconds_left = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{seconds_left:02}"
    return f"{minutes}:{seconds_left:02}"


def span_text(milliseconds: float) -> str:
    """Return a time span: 3 ms, 4.2 s, 12:40."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < MINUTE_S:
        return f"{seconds:.1f} s"
    return clock_text(seconds)


def tokens_text(tokens: int) -> str:
    """Return a number of tokens: 812 tokens, 45.2k tokens, 3.1M tokens."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M tokens"
    if tokens >= 10_000:
        return f"{tokens / 1000:.1f}k tokens"
    return f"{tokens:,} tokens"


def cost_text(cost_usd: float) -> str:
    """Return an amount of money, with four decimals below one dollar."""
    if cost_usd >= 1:
        return f"${cost_usd:.2f}"
    return f"${cost_usd:.4f}"


def cost_or_dash(cost_usd: float | None) -> str:
    """Return an amount of money for a table's cell: `?` if unknown, a dash for zero."""
    if cost_usd is None:
        return "?"
    if cost_usd == 0:
        return "-"
    return cost_text(cost_usd)


def count_text(count: int, noun: str) -> str:
    """Return a count with its noun: 1 trial, 12 trials, 2 retries."""
    if count == 1:
        return f"{count} {noun}"
    if noun[-1] == "y" and noun[-2] not in "aeiou":
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}s"


def spent_texts(spent: Spent, retries: int = 0) -> list[str]:
    """Return a text for each figure that is not zero. `~` marks estimated tokens."""
    texts = []
    if spent.tokens:
        mark = "~" if spent.is_estimated else ""
        texts.append(mark + tokens_text(spent.tokens))
    if spent.cost_usd is None:
        texts.append("cost unknown")
    elif spent.cost_usd:
        texts.append(cost_text(spent.cost_usd))
    if retries:
        texts.append(count_text(retries, "retry"))
    return texts


def score_text(score: float | None, digits: int = 2) -> str:
    """Return a score, or a dash if it is unknown."""
    if score is None:
        return "-"
    return f"{score:.{digits}f}"


def score_style(score: float | None) -> str:
    """Return the terminal style of a score: green for 1, red for 0, yellow between."""
    if score is None:
        return "dim"
    if score >= 1:
        return "green"
    if score > 0:
        return "yellow"
    return "red"


def metrics_text(metrics: Mapping[str, float]) -> str:
    """Return a grader's further figures in one line: `precision 0.900, recall 0.750`."""
    figures = [f"{name} {value:.3f}" for name, value in sorted(metrics.items())]
    return one_line(", ".join(figures))


def figure_texts(summary: RunSummary) -> list[str]:
    """Return texts on a running run: mean score, running trials, tokens, cost, retries."""
    texts = []
    if summary.trials.mean_score is not None:
        texts.append(f"mean score {summary.trials.mean_score:.3f}")
    if summary.trials.running:
        texts.append(f"{len(summary.trials.running)} running")
    return texts + spent_texts(summary.spent, summary.retries)


# --- Notices, gates and rules ---


def cause_of(notice: str) -> str:
    """Return a notice without the parts that differ between tries, so that equal failures match.

    It concerns the notices about failed requests, which `agent/loop/model_retry.py` writes
    for models, and `lifecycle/benchmark_health.py` for benchmarks. Any other text is
    returned unchanged.

    - `503; asking again in 4 s` becomes `503; it is tried again`;
    - `503; given up at try 5 of 5` becomes `503; given up of 5`.
    """
    for wait in ("; asking again in ", "; trying again in "):
        failure, found_wait, _ = notice.partition(wait)
        if found_wait:
            notice = f"{failure}; it is tried again"

    failure, found_last_try, numbers = notice.partition("; given up at try ")
    if found_last_try:
        without_number_of_try = numbers.lstrip("0123456789")  # ` of 5`
        return f"{failure}; given up{without_number_of_try}"
    return notice


def gate_or_rule_text(key: str) -> str:
    """Return the name of a gate or a rule for the user, by its key.

    - `4`, a gate: `gate 4 (citations were read)`;
    - `6/wording`, a rule within a gate: `gate 6 (wording)`;
    - `ecom/checklist`, a rule in a rule set: `ecom/checklist`.
    """
    number, slash, rule = key.partition("/")
    if not number.isdecimal():
        return one_line(key)
    name = one_line(rule) if slash else GATE_NAMES.get(int(number), "")
    if name:
        return f"gate {number} ({name})"
    return f"gate {number}"


def _gates_first(key: str) -> tuple[bool, str]:
    is_rule = not key.partition("/")[0].isdecimal()
    return is_rule, key


def gates_and_rules_text(notes: Mapping[str, str]) -> str:
    """Join the names of gates and rules, the gates first, each followed by its note.

    For example `gate 4 (citations were read) ×12, ecom/checklist ×1`.
    """
    keys = sorted(notes, key=_gates_first)
    return ", ".join(f"{gate_or_rule_text(key)}{notes[key]}" for key in keys)


def names_of_gates_and_rules(keys: Iterable[str]) -> str:
    """Join the names of gates and rules, the gates first."""
    return gates_and_rules_text(dict.fromkeys(keys, ""))


# --- Why a trial has its score ---


@dataclass(frozen=True, slots=True)
class TrialReasons:
    """The reasons for a trial's score, for tables and reports.

    A fallback is the answer that the product sends if the model gave none.
    """

    has_answer: bool
    """True if the trial gave an answer of its own, not the fallback."""
    grader: tuple[str, ...]
    """The remarks of the grader."""
    answer: str
    """The last answer, shortened; empty if the grader has no remark on it."""
    ending: tuple[str, ...]
    """The reasons for how the trial ended, one text each.

    First come a missing answer and the fallback, then gates and rules whose objections
    the model did not follow, then gates and rules whose own code failed."""

    @property
    def lines(self) -> list[str]:
        """All reasons, the most important first.

        If the trial has an answer, the remarks of the grader come first. The first remark
        says what is wrong, and the answer follows it: "expected 4 rows", "answered 3 rows".
        """
        first_remark = self.grader[:1]
        further_remarks = self.grader[1:]
        answer = [f"answered {self.answer}"] if self.answer else []
        graded = [*first_remark, *answer, *further_remarks]
        if self.has_answer:
            return [*graded, *self.ending]
        return [*self.ending, *graded]


SHOWN_ANSWER_CHARS: Final = 40


def reasons_of(trial: TrialSummary, *, is_submitted: bool = False) -> TrialReasons:
    """Return the reasons for a trial's score.

    `is_submitted`: True if the run is submitted. That ends all its trials at the benchmark,
    so one that has no end in the journal was cut off.
    """
    has_answer = trial.state == "answered"
    # With gates in `failed`, the fallback is the last answer that they rejected, so it is shown
    # like one of the model. Any other fallback only says that there is no answer.
    repeats_rejected = bool(trial.failed)
    answer = ""
    if trial.details and (has_answer or repeats_rejected):
        answer = one_line(trial.answer)
    if len(answer) > SHOWN_ANSWER_CHARS:
        answer = answer[: SHOWN_ANSWER_CHARS - 1] + "…"
    ending = _ending_texts(trial, is_submitted=is_submitted)
    return TrialReasons(has_answer, trial.details, answer, tuple(ending))


def _ending_texts(trial: TrialSummary, *, is_submitted: bool) -> list[str]:
    """Return why the trial ended as it did, then overridden objections and faults of gates."""
    reasons = []
    is_cut_off = trial.state == "open" and (is_submitted or trial.score is not None)
    if is_cut_off:
        reasons.append(f"cut off: {trial.reason}" if trial.reason else "cut off")
    elif trial.reason:
        reasons.append(trial.reason)

    texts = list(reasons)
    if trial.state == "fallback" and trial.failed:
        # The gates' objections say more than that the model stopped, so they come first.
        gates = names_of_gates_and_rules(trial.failed)
        texts = [f"fallback: its last submission, sent back by {gates}", *reasons]
    elif trial.state == "fallback":
        texts = [*reasons, f"fallback: {trial.outcome}"]

    # `overridden` are gates and rules whose objection the model did not follow;
    # `broken` are those whose own code failed.
    if trial.overridden:
        texts.append(
            f"accepted over objections: {names_of_gates_and_rules(trial.overridden)}"
        )
    for key, error in trial.broken.items():
        texts.append(f"{gate_or_rule_text(key)}: {error}")
    return texts


# --- The phases of a run ---


class RunPhase(StrEnum):
    """A phase of a run. Its value is a text for the user, the last line of the display."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps; a second Ctrl-C stops at once"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run) -> RunPhase:
    """Return the present phase of a run."""
    summary = run.summary
    controls = run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        if summary.state == "evaluated":
            return RunPhase.OVER
        return RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.stop.is_set():
        if controls.interrupted.is_set():
            return RunPhase.STOPPING
        return RunPhase.FAILING
    if not summary.trials.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING
