"""The values that a text states: numbers with their units, dates, times, ids and codes, and quotations.

Formats are resolved (`1.199,00` and `1,199.00`, `18 April 2026` and `2026-04-18`); no sentence is read. Arithmetic that
a text spells out is done again: `a op b = c`, `x of y, i.e. z %`, `from a to b, a loss of d`. Patterns run on RE2, so
time is linear in the text.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice, pairwise, product
from typing import Any, Final, Literal, TypeAlias

import re2

from controlplane.gates.submission import encodable
from controlplane.gates.terms import fold_text, parts_of
from controlplane.sandbox.interface import bounds

Kind: TypeAlias = Literal["date", "time", "number", "id", "quotation"]
UNQUOTED: Final[tuple[Kind, ...]] = ("id", "date", "time", "number")
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
    "byte=1 bytes b; kb=1e3; mb=1e6 megabyte megabytes; gb=1e9 gigabyte gigabytes; tb=1e12; "
    "kib=1024 ki; mib=1048576 mi; gib=1073741824 gi",
    "w=1; kw=1e3; mw=1e6; gw=1e9",
    "kwh=1; mwh=1e3; gwh=1e6",
    "°c celsius c ℃; °f f ℉",
    *("% percent prozent pct", "m³ m3", "hz; khz; mhz; ghz", "v", "bar", "rpm"),
)
"""The units of each quantity with their spellings, and their size if one can be converted to another."""
_UNITS: Final[dict[str, str]] = {}
_SIZES: Final[dict[str, tuple[int, float]]] = {}
"""By unit, the number of its quantity and its size, 0 if it is not converted."""
for _quantity, _units in enumerate(_QUANTITIES):
    for _first, *_spellings in map(str.split, _units.split(";")):
        _name, _, _size = _first.partition("=")
        _SIZES[_name] = (_quantity, float(_size or 0))
        _UNITS.update(dict.fromkeys(map(str.casefold, (_name, *_spellings)), _name))
_SCALES: Final = {
    **dict.fromkeys(
        ("k", "thousand", "thousands", "tausend", "tsd", "tys", "mille", "mila", "mil", "千"), 1e3
    ),
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
    (
        "-/.",
        rf"(?P<d>{_N}{{1,2}})(?P<s>[-/.])(?P<m>{_N}{{1,2}})(?P<t>[-/.])(?P<y>{_N}{{4}}|{_N}{{2}})",
    ),
    (
        "",
        rf"(?P<d>{_N}{{1,2}})(?:\.|st|nd|rd|th|er|º)?{_BLANK}{{1,2}}(?:(?:of|de) )?{_MONTH}\.?"
        rf"(?:,?{_BLANK}(?:de )?(?P<y>{_N}{{4}}))?",
    ),
    ("", rf"{_MONTH}\.? (?P<d>{_N}{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>{_N}{{4}}))?"),
    ("", rf"{_MONTH}\.? (?:de )?(?P<y>{_N}{{4}})"),
    (
        "",
        rf"(?:(?P<y>{_N}{{4}}) ?[年년] ?)?(?P<m>{_N}{{1,2}}) ?[月월] ?(?P<d>{_N}{{1,2}}) ?[日일号]",
    ),
    ("-/.", rf"(?P<y>{_N}{{4}})-(?P<m>{_N}{{2}})"),
)
_TIMES: Final = (
    rf"(?P<h>{_N}{{1,2}})(?::| ?h ?)(?P<m>{_N}{{2}})(?::(?P<s>{_N}{{2}})(?:\.{_N}+)?)?(?:\s?(?P<half>[ap])\.?m\b\.?)?",
    rf"(?P<h>{_N}{{1,2}})\.(?P<m>{_N}{{2}})\s?(?:uhr|uur|(?P<half>[ap])\.?m\b\.?)",
    rf"(?P<h>{_N}{{1,2}})\s?(?:uhr\b|uur\b|o['’]clock|(?P<half>[ap])\.?m\b\.?)",
    rf"(?P<h>{_N}{{1,2}})[時时点시] ?(?:(?P<m>{_N}{{1,2}})[分분])?",
)
_ADDRESS: Final = (
    r"[a-z][a-z0-9+.-]*://[^\s<>()\[\]\"'`]*[^\s<>()\[\]\"'`.,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_TELEPHONE: Final = rf"(?:\+|0){_N}{{1,5}}(?:[ /-]{{1,3}}{_N}{{2,}}){{1,5}}"
_GROUPED: Final = re2.compile(rf"{_N}{{1,3}}(?:\.{_N}{{3}})+")
_MEASURE: Final = re2.compile(rf"[{_N}.,'-]*({_N}|-)(\pL+[23²³]?)")
_NUMBER: Final = (
    rf"{_N}{{1,3}}(?:[ '’\x{{a0}}\x{{202f}}]{_N}{{3}})+\b(?:[.,]{_N}+)?|{_N}+(?:[.,]{_N}+)*"
)
_WORD_BEHIND: Final = re2.compile(
    r"[ \x{a0}\x{202f}-]?(\p{Sc}|[%℃℉]|[km]m[23]|°?[\p{Latin}]{1,14}[²³]?|m[23]|\pL{0,3})"
)
_WORD_BEFORE: Final = re2.compile(r"(?:^|\PL)(\pL{2,3})[ \x{a0}-]?$|(\p{Sc})[ \x{a0}-]?$")
_QUOTATION: Final = "|".join(
    rf"{mark}[^\n{end}]+[{end}]"
    for mark, end in zip('"“„«「『`', ('"', "”", "“”", "»", "」", "』", "`"), strict=True)
)
_FENCE: Final = re2.compile(r"(?ms)^[ \t]*(?:```.*?(?:^[ \t]*```|\z)|~~~.*?(?:^[ \t]*~~~|\z))")


Moment: TypeAlias = tuple[int | None, int, int | None]
"""Year, month and day, or hour, minute and second; None for what is not told."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text."""

    kind: Kind
    text: str
    start: int = 0
    """The offset of `text` in what was searched."""
    unit: str = ""
    """The unit of a number, `code` for a quotation in back quotes."""
    amounts: tuple[float, ...] = ()
    """What a number may mean, the likelier first: `1.199` is 1199 or 1.199."""
    step: float = 0.0
    """The place value of a number's last digit that is not a closing 0."""
    scale: float = 1.0
    """What the word behind a number multiplies it by: 1000 for `47 thousand`."""
    moments: tuple[Moment, ...] = ()
    """What a date or time may mean, the likelier first: `3/4/2026` is in March or in April, `3:00` in either half of
    the day."""

    @property
    def end(self) -> int:
        """The offset behind the value."""
        return self.start + len(self.text)


