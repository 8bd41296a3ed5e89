"""A request in the requester's own words, and the template that it fixes for an OK answer, such as `<COUNT:%d>`."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

import re2

from gates.submission import encodable, quote

MAX_CHARS: Final = 50_000
"""Characters of the instruction, and of the rules, that are searched."""
_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_KEPT: Final = re2.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_CONTINUED: Final = re2.compile(r"[a-z(][\pL\pN_'(-]*(?:[ ,.!?)](?:[^:=]|$)|$)")
_FENCED: Final = re2.compile(r"(?s)```.*?(?:```|\z)")
_QUOTED_LINE: Final = re2.compile(r"(?m)^ ?>[^\n]*$")
_PROSE: Final = re2.compile(r"(?:\pL{2,}[^\pL\pN_]+){2,}\pL{2,}")
_FORMAT: Final = re2.compile(r"%[0-9.]*[dsf]")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks, `\\n` line ends and hard-wrapped sentences rejoined.

    Runs of spaces in code marks and quotations stay: an answer may have to repeat them. A line counts as wrapped if it
    has at least 20 characters and ends within a sentence, and the next line continues in lower case.
    """
    unified = encodable(text).replace("\r\n", "\n").translate(_SIGNS)
    parts: list[str] = []
    end = 0
    for kept in _KEPT.finditer(unified):
        parts += [_with_single_spaces(unified[end : kept.start()]), kept[0]]
        end = kept.end()
    lines = "".join([*parts, _with_single_spaces(unified[end:])]).split("\n")
    joined = lines[:1]
    for before, line in pairwise(lines):
        ending = before.removesuffix(" ")
        is_open = len(ending) >= 21 and ending[-1] not in ".:;!?" and not ending[-1].isspace()
        if is_open and _CONTINUED.match(line):
            joined[-1] = f"{joined[-1].removesuffix(' ')} {line}"
        else:
            joined.append(line)
    return "\n".join(joined)


def _with_single_spaces(text: str) -> str:
    while "  " in text:
        text = text.replace("  ", " ")
    return text


@lru_cache(maxsize=64)
def asked_text(instruction: str) -> str:
    """Return the requester's own words: quoted lines, fenced blocks and quoted prose are blanked out."""
    text = normalize_text(instruction[:MAX_CHARS])
    for pattern in (_FENCED, _QUOTED_LINE):
        text = pattern.sub(lambda found: "\n".join(" " * len(line) for line in found[0].split("\n")), text)
    parts, at = [], 0
    for start, end in _quotations(text):
        quoted = text[start + 1 : end - 1]
        is_prose = _PROSE.search(quoted) and not _FORMAT.search(quoted)
        parts += [text[at : start + 1], "·" * len(quoted) if is_prose else quoted]
        at = end - 1
    return "".join([*parts, text[at:]])


def _quotations(text: str) -> list[tuple[int, int]]:
    """Return the spans of quotations within a line; an apostrophe that touches a word on its outer side opens none."""
    spans, at = [], 0
    while (start := min((place for mark in "\"'" if (place := text.find(mark, at)) >= 0), default=-1)) >= 0:
        mark, at = text[start], start + 1
        end = text.find(mark, at, at + 401)
        is_open = end > at and "\n" not in text[at:end]
        if mark == "'":
            is_open = is_open and not (_is_word(text[start - 1 : start]) or _is_word(text[end + 1 : end + 2]))
        if is_open:
            spans.append((start, end + 1))
            at = end + 1
    return spans


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_PLACEHOLDER: Final = re2.compile(r"%(?:(0?)(\d*))?(?:\.(\d))?([dsf])")
_BRACKETED: Final = re2.compile(
    r"<[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]>|\[[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]\]"
)


def template_pattern(template: str) -> str:
    """Return the RE2 pattern of a printf template: `%d` integer, `%02d` two digits, `%.2f` two decimals, `%s` text."""
    pattern, end = "", 0
    for match in _PLACEHOLDER.finditer(template):
        pattern += re2.escape(template[end : match.start()]) + _meaning(*match.groups())
        end = match.end()
    return f"{pattern}{re2.escape(template[end:])}"


def _meaning(zero: str | None, width: str | None, decimals: str | None, kind: str) -> str:
    if kind == "s":
        return r"\S(?:.*\S)?"
    if kind == "f":
        return rf"-?\d+\.\d{{{int(decimals or 6)}}}"
    return rf"\d{{{min(int(width), 100)},}}" if zero and width else r"-?\d+"


def fault_of_template(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    text = asked_text(instruction)
    for start, end in reversed(_quotations(text)):
        text = f"{text[:start]} {text[end:]}"
    templates = list(dict.fromkeys(_BRACKETED.findall(text)))[:20]
    if not templates or any(re2.search(template_pattern(template), encodable(answer)) for template in templates):
        return ""
    return (
        f"The request fixes the form {quote(templates[0])}, and the answer does not hold it: fill the placeholder in."
    )
