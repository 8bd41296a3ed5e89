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
from itertools import islice, product
from typing import Final, Literal, TypeAlias

import re2

from gates.submission import encodable
from gates.terms import fold_text

Kind: TypeAlias = Literal["date", "time", "number", "id", "quotation"]
MAX_VALUES: Final = 300
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
_QUANTITIES: Final = (
    "EUR € euro euros; USD $ dollar dollars; GBP £ pound pounds; CHF fr franken; JPY ¥ yen 円; CNY 元 yuan; KRW ₩ 원; "
    "PLN zł; p pence penny; ct cent cents",
    "ms=0.001 millisecond milliseconds millisekunden; s=1 sec second seconds sekunde sekunden secondes segundos 秒 초; "
    "min=60 minute minutes minuten minutos 分 분; "
    "h=3600 hour hours stunde stunden heure heures horas uur uren ore 時間 시간; "
    "day=86400 days tag tage tagen jour jours día días dias dag dagen giorni dni 日間 天 일; "
    "week=604800 weeks woche wochen semaine semaines semanas weken; "
    "month=2629800 months monat monate monaten mois meses maanden 个月 개월; "
    "year=31557600 years jahr jahre jahren an ans année années años año jaar anni 年間",
    "km=1000 kilometer kilometern kilometers kilometre kilometres; m=1 meter metern meters metre metres; cm=0.01; "
    "mm=0.001",
    "m²=1 m2 qm sqm quadratmeter; ha=10000 hectare hectares hektar",
    "l=1 liter litre litres liters; hl=100; cl=0.01; ml=0.001",
    "kg=1000 kilo kilos kilogram kilograms kilogramm; g=1 gram grams gramm; mg=0.001; t=1000000 tonne tonnes tonnen",
    "byte=1 bytes b; kb=1e3; mb=1e6 megabyte megabytes; gb=1e9 gigabyte gigabytes; tb=1e12; kib=1024; mib=1048576; gib",
    "w=1; kw=1e3; mw=1e6; gw=1e9",
    "kwh=1; mwh=1e3; gwh=1e6",
    "°c celsius c ℃; °f f ℉",
    *("% percent prozent pct", "m³ m3", "hz; khz; mhz; ghz", "v", "bar", "rpm"),
)
"""The units of each quantity with their spellings, and their size if one can be converted to another."""
_UNITS: Final[dict[str, str]] = {}
_SIZES: Final[dict[str, tuple[int, float]]] = {}
"""By unit, the number of its quantity and its size, 0 if it is not converted."""
for _number, _units in enumerate(_QUANTITIES):
    for _first, *_spellings in map(str.split, _units.split(";")):
        _name, _, _size = _first.partition("=")
        _SIZES[_name] = (_number, float(_size or 0))
        _UNITS.update(dict.fromkeys(map(str.casefold, (_name, *_spellings)), _name))
