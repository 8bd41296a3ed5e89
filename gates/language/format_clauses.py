"""The demands that an instruction can make on an answer's form: templates, numbers, dates, lines, columns, JSON."""

from __future__ import annotations

import json
import re
import unicodedata
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
    spans: tuple[tuple[int, int], ...] = ()
    """Where the understood words begin and end in the normalized text; empty if they stand in the rules."""


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


def line_clause(words: str, *, is_computed: bool = False) -> Clause:
    """Return the demand of one line that holds the value alone; a computed value stands in no record."""
    kind = "line" if is_computed else "value"
    return Clause(kind, "one line with the value alone", words, lambda a: "\n" not in a.strip(), "value")


def integer_clause(words: str) -> Clause:
    """Return the demand of a whole number and nothing else; thousands may be separated."""
    form = re.compile(r"[-+]?\d+(?:[., '\u2019]\d{3})*")
    return Clause("number", "a whole number and nothing else", words, _matcher(form, is_whole=True), "7")


def decimals_clause(decimals: int, words: str) -> Clause:
    """Return the demand of a number with this many decimals and nothing else."""
    form = re.compile(rf"[-+]?\d+(?:[., '\u2019]\d{{3}})*[.,]\d{{{decimals}}}")
    demand = f"a number with {decimals} decimals and nothing else"
    return Clause("number", demand, words, _matcher(form, is_whole=True), "7." + "0" * decimals)


_SIGNS: Final = {
    "EUR": "EUR|€|euros?",
    "USD": r"USD|US\$|\$|dollars?",
    "GBP": "GBP|£|pounds?",
    "CHF": "CHF|Fr\\.?|francs?",
}
CURRENCIES: Final = {
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "€": "EUR", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "chf": "CHF", "franken": "CHF", "francs": "CHF",
}  # fmt: skip
"""How an instruction writes a currency, in lower case, to its code."""


def amount_clause(currency: str, decimals: int, words: str, *, is_whole: bool) -> Clause:
    """Return the demand of an amount with this many decimals; the currency may stand before or behind it, or be left
    out."""
    number = rf"[-+]?\d+(?:[., '\u2019]\d{{3}})*[.,]\d{{{decimals}}}(?![.,]?\d)"
    sign = f"(?:{_SIGNS[currency]})"
    form = re.compile(rf"(?:{sign} ?)?{number}(?: ?{sign})?" if is_whole else rf"(?<![\d.,]){number}", re.IGNORECASE)
    what = "only an amount" if is_whole else "a text with an amount"
    demand = f"{what} in {currency} with {decimals} decimals"
    return Clause("amount", demand, words, _matcher(form, is_whole=is_whole), "7." + "0" * decimals, is_whole)


def choice_clause(choices: tuple[str, ...], words: str, *, is_whole: bool) -> Clause:
    """Return the demand of exactly one of some literal words."""

    def accepts(answer: str) -> bool:
        if is_whole:
            return answer.strip() in choices
        return sum(_stands_alone(each, choices, answer) for each in choices) == 1

    named = ", ".join(f"`{each}`" for each in choices)
    demand = f"exactly one of {named}" if is_whole else f"a text with exactly one of {named}"
    return Clause("choice", demand, words, accepts, choices[0], is_whole)


def _stands_alone(choice: str, choices: tuple[str, ...], answer: str) -> bool:
    for longer in choices:
        if longer != choice and choice in longer:
            answer = answer.replace(longer, " ")
    return re.search(rf"(?<![^\W_]){re.escape(choice)}(?![^\W_])", answer) is not None


def word_clause(words: str) -> Clause:
    """Return the demand of one word and nothing else."""
    return Clause("word", "one word and nothing else", words, lambda answer: len(answer.split()) == 1, "value")


def lines_clause(words: str, *, of: str, is_sorted: bool) -> Clause:
    """Return the demand of one item per line: `of` is "paths", "codes" or "items".

    A single line that is no path, or no code, may say that there are none. Any usual alphabetical order will do.
    """

    def accepts(answer: str) -> bool:
        lines = [line.strip() for line in answer.strip().splitlines()]
        if any(not line for line in lines):
            return False
        if len(lines) > 1 and not all(_is_item(line, of) for line in lines):
            return False
        return not is_sorted or _is_sorted(lines)

    order = ", sorted alphabetically" if is_sorted else ""
    example = "/a\n/b" if of == "paths" else "AB-7\nAB-8"
    return Clause("paths" if of == "paths" else "lines", f"{of}, one per line{order}", words, accepts, example)


def list_clause(separator: str, words: str, *, of: str, is_sorted: bool) -> Clause:
    """Return the demand of items on one line, with `separator` between them: `of` is "codes" or "items"."""

    def accepts(answer: str) -> bool:
        items = [item.strip() for item in answer.strip().split(separator)]
        if "\n" in answer.strip() or (len(items) > 1 and not all(_is_item(item, of) for item in items)):
            return False
        return not is_sorted or _is_sorted(items)

    order = ", sorted alphabetically" if is_sorted else ""
    demand = f"{of} on one line, separated by `{separator}`{order}, and nothing else"
    return Clause("list", demand, words, accepts, f"AB-7{separator} AB-8")


def _is_item(item: str, of: str) -> bool:
    if of == "paths":
        return item.startswith("/")
    return bool(item) and (of == "items" or len(item.split()) == 1)


def _is_sorted(items: list[str]) -> bool:
    """Say whether items stand in alphabetical order: by code points, in any case, without accents, or by numbers."""
    return any(items == sorted(items, key=order) for order in (str, str.casefold, _without_accents, _by_numbers))


def _without_accents(item: str) -> str:
    marks = unicodedata.normalize("NFKD", item.casefold())
    return "".join(sign for sign in marks if not unicodedata.combining(sign))


def _by_numbers(item: str) -> list[tuple[bool, int, str]]:
    """Return the key of the order in which `x9` stands before `x10`."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", item.casefold())
    return [(not part[0].isdecimal(), int(part) if "0" <= part[0] <= "9" else 0, part) for part in parts]


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