def values_in(text: str) -> list[Value]:
    """Return the values of the first 20,000 characters of an answer in their order, but those in code blocks."""
    return read_values(
        _FENCE.sub(
            lambda fence: "\n" * len(fence[0]), encodable(text[: bounds.MOST_COMPARED_CHARS])
        )
    )


def read_values(
    text: str,
    kinds: Collection[Kind] = ("quotation", *UNQUOTED),
    most: int = bounds.MOST_READ_VALUES,
) -> list[Value]:
    """Return the values of these kinds in their order, at most `most` of each form.

    Form by form is looked for; what one has found is hidden from the next.
    """
    found: list[Value] = []
    for kind, marks, pattern, read in _FORMS:
        if kind in kinds:
            matches = (match for match in pattern.finditer(text) if not _touches(match, marks))
            parts, at = [], 0
            for value in islice(filter(None, map(read, matches)), most):
                found.append(value)
                parts += [text[at : value.start], "\x00" * len(value.text)]
                at = value.end
            text = "".join([*parts, text[at:]])
    return sorted(found, key=lambda value: value.start)


def _touches(match: re2._Match, marks: str | None) -> bool:
    """Say whether a letter or digit touches a match, or one of the marks that has a digit on its other side."""
    if marks is None:
        return False
    text, (start, end) = match.string, match.span()
    before, behind = text[max(start - 1, 0) : start], text[end : end + 1]
    if _is_joined(before, "T") or _is_joined(behind, "TZ"):
        return True
    is_joined_before = before != "" and before in marks and text[start - 2 : start - 1].isdigit()
    return is_joined_before or (
        behind != "" and behind in marks and text[end + 1 : end + 2].isdigit()
    )


def _is_joined(char: str, but: str) -> bool:
    """Say whether a letter or digit joins the word beside it: scripts without blanks join none."""
    return char.isalnum() and char <= _CLOSE_SCRIPTS and char not in but


def bare_text(text: str) -> str:
    """Return a text folded and without blanks, the form in which quotations are compared."""
    return "".join(fold_text(text).replace("’", "'").split())


def _quotation(match: re2._Match) -> Value | None:
    quoted = match[0][1:-1].strip()
    start = match.string.index(quoted, match.start())
    return (
        Value("quotation", quoted, start, "code" * (match[0][0] == "`"))
        if 1 < len(quoted) < 300
        else None
    )


