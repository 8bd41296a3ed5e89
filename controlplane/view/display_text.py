"""Numbers, durations and foreign text as people read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def sanitize(text: str) -> str:
    """Return `text` with what could steer a terminal made visible: control characters, surrogates, direction marks.

    Models, scripts and documents wrote it; none of them may move the cursor of whoever reads it.
    """
    return _CONTROL.sub(_picture, text.replace("\r\n", "\n")).expandtabs(4)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


def one_line(text: str) -> str:
    """Return `text` sanitize, in one line."""
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
    """Return how long something took: 3 ms, 4.2 s, 12:40."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 60_000 else clock_text(milliseconds / 1000)


def tokens_text(tokens: int) -> str:
    """Return a number of tokens: 812 tokens, 45.2k tokens, 3.1M tokens."""
    for unit, size in (("M", 1_000_000), ("k", 10_000)):
        if tokens >= size:
            return f"{tokens / (1000 if unit == 'k' else size):.1f}{unit} tokens"
    return f"{tokens:,} tokens"


def cost_text(cost_usd: float) -> str:
    """Return an amount of money with as many digits as it needs to be told from nothing."""
    return f"${cost_usd:.2f}" if cost_usd >= 1 else f"${cost_usd:.4f}"


def count_text(count: int, noun: str) -> str:
    """Return a number of things: 1 trial, 12 trials, 2 retries."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{count:,} {noun}s"


def gates_and_rules_text(told: Mapping[str, str]) -> str:
    """Return what is told of gates, by their numbers, and of rules of packs, by their names, the gates first."""
    gates = [told[key] for key in sorted(told) if key.isdecimal()]
    rules = [told[key] for key in sorted(told) if not key.isdecimal()]
    return ("gate " if gates else "") + ", ".join(gates + rules)


def score_text(score: float | None, digits: int = 2) -> str:
    """Return a score, or a dash where none is known."""
    return "-" if score is None else f"{score:.{digits}f}"


def score_style(score: float | None) -> str:
    """Return the style in which a score is shown."""
    if score is None:
        return "dim"
    return "green" if score >= 1 else "yellow" if score > 0 else "red"
