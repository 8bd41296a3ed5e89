"""The values that a text states: numbers with their units, dates, times, ids and codes, and quotations.

Formats are resolved (`1.199,00` and `1,199.00`, `18 April 2026` and `2026-04-18`); no sentence is read. Patterns run on
RE2, so time is linear in the text.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, TypeAlias

import re2

from gates.submission import encodable
from gates.terms import fold_text

Kind: TypeAlias = Literal["date", "time", "number", "id", "quotation"]
MAX_CHARS: Final = 20_000
"""Max characters of an answer in which values are looked for."""
MAX_VALUES: Final = 300
MAX_QUOTED_CHARS: Final = 300
MAX_DIGITS: Final = 30
"""Max characters of a number that are read: a float holds no number of 400 digits."""
_MONTHS: Final = (
    "january januar januari janvier enero gennaio janeiro stycznia styczen",
    "february februar februari fevrier febrero febbraio fevereiro lutego luty",
    "march marz mars marzo marco maart mrz maerz marca marzec",
    "april avril abril aprile kwietnia kwiecien",
    "may mai mayo maggio maio mei maja maj",
    "june juni juin junio giugno junho czerwca czerwiec",
    "july juli juillet julio luglio julho lipca lipiec",
    "august aout agosto augustus sierpnia sierpien",
    "september septembre septiembre settembre setembro wrzesnia wrzesien",
    "october oktober octobre octubre ottobre outubro pazdziernika pazdziernik",
    "november novembre noviembre novembro listopada listopad",
    "december dezember decembre diciembre dicembre dezembro grudnia grudzien",
)
_MONTH_OF: Final = {
    name[:size]: at
    for at, names in reversed([*enumerate(_MONTHS, 1)])
    for name in names.split()
    for size in range(3, len(name) + 1)
}
"""The months by their folded names and by the beginnings of these, from three letters on."""
_UNIT_TABLE: Final = """
    EUR € euro euros; USD $ dollar dollars; GBP £ pound pounds; CHF fr franken; JPY ¥ yen 円; CNY 元 yuan; KRW ₩ 원
    PLN zł; % percent prozent pct; °c celsius c ℃; °f f ℉; ms millisecond milliseconds millisekunden
    s sec second seconds sekunde sekunden secondes segundos 秒 초; min minute minutes minuten minutos 分 분
    h hour hours stunde stunden heure heures horas uur uren ore 時間 시간
    day days tag tage tagen jour jours día días dias dag dagen giorni dni 日間 天 일
    week weeks woche wochen semaine semaines semanas weken; month months monat monate monaten mois meses maanden
    个月 개월
    year years jahr jahre jahren an ans années año años jaar anni 年間
    km kilometer kilometern kilometers kilometre kilometres; m meter metern meters metre metres; cm; mm
    m² m2 qm sqm quadratmeter; m³ m3; l liter litre litres liters; hl; cl; ml; ha hectare hectares hektar
    kg kilo kilos kilogram kilograms kilogramm; g gram grams gramm; mg; t tonne tonnes tonnen; byte bytes b
    kb; mb megabyte megabytes; gb gigabyte gigabytes; tb; kib; mib; gib; p pence penny; ct cent cents
    hz; khz; mhz; ghz; w; kw; mw; kwh; mwh; gwh; v; bar; rpm