_SCALES: Final = {
    **dict.fromkeys(("k", "thousand", "tausend", "tsd", "tys", "mille", "mila", "mil", "千"), 1e3),
    **dict.fromkeys(("M", "million", "millions", "mio", "millionen", "mln", "mn", "millones"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn", "mrd", "milliarden", "milliards"), 1e9),
    **dict.fromkeys(("万", "萬", "만"), 1e4),
    **dict.fromkeys(("億", "亿", "억"), 1e8),
}
_CLOSE_SCRIPTS: Final = "\u2e7f"
"""The last character before the scripts that put no blanks between words."""
_N: Final = r"\p{Nd}"
_MONTH: Final = (
    "(?P<name>(?:"
    + "|".join(sorted({name[:3] for name in _MONTH_OF} | {"mär", "fév", "aoû", "déc", "paź"}))
    + r")\pL*)"
)
_BLANK: Final = r"[ \x{a0}/-]"
_DATES: Final = (
    ("-.", rf"(?P<y>{_N}{{4}})(?P<s>[-/.])(?P<m>{_N}{{1,2}})(?P<t>[-/.])(?P<d>{_N}{{1,2}})"),
    ("-/.", rf"(?P<d>{_N}{{1,2}})(?P<s>[-/.])(?P<m>{_N}{{1,2}})(?P<t>[-/.])(?P<y>{_N}{{4}}|{_N}{{2}})"),
    (
        "",
        rf"(?P<d>{_N}{{1,2}})(?:\.|st|nd|rd|th|er|º)?{_BLANK}{{1,2}}(?:(?:of|de) )?{_MONTH}\.?"
        rf"(?:,?{_BLANK}(?:de )?(?P<y>{_N}{{4}}))?",
    ),
    ("", rf"{_MONTH}\.? (?P<d>{_N}{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>{_N}{{4}}))?"),
    ("", rf"{_MONTH}\.? (?:de )?(?P<y>{_N}{{4}})"),
    ("", rf"(?:(?P<y>{_N}{{4}}) ?[年년] ?)?(?P<m>{_N}{{1,2}}) ?[月월] ?(?P<d>{_N}{{1,2}}) ?[日일号]"),
    ("-/.", rf"(?P<y>{_N}{{4}})-(?P<m>{_N}{{2}})"),
)
_TIMES: Final = (
    (
        ":",
        rf"(?P<h>{_N}{{1,2}})(?::| ?h ?)(?P<m>{_N}{{2}})(?::(?P<s>{_N}{{2}})(?:\.{_N}+)?)?"
        r"(?:\s?(?P<half>[ap])\.?m\b\.?)?",
    ),
    (":", rf"(?P<h>{_N}{{1,2}})\.(?P<m>{_N}{{2}})\s?(?:uhr|uur|(?P<half>[ap])\.?m\b\.?)"),
    (":", rf"(?P<h>{_N}{{1,2}})\s?(?:uhr\b|uur\b|o['’]clock|(?P<half>[ap])\.?m\b\.?)"),
    (":", rf"(?P<h>{_N}{{1,2}})[時时点시] ?(?:(?P<m>{_N}{{1,2}})[分분])?"),
)
_ADDRESS: Final = r"[a-z][a-z0-9+.-]*://[^\s<>()\[\]\"'`]*[^\s<>()\[\]\"'`.,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_TELEPHONE: Final = rf"(?:\+|0){_N}{{1,5}}(?:[ /-]{{1,3}}{_N}{{2,}}){{1,5}}"
_TOKEN: Final = re2.compile(r"[\pL\pN]+(?:[-_./:][\pL\pN]+)*")
_GROUPED: Final = re2.compile(rf"{_N}{{1,3}}(?:\.{_N}{{3}})+")
_MEASURE: Final = re2.compile(rf"[{_N}.,'-]*({_N}|-)(\pL+[23²³]?)")
_NUMBER: Final = re2.compile(rf"{_N}{{1,3}}(?:[ '’\x{{a0}}\x{{202f}}]{_N}{{3}})+(?:[.,]{_N}+)?|{_N}+(?:[.,]{_N}+)*")
_WORD_BEHIND: Final = re2.compile(
    r"[ \x{a0}\x{202f}-]?(\p{Sc}|[%℃℉]|[km]m[23]|°?[\p{Latin}]{1,14}[²³]?|m[23]|\pL{0,3})"
)
_WORD_BEFORE: Final = re2.compile(r"(?:^|\PL)(\pL{2,3})[ \x{a0}-]?$|(\p{Sc})[ \x{a0}-]?$")
_QUOTATION: Final = re2.compile(
    "|".join(
        rf"{mark}([^\n{end}]+)[{end}]" for mark, end in zip('"“„«「『', ('"', "”", "“”", "»", "」", "』"), strict=True)
    )
    + r"|`(?P<code>[^\n`]+)`"
)
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
    """The unit of a number, `code` for a quotation in back quotes, `half` for a time that tells the half of its day."""
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
    # Max characters of an answer in which values are looked for.
    left = _FENCE.sub(lambda fence: "\n" * len(fence[0]), encodable(text[:20_000]))
    left = left if quotes else left.replace("_", " ")  # A column may be called `kegs_30l`.
    found: list[Value] = []
    for read in (_quotations, *_PASSES) if quotes else _PASSES:
        values = sorted(islice(read(left), MAX_VALUES), key=lambda value: value.start)
        found += values
        parts, at = [], 0
        for value in values:
            parts += [left[at : value.start], "\x00" * len(value.text)]
            at = value.end
        left = "".join([*parts, left[at:]])
    return tuple(sorted(found, key=lambda value: value.start))


def _quotations(text: str) -> Iterator[Value]:
    for match in _QUOTATION.finditer(text):
        quoted = match[0][1:-1].strip()
        if 1 < len(quoted) < 300:
            start = text.index(quoted, match.start())
            yield Value("quotation", bare_text(quoted), quoted, start, "code" * (match["code"] is not None))


def bare_text(text: str) -> str:
    """Return a text folded and without blanks, the form in which quotations are compared."""
    return "".join(fold_text(text).replace("’", "'").split())


def _reader(
    kind: Kind, patterns: tuple[tuple[str, str], ...], key_of: Callable[[re2._Match], str]
) -> Callable[[str], Iterator[Value]]:
    """Return a function that yields the values of a text that one of the patterns matches and that have a key; no two
    overlap. No letter or digit touches a value, nor do the pattern's marks if a digit is on their other side."""
    compiled = [(marks, re2.compile(f"(?i){pattern}")) for marks, pattern in patterns]

    def read(text: str) -> Iterator[Value]:
        taken: list[tuple[int, int]] = []
        for marks, pattern in compiled:
            for match in pattern.finditer(text):
                start, end = match.span()
                is_apart = not _touches(text, start, end, marks)
                if is_apart and not any(a < end and start < b for a, b in taken[-50:]) and (key := key_of(match)):
                    taken.append((start, end))
                    has_half = kind == "time" and match.groupdict().get("half")
                    yield Value(kind, key, match[0], start, "half" if has_half else "")

    return read


def _touches(text: str, start: int, end: int, marks: str) -> bool:
    before, behind = text[start - 1 : start], text[end : end + 1]
    if _is_joined(before, "T") or _is_joined(behind, "TZ"):
        return True
    is_joined_before = before != "" and before in marks and text[start - 2 : start - 1].isdigit()
    return is_joined_before or (behind != "" and behind in marks and text[end + 1 : end + 2].isdigit())


def _is_joined(char: str, but: str) -> bool:
    """Say whether a letter or digit joins the word beside it: scripts without blanks join none."""
    return char.isalnum() and char <= _CLOSE_SCRIPTS and char not in but


def _date_key(match: re2._Match) -> str:
    """Return the ISO form of a date: `--MM-DD` without a year, `YYYY-MM` without a day; empty if there is none."""
    part = match.groupdict()
    year, month, day, name = (part.get(group) or "" for group in ("y", "m", "d", "name"))
    if part.get("s") != part.get("t") or (len(year) == 2 and part["s"] == "-"):
        return ""
    if name:
        folded = fold_text(name)
        month = str(_MONTH_OF.get(folded, 0) or _MONTH_OF.get(folded[:3], 0) * (len(folded) < 5))
        if not year and name in ("may", "mag", "out", "set", "Out", "Set"):
            return ""  # `4 out of 12`, `1 may be closed`
    year = f"20{year}" if len(year) == 2 else year
    month, day = (day, month) if int(month) > 12 and not match[0].startswith(year) else (month, day)
    if not day:
        return f"{year}-{int(month):02}" if 1 <= int(month) <= 12 and "1900" <= year < "2100" else ""
    try:
        iso = date(int(year or 2000), int(month), int(day)).isoformat()
    except ValueError:
        return ""
    return iso if year else iso[4:].replace("-", "--", 1)


def _time_key(match: re2._Match) -> str:
    part = match.groupdict()
    hour, minute, half = int(part["h"]), int(part.get("m") or 0), part.get("half")
    if hour > 24 or minute > 59:
        return ""
    hour = hour % 12 + 12 * (half in "pP") if half else hour % 24
    return f"{hour:02}:{minute:02}" + (f":{part['s']}" if part.get("s") else "")


def _ids(text: str) -> Iterator[Value]:
    """Yield tokens of letters and digits, and numbers in several parts, such as versions and addresses."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        base, colon, line = token.rpartition(":")
        if colon and line.isdigit() and "." in base:
            token = base  # The number of a line: `app.py:42`.
        if not any(map(str.isdigit, token)) or (len(token) > 1 and max(token) > _CLOSE_SCRIPTS):
            continue
        parts = token.replace("/", ".").replace("-", ".").replace(":", ".").split(".")
        if any(map(str.isalpha, token)):
            is_id = not _is_measure(token)
        else:
            is_id = len(parts) > 1 and not (_GROUPED.fullmatch(token) or (len(parts) == 2 and "." in token))
        if is_id:
            yield Value("id", fold_text(token), token, match.start())


def _is_measure(token: str) -> bool:
    """Say whether a token is a number with its unit, an ordinal or a factor: `90min`, `10-day`, `3rd`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    is_known = unit_of(match[2]) or match[2].casefold() in (*_SCALES, "st", "nd", "rd", "th", "er", "e", "x", "o")
    return bool(is_known) or (match[1] == "-" and len(match[2]) > 2)


def numbers_in(text: str) -> Iterator[Value]:
    """Yield the numbers of a text with their units, each as it may be meant."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        before, shown = text[start - 1 : start], match[0]
        if (before == ":" and text[start - 2 : start - 1].isalpha()) or _is_joined(before, "") * before.isalpha():
            continue
        scale, unit = _scale_and_unit(text[end : end + 40])
        amounts = tuple(amount * scale for amount in readings(shown))
        if scale == 1e3 and len(amounts) > 1:  # `47,315 thousand` groups, `47.315 thousand` does not.
            amounts = amounts[:1] if "," in shown else amounts[1:]
        if amounts:
            digits = "".join(filter(str.isdigit, shown)).strip("0")
            unit = _unit_before(text[max(start - 5, 0) : start]) or unit
            yield Value("number", digits, shown, start, unit, amounts, _step(shown) * scale)


def _scale_and_unit(behind: str) -> tuple[float, str]:
    """Return the scale and the unit that a text begins with, behind a number."""
    match = _WORD_BEHIND.match(behind)
    word = match[1] if match else ""
    spelling = word[:1] if word > _CLOSE_SCRIPTS or word == "M" else word.casefold()
    if match is None or spelling not in _SCALES:
        return 1.0, unit_of(word)
    following = _WORD_BEHIND.match(behind[match.start(1) + len(spelling) :])
    return _SCALES[spelling], unit_of(following[1]) if following else ""


def _unit_before(before: str) -> str:
    """Return the currency with which a text ends."""
    match = _WORD_BEFORE.search(before)
    unit = unit_of(match[1] or match[2]) if match else ""
    return unit if are_alike(unit, "EUR") else ""


_PASSES: Final[tuple[Callable[[str], Iterator[Value]], ...]] = (
    _reader("id", (("", _ADDRESS),), lambda match: fold_text(match[0])),
    dates_in := _reader("date", _DATES, _date_key),
    times_in := _reader("time", _TIMES, _time_key),
    _reader("id", ((".,", _TELEPHONE),), lambda match: "".join(filter(str.isdigit, match[0]))),
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
    """Return the name of a unit; empty for what is none. In scripts without blanks, the longest one that begins it."""
    folded = spelling.casefold().rstrip(".")
    forms = (folded[:size] for size in (3, 2, 1)) if folded > _CLOSE_SCRIPTS else (folded,)
    return next((_UNITS[form] for form in forms if form in _UNITS), "")


def units_named(text: str) -> frozenset[str]:
    """Return the units that words of a heading or a key name: of `revenue_eur`, EUR."""
    words = "".join(char if char.isalpha() or char in "%€$£¥°²³" else " " for char in text).split()
    return frozenset(
        filter(None, (unit_of(word) for word in words if len(word) > 1 or not word.isalpha() or word in "hskgtlmw"))
    )


def are_alike(unit: str, other: str) -> bool:
    """Say whether two units measure the same thing, so that one cannot stand for the other."""
    return unit in _SIZES and other in _SIZES and _SIZES[unit][0] == _SIZES[other][0]


def ratio(unit: str, other: str) -> float:
    """Return how many of the other unit make one of the first; 0 if one is not converted to the other."""
    size, of_other = _SIZES.get(unit, (0, 0.0))[1], _SIZES.get(other, (0, 0.0))[1]
    return size / of_other if are_alike(unit, other) and of_other else 0.0


def scaled_values(value: Value) -> Iterator[Value]:
    """Yield a number in the other units in which a text may state it, and a percentage as a share."""
    # A text states lengths in metres that an answer states in kilometres, not in millimetres.
    others = [
        (unit, by) for unit in _SIZES if unit != value.unit and 1 / 3600 <= (by := ratio(value.unit, unit)) <= 3600
    ]
    for unit, by in [*others, ("", 0.01)] if value.unit == "%" else others:
        yield replace(value, unit=unit, amounts=tuple(one * by for one in value.amounts), step=value.step * by)


def is_same_moment(value: Value, other: Value) -> bool:
    """Say whether two dates, or two times, agree as far as both are told: `3/4/2026` may be in March or in April, and
    `3:00` in either half of the day."""
    if value.kind != other.kind:
        return False
    keys, of_other = _keys_of(value), _keys_of(other)
    return any(
        one in (two, two[:7], f"--{two[5:]}") if value.kind == "date" else one == two[: len(one)]
        for pair in ((keys, of_other), (of_other, keys))
        for one, two in product(*pair)
    )


def _keys_of(value: Value) -> tuple[str, ...]:
    """Return the keys that a date or time may have."""
    if value.kind == "time":
        hour = int(value.key[:2])
        other, is_open = f"{(hour + 12) % 24:02}{value.key[2:]}", value.unit != "half" and hour <= 12
    else:
        year, month, day = value.key[:4], value.key[5:7], value.key[8:]
        other, is_open = f"{year}-{day}-{month}", "/" in value.text and value.key[0] != "-" and "" < day <= "12"
    return (value.key, other) if is_open else (value.key,)


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