def _date(match: re2._Match) -> Value | None:
    part = match.groupdict()
    year, month, day, name = (part.get(group) or "" for group in ("y", "m", "d", "name"))
    if part.get("s") != part.get("t") or (len(year) == 2 and part["s"] == "-"):
        return None
    if name:
        folded = fold_text(name)
        month = str(_MONTH_OF.get(folded, 0) or _MONTH_OF.get(folded[:3], 0) * (len(folded) < 5))
        if not year and name in ("may", "mag", "out", "set", "Out", "Set"):
            return None  # `4 out of 12`, `1 may be closed`
    year = f"20{year}" if len(year) == 2 else year
    month, day = (day, month) if int(month) > 12 and not match[0].startswith(year) else (month, day)
    told = (int(year) if year else None, int(month), int(day) if day else None)
    try:
        date(told[0] or 2000, told[1], told[2] or 1)
    except ValueError:
        return None
    if told[2] is None and not "1900" <= year < "2100":
        return None
    is_open = "/" in match[0] and not name and year and "" < day <= "12"
    moments = (told, (told[0], int(day), int(month))) if is_open else (told,)
    return Value("date", match[0], match.start(), moments=moments)


def _time(match: re2._Match) -> Value | None:
    part = match.groupdict()
    hour, minute, half = int(part["h"]), int(part.get("m") or 0), part.get("half")
    if hour > 24 or minute > 59:
        return None
    second = int(part["s"]) if part.get("s") else None
    hours = (
        (hour % 12 + 12 * (half in "pP"),)
        if half
        else (hour % 24, (hour + 12) % 24)[: 1 + (hour <= 12)]
    )
    return Value(
        "time", match[0], match.start(), moments=tuple((each, minute, second) for each in hours)
    )


def is_same_moment(value: Value, other: Value) -> bool:
    """Say whether two dates, or two times, agree in all parts that both tell, and in two at least."""
    pairs = product(value.moments, other.moments) if value.kind == other.kind else ()
    both = (
        [one == two for one, two in zip(*pair, strict=True) if None not in (one, two)]
        for pair in pairs
    )
    return any(len(agree) > 1 and all(agree) for agree in both)


def _whole(match: re2._Match) -> Value:
    return Value("id", match[0], match.start())


def _id(match: re2._Match) -> Value | None:
    """Return a token of letters and digits, or a number in several parts, such as a version or an address."""
    token = match[0]
    base, colon, line = token.rpartition(":")
    if colon and line.isdigit() and "." in base:
        token = base  # The number of a line: `app.py:42`.
    if not any(map(str.isdigit, token)) or (len(token) > 1 and max(token) > _CLOSE_SCRIPTS):
        return None
    if any(map(str.isalpha, token)):
        is_id = not _is_measure(token)
    else:
        is_id = [char for char in token if char in "-./:"] not in (
            [],
            ["."],
        ) and not _GROUPED.fullmatch(token)
    return Value("id", token, match.start()) if is_id else None