"""
_UNITS: Final = {
    spelling: names.split()[0]
    for names in _UNIT_TABLE.replace("\n", ";").split(";")
    for spelling in names.casefold().split()
}
_FAMILIES: Final = tuple(
    frozenset(names.split())
    for names in (
        "EUR USD GBP CHF JPY CNY KRW PLN p ct",
        "ms s min h day week month year",
        "km m cm mm",
        "l hl cl ml",
        "kg g mg t",
        "byte kb mb gb tb kib mib gib",
        "w kw mw",
        "kwh mwh gwh",
        "°c °f",
    )
)
_STEPS: Final = (
    *(("s", "ms", 1000), ("min", "s", 60), ("h", "min", 60), ("h", "s", 3600), ("day", "h", 24), ("week", "day", 7)),
    *(
        ("year", "month", 12),
        ("kg", "g", 1000),
        ("g", "mg", 1000),
        ("t", "kg", 1000),
        ("km", "m", 1000),
        ("m", "cm", 100),
    ),
    *(("cm", "mm", 10), ("m", "mm", 1000), ("l", "ml", 1000), ("l", "cl", 100), ("hl", "l", 100), ("ha", "m²", 10_000)),
    *(("GBP", "p", 100), ("EUR", "ct", 100), ("USD", "ct", 100), ("tb", "gb", 1000), ("gb", "mb", 1000)),
    *(("mb", "kb", 1000), ("kb", "byte", 1000), ("gb", "mb", 1024), ("mb", "kb", 1024), ("mw", "kw", 1000)),
    *(("kw", "w", 1000), ("mwh", "kwh", 1000), ("gwh", "mwh", 1000)),
)
"""Pairs of units, and how many of the second make one of the first."""
_SCALES: Final = {
    **dict.fromkeys(("k", "thousand", "tausend", "tsd", "tys", "mille", "mila", "mil"), 1e3),
    **dict.fromkeys(("million", "millions", "mio", "millionen", "mln", "mn", "millones"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn", "mrd", "milliarden", "milliards"), 1e9),
    "万": 1e4,
    "萬": 1e4,
    "만": 1e4,
    "億": 1e8,
    "亿": 1e8,
    "억": 1e8,
}
_N: Final = r"\p{Nd}"
_MONTH: Final = (
    "(" + "|".join(sorted({name[:3] for name in _MONTH_OF} | {"mär", "fév", "aoû", "déc", "paź"})) + r")(\pL*)"
)
_BLANK: Final = r"[ \x{a0}/-]"
_DATES: Final = tuple(
    re2.compile(f"(?i){pattern}")
    for pattern in (
        rf"({_N}{{4}})([-/.])({_N}{{1,2}})([-/.])({_N}{{1,2}})",
        rf"({_N}{{1,2}})([-/.])({_N}{{1,2}})([-/.])({_N}{{4}}|{_N}{{2}})",
        rf"({_N}{{1,2}})(?:\.|st|nd|rd|th|er|º)?{_BLANK}{{1,2}}(?:(?:of|de) )?{_MONTH}\.?"
        rf"(?:,?{_BLANK}(?:de )?({_N}{{4}}))?",
        rf"{_MONTH}\.? ({_N}{{1,2}})(?:st|nd|rd|th)?(?:,? ({_N}{{4}}))?",
        rf"{_MONTH}\.? (?:de )?({_N}{{4}})",
        rf"(?:({_N}{{4}}) ?[年년] ?)?({_N}{{1,2}}) ?[月월] ?({_N}{{1,2}}) ?[日일号]",
        rf"({_N}{{4}})-({_N}{{2}})",
    )
)
_TIMES: Final = (
    re2.compile(rf"(?i)({_N}{{1,2}})(?::| ?h ?)({_N}{{2}})(?::({_N}{{2}})(?:\.{_N}+)?)?(?:\s?([ap])\.?m\b\.?)?"),
    re2.compile(rf"(?i)({_N}{{1,2}})\.({_N}{{2}})()\s?(?:uhr|uur|([ap])\.?m\b\.?)"),
    re2.compile(rf"(?i)({_N}{{1,2}})()()\s?(?:uhr\b|uur\b|o['’]clock|([ap])\.?m\b\.?)"),
    re2.compile(rf"({_N}{{1,2}})[時时点시] ?(?:({_N}{{1,2}})[分분])?()()"),
)
_ADDRESS: Final = re2.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s<>()\[\]\"'`]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TELEPHONE: Final = re2.compile(rf"(?:\+|0){_N}{{1,5}}(?:[ /-]{{1,3}}{_N}{{2,}}){{1,5}}")
_TOKEN: Final = re2.compile(r"[\pL\pN]+(?:[-_./:][\pL\pN]+)*")
_NUMBER: Final = re2.compile(rf"{_N}{{1,3}}(?:[ ,.'’\x{{a0}}\x{{202f}}]{_N}{{3}})+(?:[.,]{_N}+)?|{_N}+(?:[.,]{_N}+)*")
_CLOSING: Final = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "`": "`"}
"""The marks that close a quotation, by the mark that opens it."""
_FENCE: Final = re2.compile(r"(?ms)^[ \t]*(?:```.*?(?:^[ \t]*```|\z)|~~~.*?(?:^[ \t]*~~~|\z))")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text."""

    kind: Kind
    key: str
    """The form that all formats of the value share: an ISO date, `HH:MM`, digits, a folded id or quotation."""
    text: str
    start: int = 0
    """The offset of `text` in what was searched."""
    unit: str = ""
    """The unit of a number, `code` for a quotation in back quotes; empty if there is none."""
    amounts: tuple[float, ...] = ()
    """What a number may mean, the likelier first: `1.199` is 1199 or 1.199."""
    step: float = 0.0
    """The place value of a number's last digit that is not a closing 0."""

    @property
    def end(self) -> int:
        """The offset behind the value."""
        return self.start + len(self.text)


