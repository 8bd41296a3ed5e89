"""A request in the requester's own words, and the form that it fixes for an OK answer, such as `<COUNT:%d>`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from gates.submission import encodable, quote

MAX_CHARS: Final = 50_000
"""Characters of the instruction, and of the rules, that are searched."""
_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_ASIDE: Final = re2.compile(r"(?ms)```.*?(?:```|\z)|^ ?>[^\n]*$")
_QUOTATION: Final = re2.compile(r"\"[^\"\n]{0,400}\"|(?:^|[^\pL\pN_'])'[^'\n]{0,400}'")
_PROSE: Final = re2.compile(r"(?:\pL{2,}[^\pL\pN_%]+){2,}\pL{2,}")
_FORM: Final = re2.compile(r"([<\[][A-Za-z_ ]{1,30}[:=]\s?)%([0-9]{0,2})(?:\.([0-9]))?([dsf])([>\]])")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks and `\\n` line ends."""
    unified = encodable(text).replace("\r\n", "\n").translate(_SIGNS)
    while "  " in unified:
        unified = unified.replace("  ", " ")
    return unified


@lru_cache(maxsize=64)
def asked_text(instruction: str) -> str:
    """Return the requester's own words, without quoted lines, fenced blocks and quoted prose."""
    text = _ASIDE.sub("", normalize_text(instruction[:MAX_CHARS]))
    return str(_QUOTATION.sub(lambda quoted: '""' if _PROSE.search(quoted[0]) else quoted[0], text))


def fault_of_form(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    `<N:%d>` takes an integer, `%02d` one of two digits or more, `%.2f` a number of two decimals, `%s` any text.
    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    forms = {found[0]: found for found in _FORM.finditer(_QUOTATION.sub(" ", asked_text(instruction)))}
    patterns = [_filled(*found.groups("")) for found in [*forms.values()][:20]]
    if not patterns or any(re2.search(pattern, encodable(answer)) for pattern in patterns):
        return ""
    return (
        f"The request fixes the form {quote(next(iter(forms)))}, and the answer does not hold it: fill the placeholder "
        "in."
    )


def _filled(head: str, width: str, decimals: str, kind: str, end: str) -> str:
    """Return the pattern of a placeholder that is filled in."""
    least = width if width.startswith("0") and len(width) > 1 else "1"
    value = {"s": r"\S(?:.*\S)?", "f": rf"-?\d+\.\d{{{decimals or 6}}}", "d": rf"-?\d{{{int(least)},}}"}[kind]
    return f"{re2.escape(head)}{value}{re2.escape(end)}"
