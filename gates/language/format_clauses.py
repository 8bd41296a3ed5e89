"""The demands that an instruction can make on an answer's form: templates, numbers, dates, lines, columns, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Clause:
    """One demand of an answer contract."""

    kind: str
    demand: str
    """Completes the sentence "the answer must be …"."""
    words: str
    """The words of the instruction or the rules that it comes from."""
    accepts: Callable[[str], bool]
    example: str
    """An answer that meets it, by which clauses are checked for conflicts."""
    fixes_whole_answer: bool = True
    """False if the demanded form may stand among other words."""


_PLACEHOLDER: Final = re.compile(r"%(?:(0?)(\d*))?(?:\.(\d))?([dsf])")
_DATE_TOKENS: Final = {
    "YYYY": (r"\d{4}", "2031"),
    "YY": (r"\d{2}", "31"),
    "MM": (r"(?:0[1-9]|1[0-2])", "05"),
    "DD": (r"(?:0[1-9]|[12]\d|3[01])", "04"),
    "WKD": (r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "Sun"),
    "DDD": (r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "Sun"),
    "MON": (r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", "May"),
    "MMM": (r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", "May"),
    "MONTH": (r"[A-Z][a-z]+", "May"),
}
_DATE_TOKEN: Final = re.compile(r"YYYY|MONTH|WKD|DDD|MON|MMM|MM|DD|YY", re.IGNORECASE)
DATE_FORMAT: Final = re.compile(
    r"(?<![\w%])(?:YYYY|Wkd|DDD|(?i:Month)|MMM|Mon|MM|DD)"
    r"(?:(?:, |[-/. ])(?:YYYY|(?i:Month)|MMM|Mon|MM|DD|YY)){1,3}(?!\w)"
    r"|(?<!\w)(?:yyyy|mm|dd)(?:[-/.](?:yyyy|mm|dd)){2}(?!\w)"
)
_NUMBER: Final = re.compile(r"[-+]?\d+(?:[.,]\d+)*")


def template_clause(template: str, words: str, *, is_whole: bool) -> Clause:
    """Return the demand of a printf template: `%d` integer, `%02d` two digits, `%.2f` two decimals, `%s` text."""
    pattern, example = _woven(template, _PLACEHOLDER, _form_of_placeholder)
    form = re.compile(pattern, re.DOTALL)
    where = "exactly in the form" if is_whole else "a text that holds the form"
    return Clause("template", f"{where} `{template}`", words, _matcher(form, is_whole=is_whole), example, is_whole)


def _woven(
    form: str, token: re.Pattern[str], meaning_of: Callable[[re.Match[str]], tuple[str, str]]
) -> tuple[str, str]:
    """Return the pattern of a form, and an example of it; `meaning_of` returns both for each of its tokens."""
    pattern, example, end = "", "", 0
    for found in token.finditer(form):
        literal = form[end : found.start()]
        meaning, sample = meaning_of(found)
        pattern += re.escape(literal) + meaning
        example += literal + sample
        end = found.end()
    return pattern + re.escape(form[end:]), example + form[end:]


def _form_of_placeholder(placeholder: re.Match[str]) -> tuple[str, str]:
    zero, width, decimals, kind = placeholder.groups()
    if kind == "s":
        return r"\S(?:.*\S)?", "text"
    if kind == "f":
        digits = int(decimals or 6)
        return rf"-?\d+\.\d{{{digits}}}", "7." + "0" * digits
    if zero and width:
        return rf"\d{{{int(width)},}}", "7".rjust(int(width), "0")
    return r"-?\d+", "7"


def has_placeholder(text: str) -> bool:
    """Say whether `text` holds a printf placeholder."""
    return _PLACEHOLDER.search(text) is not None


def date_clause(date_format: str, words: str, *, is_whole: bool) -> Clause:
    """Return the demand of a date in a named format such as `DD-MM-YYYY` or `Wkd DD Mon YYYY`."""
    pattern, example = _woven(date_format, _DATE_TOKEN, lambda token: _DATE_TOKENS[token[0].upper()])
    where = "only a date in the form" if is_whole else "a text with a date in the form"
    accepts = _matcher(re.compile(rf"(?<!\w){pattern}(?!\w)"), is_whole=is_whole)
    return Clause("date", f"{where} `{date_format}`", words, accepts, example, is_whole)


def _matcher(form: re.Pattern[str], *, is_whole: bool) -> Callable[[str], bool]:
    if is_whole:
        return lambda answer: form.fullmatch(answer.strip()) is not None
    return lambda answer: form.search(answer) is not None


def number_clause(words: str) -> Clause:
    """Return the demand of a number and nothing else."""
    return Clause("number", "a number and nothing else", words, _matcher(_NUMBER, is_whole=True), "7")


def token_clause(words: str) -> Clause:
    """Return the demand of one code or id and nothing else."""
    return Clause("token", "one code and nothing else", words, lambda answer: len(answer.split()) == 1, "AB-7")


def path_clause(words: str) -> Clause:
    """Return the demand of one absolute path and nothing else."""

    def accepts(answer: str) -> bool:
        text = answer.strip()
        return text.startswith("/") and "\n" not in text

    return Clause("path", "one absolute path and nothing else", words, accepts, "/a/b")


def line_clause(words: str) -> Clause:
    """Return the demand of one line that holds the value alone."""
    return Clause("value", "one line with the value alone", words, lambda a: "\n" not in a.strip(), "value")


def sorted_lines_clause(words: str, *, are_paths: bool) -> Clause:
    """Return the demand of one item per line in alphabetical order, by code points or case-insensitive.

    If paths are demanded, a single line that is no path may say that there are none.
    """

    def accepts(answer: str) -> bool:
        lines = [line.strip() for line in answer.strip().splitlines()]
        if any(not line for line in lines) or (are_paths and len(lines) > 1 and any(x[0] != "/" for x in lines)):
            return False
        return lines == sorted(lines) or lines == sorted(lines, key=str.casefold)

    what = "paths" if are_paths else "items"
    return Clause(
        "paths" if are_paths else "lines", f"{what}, one per line, sorted alphabetically", words, accepts, "/a\n/b"
    )


def columns_clause(columns: str, separator: str, words: str) -> Clause:
    """Return the demand of lines that have as many columns as `columns` names."""
    count = columns.count(separator)

    def accepts(answer: str) -> bool:
        return all(line.count(separator) == count for line in answer.strip("\r\n").splitlines())

    example = separator.join(["a"] * (count + 1))
    return Clause("columns", f"lines of the columns `{columns}`".replace("\t", "\\t"), words, accepts, example)


def json_clause(keys: tuple[str, ...], words: str) -> Clause:
    """Return the demand of one JSON value, or of an object with `keys` if some are named."""

    def accepts(answer: str) -> bool:
        try:
            value = json.loads(answer)
        except (ValueError, RecursionError):
            return False
        return not keys or (isinstance(value, dict) and all(key in value for key in keys))

    named = f" with the keys {', '.join(keys)}" if keys else ""
    return Clause("json", f"JSON{named} and nothing else", words, accepts, json.dumps(dict.fromkeys(keys, 7)))