def values_in(text: str, *, quotes: bool = True) -> tuple[Value, ...]:
    """Return the values of the first 20,000 characters of a text in their order, but those in code blocks."""
    left = _FENCE.sub(lambda fence: "\n" * len(fence[0]), encodable(text[:MAX_CHARS]))
    left = left if quotes else left.replace("_", " ")  # A column may be called `kegs_30l`.
    found: list[Value] = []
    passes = (_quotations, *_PASSES) if quotes else _PASSES
    for read in passes:
        values = sorted(islice(read(left), MAX_VALUES), key=lambda value: value.start)
        found += values
        parts, at = [], 0
        for value in values:
            parts += [left[at : value.start], "\x00" * len(value.text)]
            at = value.end
        left = "".join([*parts, left[at:]])
    return tuple(sorted(found, key=lambda value: value.start))


def _quotations(text: str) -> Iterator[Value]:
    for line_start, line in _lines_of(text):
        at = 0
        while at < len(line):
            ends = (line.find(mark, at + 1) for mark in _CLOSING.get(line[at], ""))
            end = min((end for end in ends if end > at + 2), default=-1)
            quoted = line[at + 1 : end].strip()
            if end > 0 and 1 < len(quoted) < MAX_QUOTED_CHARS:
                start = line.index(quoted, at)
                yield Value("quotation", bare_text(quoted), quoted, line_start + start, "code" * (line[at] == "`"))
                at = end
            at += 1


