"""A request in the requester's own words, and the template that it fixes for an OK answer, such as `<COUNT:%d>`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gates.submission import quote

MAX_CHARS: Final = 50_000
"""Characters of the instruction, and of the rules, that are searched."""


# The text ------------------------------------------------------------------------------------------------------------

_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_KEPT: Final = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_WRAPPED: Final = re.compile(r"(?m)(^[^\n]{20,}[^\s.:;!?]) ?\n(?=[a-z(][\w'(-]*(?:[ ,.!?)]|$)(?![:=]))")
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"(?m)^ ?>[^\n]*$")
_QUOTATION: Final = re.compile(r"\"[^\"\n]{1,400}\"|(?<!\w)'[^'\n]{1,400}'(?!\w)")
_PROSE: Final = re.compile(r"(?:[^\W\d_]{2,}\W+){2,}[^\W\d_]{2,}")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks, `\\n` line ends and hard-wrapped sentences rejoined.

    Runs of spaces in code marks and quotations stay: an answer may have to repeat them. A line counts as wrapped if it
    has at least 20 characters and ends within a sentence, and the next line continues in lower case.
    """
    unified = text.replace("\r\n", "\n").translate(_SIGNS)
    parts: list[str] = []
    end = 0
    for kept in _KEPT.finditer(unified):
        parts += [re.sub(" +", " ", unified[end : kept.start()]), kept[0]]
        end = kept.end()
    parts.append(re.sub(" +", " ", unified[end:]))
    return _WRAPPED.sub(r"\1 ", "".join(parts))


@lru_cache(maxsize=64)
def asked_text(instruction: str) -> str:
    """Return the requester's own words: quoted lines, fenced blocks and quoted prose are blanked out."""
    text = normalize_text(instruction[:MAX_CHARS])
    for pattern in (_FENCED, _QUOTED_LINE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return _QUOTATION.sub(_blank_prose, text)


def _blank_prose(match: re.Match[str]) -> str:
    quoted = match[0][1:-1]
    if not _PROSE.search(quoted) or re.search(r"%[0-9.]*[dsf]", quoted):
        return match[0]
    return match[0][0] + "·" * len(quoted) + match[0][-1]


# Templates -----------------------------------------------------------------------------------------------------------

_PLACEHOLDER: Final = re.compile(r"%(?:(0?)(\d*))?(?:\.(\d))?([dsf])")
_BRACKETED: Final = re.compile(
    r"<[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]>|\[[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]\]"
)


def template_pattern(template: str) -> str:
    """Return the pattern of a printf template: `%d` integer, `%02d` two digits, `%.2f` two decimals, `%s` text."""
    pattern, end = "", 0
    for match in _PLACEHOLDER.finditer(template):
        pattern += re.escape(template[end : match.start()]) + _meaning(match)
        end = match.end()
    return pattern + re.escape(template[end:])


def _meaning(placeholder: re.Match[str]) -> str:
    zero, width, decimals, kind = placeholder.groups()
    if kind == "s":
        return r"\S(?:.*\S)?"
    if kind == "f":
        return rf"-?\d+\.\d{{{int(decimals or 6)}}}"
    return rf"\d{{{int(width)},}}" if zero and width else r"-?\d+"


def fault_of_template(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    text = _QUOTATION.sub(" ", asked_text(instruction))
    templates = list(dict.fromkeys(_BRACKETED.findall(text)))
    if not templates or any(re.search(template_pattern(template), answer) for template in templates):
        return ""
    return (
        f"The request fixes the form {quote(templates[0])}, and the answer does not hold it: fill the placeholder in."
    )
