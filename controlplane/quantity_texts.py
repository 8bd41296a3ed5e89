"""Numbers as users read them: durations, tokens, costs, scores and counts.

Tables, progress lines, reports and pages write them in the same way: 73,400 ms as `1:13`, three
trials as `3 trials`, and a missing score as `-`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.terminal_text import one_line

_MINUTE_S: Final = 60
_HOUR_S: Final = 60 * _MINUTE_S
_DAY_S: Final = 24 * _HOUR_S
_MANY_DIGITS: Final = 1e6
_SHOWN_REASONS: Final = 3
"""How many reasons for missing scores stand beside a mean. The most frequent ones come first."""
_SHOWN_REASON_CHARS: Final = 100


def age_text(seconds: float) -> str:
    """Return a duration in the largest unit that fits: 42 s, 5 min, 3 h, 2 d."""
    for unit, unit_s in (("d", _DAY_S), ("h", _HOUR_S), ("min", _MINUTE_S)):
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
    if seconds < _MINUTE_S:
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


def spent_texts(
    tokens: int,
    cost_usd: float | None,
    *,
    is_estimated: bool = False,
    retries: int = 0,
) -> list[str]:
    """Return a text for each figure that is not zero: `["~12,400 tokens", "$0.02", "1 retry"]`.

    `~` marks estimated tokens.
    """
    texts = []
    if tokens:
        mark = "~" if is_estimated else ""
        texts.append(mark + tokens_text(tokens))
    if cost_usd is None:
        texts.append("cost unknown")
    elif cost_usd:
        texts.append(cost_text(cost_usd))
    if retries:
        texts.append(count_text(retries, "retry"))
    return texts


def score_text(score: float | None, digits: int = 2) -> str:
    """Return a score, or a dash if it is unknown: 0.5 -> `0.50`, None -> `-`."""
    if score is None:
        return "-"
    if abs(score) >= _MANY_DIGITS:
        return f"{score:.3g}"  # 1e+15: a cell of a table has no room for its digits.
    return f"{score:.{digits}f}"


def unscored_text(reasons: Mapping[str, int]) -> str:
    """Return how many trials have no score, and why; empty if there are none.

    `{"the verifier left no reward": 2, "could not start": 1}` ->
    `3 without a score (the verifier left no reward ×2; could not start)`
    """
    if not reasons:
        return ""
    texts = []
    for reason, count in list(reasons.items())[:_SHOWN_REASONS]:
        text = one_line(reason)
        if len(text) > _SHOWN_REASON_CHARS:
            text = text[: _SHOWN_REASON_CHARS - 1] + "…"
        texts.append(f"{text} ×{count}" if count > 1 else text)
    more = len(reasons) - len(texts)
    if more:
        texts.append(count_text(more, "further reason"))
    return f"{sum(reasons.values()):,} without a score ({'; '.join(texts)})"


def signed_text(difference: float, digits: int = 2) -> str:
    """Return a difference of scores with its sign: 0.5 -> `+0.50`."""
    return ("+" if difference >= 0 else "") + score_text(difference, digits)


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
    figures = [
        f"{name} {score_text(value, 3)}" for name, value in sorted(metrics.items())
    ]
    return one_line(", ".join(figures))