def _lines_of(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def bare_text(text: str) -> str:
    """Return a text folded and without blanks, the form in which quotations are compared."""
    return "".join(fold_text(text).replace("’", "'").split())


def dates_in(text: str) -> Iterator[Value]:
    """Yield the dates of a text; no two of them overlap."""
    taken: list[tuple[int, int]] = []
    for number, pattern in enumerate(_DATES):
        for match in pattern.finditer(text):
            start, end = match.span()
            is_apart = not _touches(text, start, end, ("-.", "-/.", "", "", "", "", "-/.")[number])
            if (
                is_apart
                and (key := _date_key(number, match))
                and not any(a < end and start < b for a, b in taken[-50:])
            ):
                taken.append((start, end))
                yield Value("date", key, match[0], start)


def _touches(text: str, start: int, end: int, marks: str = "") -> bool:
    """Say whether letters, digits, or marks between digits touch a span; scripts without blanks put none around it."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    if (before.isalnum() and before < "\u2e80" and before != "T") or (
        before in marks and before and text[start - 2 : start - 1].isdigit()
    ):
        return True
    is_time = behind in ("T", "Z")
    return (behind.isalnum() and behind < "\u2e80" and not is_time) or bool(
        behind and behind in marks and text[end + 1 : end + 2].isdigit()
    )


def _date_key(number: int, match: re2._Match) -> str:
    """Return the ISO form of a date: `--MM-DD` without a year, `YYYY-MM` without a day; empty if there is none."""
    parts = match.groups()
    if number in (0, 1):
        if parts[1] != parts[3]:
            return ""
        year, month, day = (parts[0], parts[2], parts[4]) if number == 0 else (parts[4], parts[2], parts[0])
        if len(year) == 2:
            if parts[1] == "-":
                return ""
            year = f"20{year}"
        if int(month) > 12 and number == 1:
            month, day = day, month
    elif number == 5:
        year, month, day = parts
    elif number == 6:
        year, month, day = parts[0], parts[1], ""
        return f"{year}-{month}" if 1 <= int(month) <= 12 and "1900" <= year < "2100" else ""
    else:
        first, rest, *others = parts if number != 2 else (parts[1], parts[2], parts[0], parts[3])
        name = fold_text(first + rest)
        month = str(_MONTH_OF.get(name, 0) or _MONTH_OF.get(name[:3], 0) * (len(name) < 5))
        day, year = (others[0], others[1]) if number != 4 else ("", others[0])
        if number == 4:
            return f"{year}-{int(month):02}" if month != "0" and "1900" <= year < "2100" else ""
        if not year and first + rest in ("may", "mag", "out", "set", "Out", "Set"):
            return ""  # `4 out of 12`, `1 may be closed`
    try:
        iso = date(int(year or 2000), int(month), int(day)).isoformat()
    except ValueError:
        return ""
    return iso if year else iso[4:].replace("-", "--", 1)


def times_in(text: str) -> Iterator[Value]:
    """Yield the times of a text; `unit` is `half` if the half of the day is told."""
    taken: list[tuple[int, int]] = []
    for pattern in _TIMES:
        for match in pattern.finditer(text):
            start, end = match.span()
            hour, minute, second, half = match.groups()
            is_clock = (
                int(hour) < 25 and int(minute or 0) < 60 and not any(a < end and start < b for a, b in taken[-50:])
            )
            before = text[start - 1 : start]
            is_apart = not ((before.isalnum() and before not in "T" and before < "\u2e80") or before in (":", "/"))
            if (
                is_clock
                and is_apart
                and not (text[end : end + 1].isalnum() and text[end : end + 1] not in "ZT" and text[end] < "\u2e80")
            ):
                taken.append((start, end))
                hours = int(hour) % 12 + 12 * (half in "pP") if half else int(hour) % 24
                key = f"{hours:02}:{int(minute or 0):02}" + (f":{second}" if second else "")
                yield Value("time", key, match[0], start, "half" if half else "")


def _addresses(text: str) -> Iterator[Value]:
    for match in _ADDRESS.finditer(text):
        shown = match[0].rstrip(".,;:!?")
        yield Value("id", fold_text(shown), shown, match.start())


def _telephones(text: str) -> Iterator[Value]:
    for match in _TELEPHONE.finditer(text):
        if not _touches(text, match.start(), match.end(), ".,"):
            yield Value("id", "".join(filter(str.isdigit, match[0])), match[0], match.start())


def _ids(text: str) -> Iterator[Value]:
    """Yield tokens of letters and digits, and numbers in several parts, such as versions and addresses."""
    for match in _TOKEN.finditer(text):
        token, start = match[0], match.start()
        base, colon, line = token.rpartition(":")
        if colon and line.isdigit() and "." in base:
            token = base  # The number of a line: `app.py:42`.
        if not any(map(str.isdigit, token)) or (len(token) > 1 and max(token) > "\u2e7f"):
            continue
        has_letters = any(map(str.isalpha, token))
        parts = token.replace("/", ".").replace("-", ".").replace(":", ".").split(".")
        if has_letters:
            if not _measure(token):
                yield Value("id", fold_text(token), token, start)
        elif (len(parts) > 2 and not _is_grouped(token)) or (len(parts) == 2 and "." not in token):
            yield Value("id", token, token, start)


def _measure(token: str) -> bool:
    """Say whether a token is a number with its unit, an ordinal or a factor: `90min`, `10-day`, `3rd`, `2x`."""
    digits = len(token) - len(token.lstrip("0123456789.,'-"))
    letters = token[digits:]
    return (
        bool(digits)
        and (letters.isalpha() or letters[:-1].isalpha())
        and (
            unit_of(letters) != ""
            or letters.casefold() in _SCALES
            or letters in ("st", "nd", "rd", "th", "er", "e", "x", "o")
            or (token[digits - 1] == "-" and letters.isalpha() and len(letters) > 2)
        )
    )


def _is_grouped(token: str) -> bool:
    first, *rest = token.split(".")
    return 0 < len(first) < 4 and all(len(part) == 3 for part in rest)


def numbers_in(text: str) -> Iterator[Value]:
    """Yield the numbers of a text with their units, each as it may be meant."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before, shown = text[start - 1 : start], match[0]
        is_line = before == ":" and text[start - 2 : start - 1].isalpha()
        if is_line or (before.isalpha() and before < "\u2e80"):
            continue
        scale, at = _scale_at(text, end)
        unit = _unit_before(text, start) or _unit_behind(text, at)
        amounts = tuple(amount * scale for amount in readings(shown))
        if scale == 1e3 and len(amounts) > 1:  # `47,315 thousand` groups, `47.315 thousand` does not.
            amounts = amounts[:1] if "," in shown else amounts[1:]
        if amounts:
            yield Value(
                "number",
                "".join(filter(str.isdigit, shown)).strip("0"),
                shown,
                start,
                unit,
                amounts,
                _step(shown) * scale,
            )


_PASSES: Final[tuple[Callable[[str], Iterator[Value]], ...]] = (
    _addresses,
    dates_in,
    times_in,
    _telephones,
    _ids,
    numbers_in,
)


def readings(number: str) -> tuple[float, ...]:
    """Return the amounts that a number may mean, the likelier first; none for what is no number."""
    digits = "".join(char for char in number[:MAX_DIGITS] if char.isdigit() or char in ".,")
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return (float(digits),)
    mark, whole, rest = digits[last], digits[:last], digits[last + 1 :]
    bare = whole.replace(".", "").replace(",", "")
    if mark in whole or (len(rest) == 3 and whole and not whole.startswith("0")):
        grouped = float(bare + rest)
        is_open = mark not in whole and len(rest) == 3 and len(whole) < 4
        return (grouped, float(f"{bare}.{rest}")) if is_open else (grouped,)
    return (float(f"{bare or 0}.{rest or 0}"),)


def _step(number: str) -> float:
    """Return the place value of the last digit, but for closing zeros of a whole number."""
    digits = "".join(char for char in number[:MAX_DIGITS] if char.isdigit() or char in ".,").replace(",", ".")
    rest = digits.rpartition(".")[2] if "." in digits else ""
    if rest and (len(rest) != 3 or digits.startswith("0.")):
        return float(10 ** -len(rest))
    whole = digits.replace(".", "")
    return float(10 ** (len(whole) - len(whole.rstrip("0"))))


def unit_of(spelling: str) -> str:
    """Return the name of a unit; empty for what is none."""
    return _UNITS.get(spelling.casefold().rstrip("."), "")


def _word_at(text: str, at: int) -> tuple[str, int]:
    """Return the word or sign that begins behind a blank or hyphen at an offset, and its end."""
    at += text[at : at + 1] in (" ", "\u00a0", "\u202f", "-") and text[at : at + 1] != ""
    end = at
    if text[at : at + 1] in ("%", "€", "$", "£", "¥", "℃", "℉"):
        return text[at], at + 1
    end += text[at : at + 1] == "°"
    while (
        end < len(text)
        and end - at < 14
        and (text[end].isalpha() or text[end] in "²³")
        and (text[at] > "\u2e7f") == (text[end] > "\u2e7f")
    ):
        end += 1
    end += text[end : end + 1] in ("2", "3") and text[at:end] in ("m", "km", "cm")
    return text[at:end], end


def _scale_at(text: str, end: int) -> tuple[float, int]:
    word, behind = _word_at(text, end)
    if word == "M":
        return 1e6, behind
    if word[:1] > "\u2e7f":
        word, behind = word[:1], behind - len(word) + 1
    return (_SCALES[word.casefold()], behind) if word.casefold() in _SCALES else (1.0, end)


def _unit_behind(text: str, at: int) -> str:
    word, _ = _word_at(text, at)
    if word[:1] > "\u2e7f":
        return next(filter(None, (unit_of(word[:size]) for size in (3, 2, 1))), "")
    return unit_of(word)


def _unit_before(text: str, start: int) -> str:
    head = text[max(start - 5, 0) : start].rstrip(" \u00a0-")
    word = head[-1:] if head[-1:] in ("€", "$", "£", "¥", "₩") else "" if head[-4:-3].isalpha() else head[-3:]
    unit = unit_of(word)
    return unit if unit in _FAMILIES[0] else ""


def units_named(text: str) -> frozenset[str]:
    """Return the units that words of a heading or a key name: of `revenue_eur`, EUR."""
    words = "".join(char if char.isalpha() or char in "%€$£¥°²³" else " " for char in text).split()
    return frozenset(
        filter(None, (unit_of(word) for word in words if len(word) > 1 or not word.isalpha() or word in "hskgtlmw"))
    )


def are_alike(unit: str, other: str) -> bool:
    """Say whether two units measure the same thing, so that one cannot stand for the other."""
    return any(unit in family and other in family for family in _FAMILIES)


def scaled_values(value: Value) -> Iterator[Value]:
    """Yield a number in the other units in which a text may state it, and a percentage as a share."""
    for large, small, count in _STEPS if value.unit else ():
        if value.unit in (large, small):
            by, unit = (float(count), small) if value.unit == large else (1 / count, large)
            yield replace(value, unit=unit, amounts=tuple(one * by for one in value.amounts), step=value.step * by)
    if value.unit == "%":
        yield replace(value, unit="", amounts=tuple(one / 100 for one in value.amounts), step=value.step / 100)


def is_same_date(value: Value, other: Value) -> bool:
    """Say whether two dates agree as far as both are told; `3/4/2026` may be in March or in April."""
    return any(
        one.startswith(two)
        or two.startswith(one)
        or (one[:2] == "--" and one[1:] == two[4:])
        or (two[:2] == "--" and two[1:] == one[4:])
        for one in _orders(value)
        for two in _orders(other)
    )


def _orders(value: Value) -> tuple[str, ...]:
    year, _, rest = value.key.partition("-")
    month, _, day = rest.partition("-")
    is_open = "/" in value.text and value.key[:1] != "-" and day and day <= "12"
    return (value.key, f"{year}-{day}-{month}") if is_open else (value.key,)


def is_same_time(value: Value, other: Value) -> bool:
    """Say whether two times agree as far as both are told; one of 12 hours may be in either half of the day."""
    size = min(len(value.key), len(other.key))
    if value.key[:size] == other.key[:size]:
        return True
    is_open = [one.unit != "half" and int(one.key[:2]) <= 12 for one in (value, other)]
    return (
        any(is_open) and value.key[2:size] == other.key[2:size] and (int(value.key[:2]) - int(other.key[:2])) % 12 == 0
    )


@lru_cache(maxsize=64)
def cached_values(text: str) -> tuple[Value, ...]:
    """Return the values of a text without its quotations."""
    return values_in(text, quotes=False)


_OPERATIONS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_MOST_NESTED: Final = 24


def folded_number(node: ast.AST, depth: int = 0) -> float | None:
    """Return the number that a literal, or an operation on literals, gives; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool) and abs(number) < 1e15:
            return float(number)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand) if depth < _MOST_NESTED:
            return folded_number(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS and depth < _MOST_NESTED:
            one, other = folded_number(left, depth + 1), folded_number(right, depth + 1)
            if one is not None and other is not None and (other or not isinstance(op, ast.Div)):
                return _OPERATIONS[type(op)](one, other)
    return None