def _is_measure(token: str) -> bool:
    """Say whether a token is a number with its unit, an ordinal or a factor: `90min`, `10-day`, `3rd`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    is_known = unit_of(match[2]) or match[2].casefold() in (
        *_SCALES,
        "st",
        "nd",
        "rd",
        "th",
        "er",
        "e",
        "x",
        "o",
    )
    return bool(is_known) or (match[1] == "-" and len(match[2]) > 2)


def _number(match: re2._Match) -> Value | None:
    """Return a number with its unit, as it may be meant."""
    text, (start, end), shown = match.string, match.span(), match[0]
    before, behind = text[max(start - 5, 0) : start], text[end : end + 40]
    if (before[-1:] == ":" and before[-2:-1].isalpha()) or (
        before[-1:].isalpha() and _is_joined(before[-1:], "")
    ):
        return None
    word = _WORD_BEHIND.match(behind)
    spelling = word[1][:1] if word[1] > _CLOSE_SCRIPTS or word[1] == "M" else word[1].casefold()
    scale = _SCALES.get(spelling, 1.0)
    unit = unit_of(
        (_WORD_BEHIND.match(behind[word.start(1) + len(spelling) :]) if scale > 1 else word)[1]
    )
    sign = _WORD_BEFORE.search(before)
    if sign and are_alike(currency := unit_of(sign[1] or sign[2]), "EUR"):
        unit = currency
    amounts, step = _readings(shown)
    if scale == 1e3 and len(amounts) > 1:  # `47,315 thousand` groups, `47.315 thousand` does not.
        amounts = amounts[:1] if "," in shown else amounts[1:]
    return Value(
        "number",
        shown,
        start,
        unit,
        tuple(amount * scale for amount in amounts),
        step * scale,
        scale,
    )


def _readings(number: str) -> tuple[tuple[float, ...], float]:
    """Return the amounts that a number may mean, the likelier first, and the place value of its last digit, but for
    closing zeros of a whole number."""
    digits = "".join(char for char in number[:MAX_DIGITS] if char.isdigit() or char in ".,")
    mark = max(".,", key=digits.rfind)
    whole, mark, rest = digits.rpartition(mark) if mark in digits else (digits, "", "")
    bare = whole.replace(".", "").replace(",", "")
    is_open = len(rest) == 3 and whole == bare and whole[:1] not in ("", "0")
    if mark and mark not in whole and not is_open:
        return (float(f"{bare or 0}.{rest or 0}"),), float(10 ** -len(rest))
    joined = bare + rest
    amounts = (
        (float(joined), float(f"{bare}.{rest}")) if is_open and len(whole) < 4 else (float(joined),)
    )
    return amounts, float(10 ** (len(joined) - len(joined.rstrip("0"))))


_FORMS: Final[list[tuple[Kind, str | None, Any, Callable[[re2._Match], Value | None]]]] = [
    ("quotation", None, re2.compile(_QUOTATION), _quotation),
    ("id", "", re2.compile(f"(?i){_ADDRESS}"), _whole),
    *(("date", marks, re2.compile(f"(?i){pattern}"), _date) for marks, pattern in _DATES),
    *(("time", ":", re2.compile(f"(?i){pattern}"), _time) for pattern in _TIMES),
    ("id", ".,", re2.compile(_TELEPHONE), _whole),
    ("id", None, re2.compile(r"[\pL\pN]+(?:[-_./:][\pL\pN]+)*"), _id),
    ("number", None, re2.compile(_NUMBER), _number),
]
"""The forms of values, each with the marks that join it to a digit; None if it may touch anything."""


def unit_of(spelling: str) -> str:
    """Return the name of a unit; empty for what is none. In scripts without blanks, the longest one that begins it."""
    folded = spelling.casefold().rstrip(".")
    forms = (folded[:size] for size in (3, 2, 1)) if folded > _CLOSE_SCRIPTS else (folded,)
    return next((_UNITS[form] for form in forms if form in _UNITS), "")


def units_named(text: str) -> frozenset[str]:
    """Return the units that words of a heading or a key name: of `revenue_eur`, EUR."""
    words = "".join(char if char.isalpha() or char in "%€$£¥°²³" else " " for char in text).split()
    return frozenset(
        filter(
            None,
            (
                unit_of(word)
                for word in words
                if len(word) > 1 or not word.isalpha() or word in "hskgtlmw"
            ),
        )
    )


def scales_named(text: str) -> frozenset[float]:
    """Return what the words of a text multiply numbers by: of `in thousands`, 1000."""
    return frozenset(
        _SCALES[word] for word in parts_of(fold_text(text)) if len(word) > 1 and word in _SCALES
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
        (unit, by)
        for unit in _SIZES
        if unit != value.unit and 1 / 3600 <= (by := ratio(value.unit, unit)) <= 3600
    ]
    for unit, by in [*others, ("", 0.01)] if value.unit == "%" else others:
        yield replace(
            value, unit=unit, amounts=tuple(one * by for one in value.amounts), step=value.step * by
        )


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
        case ast.Constant(value=int() | float() as number) if (
            not isinstance(number, bool) and abs(number) < 1e15
        ):
            return float(number)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand) if depth < _MOST_NESTED:
            return folded_number(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if (
            type(op) in _OPERATIONS and depth < _MOST_NESTED
        ):
            one, other = folded_number(left, depth + 1), folded_number(right, depth + 1)
            if one is not None and other is not None and (other or not isinstance(op, ast.Div)):
                return _OPERATIONS[type(op)](one, other)
    return None


_SIGNS: Final = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "≈": "="})
_OF: Final = ("of", "out of", "von", "sur", "di", "van")
_THAT_IS: Final = ("i.e.", "that is", "=", "(", "das sind", "soit")
_CHANGES: Final = "loss gain drop fall rise increase decrease decline growth difference"


def _tells_change(gap: str) -> bool:
    """Say whether the words before a number name it as a change, as `a loss of` does."""
    *_, word, of = ("", "", *gap.split())
    return of == "of" and word in _CHANGES.split() and len(gap.split()) < 4


def spelled_results(answer: str) -> Iterator[tuple[Value, bool, str]]:
    """Yield each result of arithmetic in an answer, whether it is right, and the text of the arithmetic."""
    numbers = [value for value in values_in(answer) if value.kind == "number"]
    gaps = [_gap(answer, one, other) for one, other in pairwise(numbers)]
    for at, gap in enumerate(gaps):
        if gap.endswith("=") and (found := _expression(answer, numbers, gaps, at)):
            terms, form = found
            yield from _judged(answer, terms, numbers[at + 1], form)
        elif at + 2 < len(numbers) and numbers[at].unit in ("", numbers[at + 1].unit):
            one, other, result = numbers[at : at + 3]
            if gap in _OF and gaps[at + 1] in _THAT_IS and result.unit == "%":
                yield from _judged(answer, [one, other], result, "100*{}/{}")
            elif (
                gap in ("to", "auf") and _is_after_from(answer, one) and _tells_change(gaps[at + 1])
            ):
                yield from _judged(answer, [one, other], result, "{1}-{0}", "100*({1}-{0})/{0}")


def _gap(answer: str, one: Value, other: Value) -> str:
    """Return what stands between two numbers without the unit of the first: signs of operators, or words."""
    text = answer[one.end : other.start].casefold().translate(_SIGNS)
    if len(text) > 40 or "\n" in text or (text[:1].isalpha() and not one.unit):
        return "?"  # `2x + 3 = 11`
    words = [
        word
        for word in text.replace("=", " = ").split()
        if not (one.unit and unit_of(word.strip("().,-")) == one.unit)
    ]
    bare = (
        "".join(words)
        if all(word.strip("+-*/x()=$€£") == "" for word in words)
        else " ".join(words)
    )
    return (
        bare.strip("$€£ ,;").replace("x", "*")
        if " " not in bare and len(bare) < 6
        else bare.strip(" ,;")
    )


def _expression(
    answer: str, numbers: Sequence[Value], gaps: Sequence[str], at: int
) -> tuple[list[Value], str] | None:
    """Return the numbers of the expression before an equals sign, and its form with a place for each."""
    first, form = at, "{}" + gaps[at].rstrip("=")
    while (
        first > 0
        and at - first < 12
        and gaps[first - 1].strip("()")
        and not gaps[first - 1].strip("+-*/()")
    ):
        first -= 1
        form = "{}" + gaps[first] + form
    opened = form.count(")") - form.count("(")
    is_balanced = (
        opened >= 0
        and answer[max(numbers[first].start - opened, 0) : numbers[first].start] == "(" * opened
    )
    terms = list(numbers[first : at + 1])
    units = {one.unit for one in (*terms, numbers[at + 1])} - {"", "%"}
    return (terms, "(" * opened + form) if first < at and is_balanced and len(units) < 2 else None


def _is_after_from(answer: str, value: Value) -> bool:
    return bool(
        {"from", "von"} & {*answer[max(value.start - 12, 0) : value.start].casefold().split()[-2:]}
    )


def _judged(
    answer: str, terms: Sequence[Value], result: Value, *forms: str
) -> Iterator[tuple[Value, bool, str]]:
    """Yield a result with whether some reading of its terms gives it by one of the forms, up to its rounding."""
    readings = [one.amounts for one in terms]
    is_open = sum(len(one) > 1 for one in readings) <= 4
    choices = product(*readings) if is_open else [[each[0] for each in readings]]
    told = [
        number
        for choice in choices
        for form in forms
        if (number := _reckoned(form, choice)) is not None
    ]
    factors = (1.0, 0.01, 100.0) if any(one.unit == "%" for one in (*terms, result)) else (1.0,)
    wanted = [(amount * by, result.step * by) for amount in result.amounts for by in factors]
    is_right = any(
        abs(one - amount) <= 0.501 * max(step, 1e-9 * amount)
        for one in told
        for amount, step in wanted
    )
    if told:
        yield result, is_right, answer[terms[0].start : result.end]


def _reckoned(form: str, amounts: Sequence[float]) -> float | None:
    try:
        number = folded_number(ast.parse(form.format(*map(repr, amounts)), mode="eval").body)
    except SyntaxError:
        return None
    return None if number is None else abs(number)
