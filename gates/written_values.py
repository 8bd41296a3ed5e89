"""The values that a text states: numbers with units, dates, times, ids, addresses, account and
telephone numbers.

Each value has a canonical form, equal for all spellings of the value. No sentence is read. Each
form is looked for in turn; what one form has found is hidden from the next. Patterns run on RE2, so
time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Final, TypeAlias

import re2

from controlplane.gates.locale_names import (
    CURRENCIES,
    ERA_YEARS,
    MYRIADS,
    SHARED_NAMES,
    TWELVE_HOUR_MARKS,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    locale_names,
)
from controlplane.gates.normal_text import normalize_text
from controlplane.gates.number_style import NumberStyle, number_style_of
from controlplane.gates.numerals import (
    CJK_NUMERALS,
    Numeral,
    canonical_amount,
    numeral_of_cjk,
    numeral_of_digits,
    numeral_of_myriads,
    numeral_of_sign,
    times_power_of_ten,
    with_fraction,
)
from controlplane.sandbox.interface import bounds


class Kind(StrEnum):
    """What a value measures or names. Values of different kinds are never equal."""

    QUOTATION = "quotation"
    URL = "url"
    MAIL = "mail"
    IBAN = "iban"
    DATE = "date"
    MONTH = "month"
    TIME = "time"
    TELEPHONE = "telephone"
    ID = "id"
    NUMBER = "number"


ALL_KINDS: Final = frozenset(Kind)
MOST_QUOTED_CHARS: Final = 300
"""A longer text between quotation signs is not a quotation, but what stands between two of them."""
RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""What stands between the first and the last number of a range."""
MOST_UNIT_CHARS: Final = 40
MOST_UNIT_WORDS: Final = 3
"""Words of a unit, such as `cubic metres` or `US dollars`."""


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """One value of a text."""

    kind: Kind
    text: str
    """As it is written."""
    start: int
    """The offset of `text` in the text that was read."""
    end: int
    canonical: str
    """Equal for all spellings of a value: `2026-03-12`, `--03-12` without a year, `1250.5`,
    `17:10`."""
    unit: str = ""
    """The unit of a number, such as `EUR`, `h` or `%`; the offset of a time's zone, such as
    `+02:00`."""
    decimals: int = 0
    """Decimals as stated: 2 for `12.50`, -5 for `3.4 million`."""
    other_canonical: str = ""
    """The second reading, if there are two: 1.199 for `1.199`, April 3 for `03/04/2026`."""
    other_decimals: int = 0
    scale: int = 0
    """The power of ten of a word or sign behind the number: 6 for `3.4 million`."""
    follower: str = ""
    """The word behind a number that is not a known unit: `seats` in `45 seats`."""

    @property
    def key(self) -> tuple[Kind, str, str]:
        """What equal values share."""
        return self.kind, self.canonical, self.unit


@dataclass(frozen=True, slots=True)
class _Span:
    """A match of a form in a normalised text."""

    match: re2._Match
    style: NumberStyle

    @property
    def written(self) -> str:
        return str(self.match[0])

    @property
    def start(self) -> int:
        return int(self.match.start())

    @property
    def end(self) -> int:
        return int(self.match.end())

    def before(self, count: int) -> str:
        """Return up to `count` characters in front of the match."""
        return str(self.match.string[max(self.start - count, 0) : self.start])

    def behind(self, count: int) -> str:
        return str(self.match.string[self.end : self.end + count])

    def part(self, name: str) -> str:
        """Return a named group; empty if it took no part in the match."""
        return self.match.groupdict().get(name) or ""

    def place(self, name: str) -> tuple[int, int]:
        """Return the offsets of a named group."""
        start, end = self.match.span(self.match.re.groupindex[name])
        return start, end

    def value(self, kind: Kind, canonical: str) -> WrittenValue:
        return WrittenValue(kind, self.written, self.start, self.end, canonical)


def written_values(
    text: str,
    *,
    kinds: Collection[Kind] = ALL_KINDS,
    style: NumberStyle | None = None,
    max_values: int = bounds.MOST_READ_VALUES,
) -> list[WrittenValue]:
    """Return the values of a text in their order, at most `max_values` of each form.

    `style` says how ambiguous numbers are read, if the text is a part of another one.
    """
    normal = normalize_text(text)
    reading_style = style or number_style_of(normal.text)
    values: list[WrittenValue] = []
    remaining = normal.text
    for form in _forms():
        if form.kind not in kinds:
            continue
        spans: list[tuple[int, int]] = []
        count = 0
        for match in form.pattern.finditer(remaining):
            span = _Span(match, reading_style)
            if form.stands_alone and not _stands_alone(span, form.joining_marks):
                continue
            for value in form.read(span):
                values.append(value)
                spans.append((value.start, value.end))
                count += 1
            if count >= max_values:
                break
        remaining = _without_spans(remaining, spans)
    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_at_given_offsets(value, text, normal.offset_of) for value in values]


def _with_units_of_ranges(values: list[WrittenValue], text: str) -> list[WrittenValue]:
    """Give the first number of a range, such as `10-12 %`, the unit of the last one."""
    ranged = list(values)
    for index in range(len(values) - 2, -1, -1):
        first = ranged[index]
        last = ranged[index + 1]
        if first.kind is not Kind.NUMBER or last.kind is not Kind.NUMBER or first.unit:
            continue
        if text[first.end : last.start].strip() in RANGE_SIGNS:
            ranged[index] = replace(first, unit=last.unit, follower=last.follower)
    return ranged


def _without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text of the same length in which spans are hidden."""
    parts: list[str] = []
    end = 0
    for start, span_end in spans:
        parts.append(text[end:start])
        parts.append("\x00" * (span_end - start))
        end = span_end
    parts.append(text[end:])
    return "".join(parts)


def _at_given_offsets(
    value: WrittenValue, text: str, offset_of: Callable[[int], int]
) -> WrittenValue:
    start = offset_of(value.start)
    end = offset_of(value.end - 1) + 1
    return replace(value, text=text[start:end], start=start, end=end)


# What stands beside a value


_CJK: Final = "\u2e7f"
"""The last character before the scripts that put no blanks between words: their letters do not
belong to a value."""


def is_word_character(character: str) -> bool:
    """Say whether a letter or digit would belong to a value that it touches."""
    return character.isalnum() and character <= _CJK


def _stands_alone(span: _Span, joining_marks: str) -> bool:
    """Say whether neither a letter, nor a mark with a digit on its other side, joins a match to
    its neighbours."""
    before = span.before(2)
    behind = span.behind(2)
    if is_word_character(before[-1:]) and before[-1:] != "T":  # the T of `2026-03-12T17:10`
        return False
    if is_word_character(behind[:1]) and behind[:1] not in ("T", "Z"):
        return False
    is_joined_before = before[-1:] in joining_marks and before[:1].isdigit()
    is_joined_behind = behind[:1] in joining_marks and behind[1:].isdigit()
    return not (is_joined_before or is_joined_behind)


# Quotations, addresses, account and telephone numbers


_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
_QUOTATION: Final = "|".join(
    f"{opening}[^\n{closing}]+[{closing}]" for opening, closing in _QUOTATION_SIGNS
)


def _read_quotation(span: _Span) -> list[WrittenValue]:
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if not 1 < len(stripped) < MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = "code" if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(Kind.QUOTATION, stripped, start, end, stripped, unit)]


_URL: Final = (
    r"(?i)\b(?:(?P<scheme>[a-z][a-z0-9+.-]{1,20})://|www\.)"
    r"[^\s<>()\[\]\"'`{}|\\^]*[^\s<>()\[\]\"'`{}|\\^.,;:!?]"
)
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def _read_url(span: _Span) -> list[WrittenValue]:
    return [span.value(Kind.URL, canonical_url(span.written))]


def canonical_url(url: str) -> str:
    """Return a URL without scheme, default port and closing slash, its host in lower case and
    punycode."""
    scheme, separator, address = url.partition("://")
    if not separator:
        scheme = "http"
        address = url
    ends = [end for end in map(address.find, "/?#") if end >= 0]
    host_end = min(ends, default=len(address))
    host = address[:host_end].casefold()
    host = host.removesuffix(_DEFAULT_PORTS.get(scheme.casefold(), ":"))
    return punycode(host) + address[host_end:].rstrip("/")


def punycode(host: str) -> str:
    """Return a host's name in ASCII; a name that has no such form stays as it is."""
    if host.isascii():
        return host
    labels: list[str] = []
    for label in host.split("."):
        if label.isascii():
            labels.append(label)
        else:
            labels.append("xn--" + label.encode("punycode").decode("ascii"))
    return ".".join(labels)


_MAIL: Final = r"[\pL\pN_.+%'-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+"


def _read_mail(span: _Span) -> list[WrittenValue]:
    local, _, host = span.written.casefold().rpartition("@")
    return [span.value(Kind.MAIL, f"{local}@{punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox of a canonical address, as most providers deliver it: without dots and
    `+tag`."""
    local, _, host = mail.rpartition("@")
    return local.partition("+")[0].replace(".", "") + "@" + host


_IBAN: Final = r"(?i)\b[A-Z]{2}\d{2}(?:[ \x{a0}-]?[A-Z\d]{4}){2,7}(?:[ \x{a0}-]?[A-Z\d]{1,3})?\b"


def _read_iban(span: _Span) -> list[WrittenValue]:
    account = _letters_and_digits(span.written).upper()
    # The checksum of ISO 13616: letters count from 10 on, and the first four characters go last.
    digits = "".join(str(int(character, 36)) for character in account[4:] + account[:4])
    if int(digits) % 97 != 1:
        return []
    return [span.value(Kind.IBAN, account)]


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


_TELEPHONE: Final = (
    r"(?:\+|\(?0)\d{0,5}\)?(?:[ \x{a0}/.-]{0,3}\(?\d+\)?){1,8}"
    r"|\(\d{3}\) ?\d{3}[ -]\d{4}|\b\d{3}-\d{3}-\d{4}\b"
)
LEAST_TELEPHONE_DIGITS: Final = 7
MOST_TELEPHONE_DIGITS: Final = 15
"""By the recommendation E.164."""


def _read_telephone(span: _Span) -> list[WrittenValue]:
    """Return numbers that begin with a plus sign, a zero or an area code, and have enough
    digits."""
    before = span.before(1)
    if is_word_character(before) or (before and before in ".,-/#_"):
        return []
    if is_word_character(span.behind(1)):
        return []
    values: list[WrittenValue] = []
    start = span.start
    while start < span.end:
        written = _first_telephone(span.match.string[start : span.end])
        end = start + len(written)
        canonical = _canonical_telephone(written)
        if not canonical:
            break
        values.append(WrittenValue(Kind.TELEPHONE, written, start, end, canonical))
        behind = span.match.string[end : span.end]
        start = end + len(behind) - len(behind.lstrip(" "))
    return values


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number; empty if it has too few or too many to be one."""
    bare = written.replace("(0)", "")
    digits = _digits_of(bare)
    is_decimal = written.startswith("0.")
    begins_like_one = written[:1] in ("+", "0", "(")
    if is_decimal or (not begins_like_one and "-" not in written):
        return ""
    if not LEAST_TELEPHONE_DIGITS <= len(digits) <= MOST_TELEPHONE_DIGITS:
        return ""
    if bare.startswith("+") or (digits.startswith("00") and digits[2] != "0"):
        return "+" + digits.removeprefix("00")
    return digits


def _first_telephone(written: str) -> str:
    """Return the groups of digits up to the last one that still belongs to the number."""
    end = len(written)
    for sign in (" +", " ("):
        next_number = written.find(sign, LEAST_TELEPHONE_DIGITS)
        if next_number > 0:
            end = min(end, next_number)
    while len(_digits_of(written[:end])) > MOST_TELEPHONE_DIGITS and " " in written[:end]:
        end = written.rindex(" ", 0, end)
    return written[:end].rstrip(" /.-")


def _digits_of(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


# Dates


_SUFFIX: Final = r"(?:\.|st|nd|rd|th|er|º|ª|°|e)?"
_RANGE: Final = r"(?: ?- ?| (?:to|and|until|bis|und|au|et|al|y|e|do|i|tot|en|til|och|a) )"
"""What stands between the first and the last day of `13 to 27 May`."""
_JOINED_BY: Final = r"[ \x{a0}/-]"
_ERA: Final = "|".join(ERA_YEARS)


def _month_pattern() -> str:
    """Return a pattern of words that may begin like a month; the reader looks the whole word up."""
    beginnings = sorted({name[:3] for name in locale_names().months})
    return r"(?P<name>(?:" + "|".join(beginnings) + r")\pL*)"


def _date_patterns() -> list[str]:
    month = _month_pattern()
    return [
        # 2026-03-12; of an interval `2026-05-01/2026-05-06` both ends
        r"(?P<year>\d{4})(?P<mark>-)(?P<month>\d{2})(?P<mark2>-)(?P<day>\d{2})",
        # 2026-3-12, 2026/3/12, 2026.03.12
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P<mark2>[-/.])(?P<day>\d{1,2})",
        # 12.03.2026, 12. 3. 2026
        r"(?P<day>\d{1,2})(?P<mark>[-/.]) ?(?P<month>\d{1,2})(?P<mark2>[-/.]) ?(?P<year>\d{4})",
        # 12.03.26, 12/03/26
        r"(?P<day>\d{1,2})(?P<mark>[/.])(?P<month>\d{1,2})(?P<mark2>[/.])(?P<year>\d{2})",
        # 12 March 2026, 12. März, 13 to 27 May, 12-Mar-2026, le 1er mars
        rf"(?i)(?:(?P<first>\d{{1,2}}){_SUFFIX}{_RANGE})?(?P<day>\d{{1,2}}){_SUFFIX}{_JOINED_BY}{{1,2}}"
        rf"(?:(?:of|de|d[aei]) )?{month}\.?(?:,?{_JOINED_BY}(?:(?:de|del|of) )?(?P<year>\d{{4}}))?",
        # March 12, 2026; March 12-14; Sept. 3rd
        rf"(?i){month}\.? (?:(?P<first>\d{{1,2}}){_SUFFIX}{_RANGE})?(?P<day>\d{{1,2}})"
        r"(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?",
        # 2026年3月12日, 3月12日, 令和8年3月12日, 2026년 3월 12일
        rf"(?:(?:(?P<era>{_ERA}) ?(?P<era_year>元|\d{{1,2}})|(?P<year>\d{{4}})) ?[年년] ?)?"
        r"(?P<month>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日일号號]",
        # 20260312
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
        # 12.3. without a year
        r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.",
    ]


def _month_of_year_patterns() -> list[str]:
    return [
        # March 2026, marzo de 2026
        rf"(?i){_month_pattern()}\.?,?{_JOINED_BY}(?:(?:de|del|of) )?(?P<year>\d{{4}})",
        # 2026年3月, 令和8年3月
        rf"(?:(?P<era>{_ERA}) ?(?P<era_year>元|\d{{1,2}})|(?P<year>\d{{4}})) ?[年년] ?(?P<month>\d{{1,2}}) ?[月월]",
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        r"(?P<month>\d{1,2})/(?P<year>\d{4})",
    ]


_NOT_MONTHS: Final = frozenset({"may", "mar", "mag", "out", "set", "ago", "mai", "sep", "dec"})
"""Months that are everyday words, too: only with a year or a capital they are months (`4 out of
12`)."""


def _read_date(span: _Span) -> list[WrittenValue]:
    if span.part("mark") != span.part("mark2"):
        return []
    year = _year_of(span)
    month = span.part("month")
    day = span.part("day")
    name = span.part("name")
    if name:
        month = _month_number(name, has_year=bool(year))
    if len(year) == 2:
        year = f"20{year}"
    if not year and not name and span.style.decimal_mark == "." and "." in span.written:
        return []  # the end of a sentence: `It is 12.3.`
    if not _is_date(year, month, day):
        month, day = day, month  # 3/25/2026
        is_fixed = bool(name) or not year or span.written.startswith(year)
        if is_fixed or not _is_date(year, month, day):
            return []
        return [span.value(Kind.DATE, _date_text(year, month, day))]
    value = span.value(Kind.DATE, _date_text(year, month, day))
    values = [_with_other_order(value, span, year, month, day)]
    if span.part("first") and _is_date(year, month, span.part("first")):
        values.insert(0, _first_day_of_range(span, year, month))
        start, _ = span.place("name" if span.place("name") < span.place("day") else "day")
        start = max(start, values[0].end)
        values[1] = replace(values[1], start=start)
    return values


def _first_day_of_range(span: _Span, year: str, month: str) -> WrittenValue:
    """Return the first day of `13 to 27 May 2026`, which shares month and year with the last
    one."""
    start, end = span.place("first")
    canonical = _date_text(year, month, span.part("first"))
    return WrittenValue(Kind.DATE, span.part("first"), start, end, canonical)


def _with_other_order(
    value: WrittenValue, span: _Span, year: str, month: str, day: str
) -> WrittenValue:
    """Return a date with slashes as its text orders day and month, or with both readings if that
    is open."""
    if span.part("mark") != "/" or span.written.startswith(year or "?"):
        return value
    if month == day or not _is_date(year, day, month):
        return value
    other = _date_text(year, day, month)
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=other)
    return replace(value, other_canonical=other)


def _year_of(span: _Span) -> str:
    era = span.part("era")
    if not era:
        return span.part("year")
    era_year = span.part("era_year")
    if era_year == "元":  # the first year
        era_year = "1"
    return str(ERA_YEARS[era] + int(era_year))


def _month_number(name: str, *, has_year: bool) -> str:
    """Return the number of a month by its name in any language; `0` for another word."""
    folded = name.casefold()
    if not has_year and name == folded and folded in _NOT_MONTHS:
        return "0"
    return str(locale_names().months.get(folded, 0))


def _is_date(year: str, month: str, day: str) -> bool:
    try:
        date(int(year or "2000"), int(month), int(day))
    except ValueError:
        return False
    return True


def _date_text(year: str, month: str, day: str) -> str:
    return f"{year or '-'}-{int(month):02d}-{int(day):02d}"


def _read_month(span: _Span) -> list[WrittenValue]:
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    if not "1900" <= year < "2100" or not _is_date(year, month, "1"):
        return []
    if span.before(1) in ("-", "_") or span.behind(1) in ("-", "/"):  # `FB-1934-02`
        return []
    return [span.value(Kind.MONTH, f"{year}-{int(month):02d}")]


def _read_era_year(span: _Span) -> list[WrittenValue]:
    return [span.value(Kind.NUMBER, _year_of(span))]


# Times of day


_ZONE: Final = (
    r"(?P<zone>Z\b| ?(?:UTC|GMT)? ?[+-]\d{1,2}(?::?\d{2})?\b| (?:"
    + "|".join(ZONE_OFFSETS)
    + r")\b)?"
)
_HALF: Final = r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
_DAYTIME: Final = "|".join(TWELVE_HOUR_MARKS)
_TIMES: Final = (
    # 17:10, 17:10:05, 5:10 pm, 17:10 CET
    rf"(?i)(?:(?P<daytime>{_DAYTIME}) ?)?(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:[.,]\d+)?)?{_HALF}{_ZONE}",
    # 17h10, 17 h 10
    r"(?i)(?P<hour>\d{1,2}) ?h ?(?P<minute>\d{2})",
    # 9.30 Uhr, kl. 11.30, godz. 9.00, 11.30 a.m.
    r"(?i)(?P<hour>\d{1,2})\.(?P<minute>\d{2}) ?(?:uhr\b|uur\b|hod\b\.?|(?P<half>[ap])\.?m\b\.?)",
    r"(?i)\b(?:kl|godz|ore|klo|ob|godzinie|klokken|kello)\b\.? ?(?P<hour>\d{1,2})[.:](?P<minute>\d{2})",
    r"(?i)\b(?:kl|godz|klo|klokken|kello)\b\.? ?(?P<hour>\d{1,2})",
    # 9 Uhr, 9 a.m., 9 o'clock
    r"(?i)(?P<hour>\d{1,2}) ?(?:uhr\b|uur\b|o'clock\b|(?P<half>[ap])\.?m\b\.?)",
    # 17時10分, 午後5時, 오후 5시, 下午3点; 18時間 is a duration
    rf"(?:(?P<daytime>{_DAYTIME}) ?)?(?P<hour>\d{{1,2}}) ?[時时点點시](?: ?(?P<minute>\d{{1,2}}) ?[分분]|(?P<half_hour>半))?",
)


def _read_time(span: _Span) -> list[WrittenValue]:
    if span.written[-1] in "時时시" and span.behind(1) in ("間", "间", "간"):
        return []
    hour = int(span.part("hour"))
    minute = int(span.part("minute") or 0)
    if span.part("half_hour"):
        minute = 30
    if hour > 24 or minute > 59:
        return []
    half = span.part("half").casefold()
    daytime = span.part("daytime")
    is_afternoon = half == "p" or TWELVE_HOUR_MARKS.get(daytime, False)
    if half or daytime:
        hour = hour % 12
        if is_afternoon:
            hour += 12
    canonical = f"{hour % 24:02d}:{minute:02d}"
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(Kind.TIME, canonical)
    return [replace(value, unit=_zone_offset(span.part("zone")))]


def _zone_offset(zone: str) -> str:
    """Return the offset of `CET`, `Z`, `UTC+2` or `+02:00` in its canonical form; empty without
    a zone."""
    name = zone.strip().upper()
    if not name or name in ZONE_OFFSETS:
        return ZONE_OFFSETS.get(name, "")
    numbers = name.removeprefix("UTC").removeprefix("GMT").strip()
    digits = numbers[1:].replace(":", "")
    hours = digits if len(digits) < 3 else digits[:-2]
    minutes = "00" if len(digits) < 3 else digits[-2:]
    return f"{numbers[0]}{hours:0>2}:{minutes}"


# Ids


_ID: Final = (
    r"[\p{Latin}\p{Greek}\p{Cyrillic}\d]+(?:[-_./:#+&][\p{Latin}\p{Greek}\p{Cyrillic}\d]+)*"
)
_ORDINALS: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "ème", "e", "o", "a", "x", "s", "fach"}
)
_MEASURE: Final = re2.compile(r"\d[\d.,']*(-?)(\pL+[23²³]?(?:/\pL+)?)")
_RANGE_OF_NUMBERS: Final = re2.compile(r"(\d{1,9}(?:[.,]\d+)?)-(\d{1,9}(?:[.,]\d+)?)")


def _read_id(span: _Span) -> list[WrittenValue]:
    """Return a token of letters and digits, or a number in several parts such as a version or a
    network address."""
    token = span.written
    base, colon, line = token.rpartition(":")
    if colon and line.isdigit() and "." in base:
        token = base  # `app.py:42` is a file with the number of a line
    if not any(character.isdigit() for character in token) or unit_of(token):  # `m2`
        return []
    if any(character.isalpha() for character in token):
        if _is_measure(token, span.behind(1)):
            return []
    elif not _has_parts_of_an_id(token):
        return []
    end = span.start + len(token)
    values = [WrittenValue(Kind.ID, token, span.start, end, canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


def _measures_in_key(span: _Span, token: str) -> list[WrittenValue]:
    """Return the numbers of a key such as `below_20_kg` or `kegs_30l`."""
    text = token.replace("_", " ")
    values: list[WrittenValue] = []
    for match in _NUMBER_IN_KEY.finditer(text):
        number = str(match[1])
        start = span.start + match.start(1)
        measure = _measure_behind(text[match.end(1) :])
        if measure.unit:
            amount = canonical_amount(number)
            end = start + len(number)
            values.append(WrittenValue(Kind.NUMBER, number, start, end, amount, measure.unit))
    return values


_NUMBER_IN_KEY: Final = re2.compile(r"\b(\d{1,9})")


def canonical_id(token: str) -> str:
    """Return an id in lower case, with one sign for hyphens and underscores."""
    return token.casefold().replace("_", "-")


def _has_parts_of_an_id(token: str) -> bool:
    """Say whether digits with marks are an id or version, and not a grouped number, a ratio or a
    range."""
    marks = [character for character in token if not character.isdigit()]
    if not marks or marks == ["."]:
        return False
    if marks == ["-"] or (len(marks) == 3 and "-" in marks):
        return not _is_range(token)
    if set(marks) == {"."}:
        groups = token.split(".")
        return not (len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]))
    return True


def _is_range(token: str) -> bool:
    """Say whether two numbers with a hyphen are a range: the first one is the smaller, and
    neither is padded."""
    match = _RANGE_OF_NUMBERS.fullmatch(token)
    if match is None:
        return False
    first = float(match[1].replace(",", "."))
    last = float(match[2].replace(",", "."))
    is_padded = any(
        len(number) > 1 and number.isdigit() and number[0] == "0" for number in match.groups()
    )
    return first < last and not is_padded


def _is_measure(token: str, behind: str) -> bool:
    """Say whether a token is a number with its unit, an ordinal or a multiple: `90min`,
    `10-day`, `13th`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    hyphen = match[1]
    word = match[2]
    if unit_of(word) or word.casefold() in _ORDINALS or word.casefold() in locale_names().scales:
        return True
    if word in ("m", "km", "cm", "M", "MM") and behind in ("²", "³"):
        return True
    return bool(hyphen) and len(word) > 2 and word.isalpha()


# Numbers


_GROUPED: Final = r"\d{1,3}(?:[ \x{a0}']\d{3})+(?:[.,]\d+)?\b"
_PLAIN: Final = r"\d+(?:[.,]\d+)*"
_FRACTION_SIGN: Final = r"[¼½¾⅐-⅞]"
_MYRIAD_SIGN: Final = "[" + "".join(MYRIADS) + "]"
_MYRIAD_NUMBER: Final = rf"(?:\d[\d.,]* ?{_MYRIAD_SIGN}+ ?)+(?:\d[\d.,]*\d|\d)?"
_CJK_NUMBER: Final = "[" + "".join(sorted(CJK_NUMERALS)) + "]{2,}"
_MIXED_FRACTION: Final = r"(?P<whole>\d{1,9})[ \x{a0}-](?P<numerator>[1-7])/(?P<denominator>[2-8])"
_CITATION_MARK: Final = re2.compile(r"^[ \x{a0}]?\[\^?\d{1,3}(?:[ ,;-]{1,2}\d{1,3})*\]")
"""`[4]` between a number and its unit."""
_MARKDOWN: Final = "*_`"
_UNIT_WORDS: Final = re2.compile(
    r"^[ \x{a0}-]?([\p{Latin}\p{Greek}\p{Cyrillic}%°\p{Sc}][\pL\pM%°²³23./]*"
    r"(?: [\p{Latin}\p{Greek}\p{Cyrillic}][\pL\pM²³.]*){0,2})"
)
_CJK_UNIT: Final = re2.compile(r"^ ?([\p{Han}\p{Hangul}\p{Katakana}]{1,6})")
_UNIT_BEFORE: Final = re2.compile(
    r"([\p{L}]{0,3}\p{Sc}|\b[A-Z]{3}|\bRs\.?|\bFr\.?|\bkr\.?)[ \x{a0}]?$"
)
_SIGN_BEFORE: Final = re2.compile(r"(?:^|[\s(\x{a0}:=;,|>\p{Sc}])([+-])$")


def _read_fraction(span: _Span) -> list[WrittenValue]:
    """Return a number with a fraction, or a fraction's sign alone: `3½`, `3 1/2`, `½`."""
    if span.part("denominator"):
        fraction = Fraction(int(span.part("numerator")), int(span.part("denominator")))
    else:
        fraction = numeral_of_sign(span.written[-1])
    numeral = with_fraction(Numeral(span.part("whole") or "0"), fraction)
    return [_number_value(span, numeral, span.start, span.end)]


def _read_myriads(span: _Span) -> list[WrittenValue]:
    if span.written[-1] in (" ", "千", "천") and not span.behind(1):
        return []
    written = span.written.rstrip()
    numeral = numeral_of_myriads(written, span.style)
    return [_number_value(span, numeral, span.start, span.start + len(written))]


def _read_cjk_number(span: _Span) -> list[WrittenValue]:
    numeral = numeral_of_cjk(span.written)
    if numeral is None or (span.written[0] in MYRIADS and span.written[0] not in "千"):
        return []
    value = _number_value(span, numeral, span.start, span.end)
    return [value] if value.unit or len(span.written) > 2 else []


def _read_number(span: _Span) -> list[WrittenValue]:
    before = span.before(2)
    if is_word_character(before[-1:]) or (before[-1:] == "^" and before[:1].isalnum()):
        return []
    numeral = numeral_of_digits(span.written, span.style)
    value = _number_value(span, numeral, span.start, span.end)
    if " " in span.written and not value.unit and not span.style.groups_by_blanks:
        return _separate_numbers(span)
    return [value]


def _separate_numbers(span: _Span) -> list[WrittenValue]:
    """Return the numbers of `17 342 500` each for itself."""
    values: list[WrittenValue] = []
    start = span.start
    for part in span.written.split(" "):
        numeral = numeral_of_digits(part, span.style)
        end = start + len(part)
        values.append(
            WrittenValue(
                Kind.NUMBER, part, start, end, numeral.amount, "", numeral.decimals,
                numeral.other_amount, numeral.other_decimals,
            )
        )  # fmt: skip
        start = end + 1
    return values


@dataclass(frozen=True, slots=True)
class _Measure:
    """What stands behind a number: a scale and a unit, or another word."""

    unit: str = ""
    power: int = 0
    follower: str = ""


def _number_value(span: _Span, numeral: Numeral, start: int, end: int) -> WrittenValue:
    """Return a number with its sign, scale and unit."""
    text = span.match.string
    before = text[max(start - 5, 0) : start]
    behind = text[end : end + MOST_UNIT_CHARS]
    measure = _measure_behind(behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)
    unit = measure.unit
    sign_match = _SIGN_BEFORE.search(before)
    sign = "-" if sign_match and sign_match[1] == "-" else ""
    if sign:
        start -= 1
        before = before[:-1]
    if unit == "year" and len(numeral.amount) == 4:  # `2026年` is a year, no duration
        unit = ""
    unit_before = _UNIT_BEFORE.search(before)
    if unit_before and not unit:
        unit = _currency_of(unit_before[1])
    other_amount = sign + numeral.other_amount if numeral.other_amount else ""
    return WrittenValue(
        Kind.NUMBER,
        text[start:end],
        start,
        end,
        sign + numeral.amount,
        unit,
        numeral.decimals,
        other_amount,
        numeral.other_decimals,
        measure.power,
        "" if unit else measure.follower,
    )


def _measure_behind(behind: str) -> _Measure:
    """Return what the words behind a number say of it. Citation marks and Markdown in between do
    not count."""
    mark = _CITATION_MARK.match(behind)
    if mark:
        behind = behind[mark.end() :]
    behind = behind.lstrip(_MARKDOWN)
    cjk = _CJK_UNIT.match(behind)
    if cjk:
        return _Measure(_longest_unit(cjk[1]))
    words = _UNIT_WORDS.match(behind)
    if words is None:
        return _Measure()
    first, _, rest = words[1].partition(" ")
    bare = first.rstrip(".").casefold()
    power = locale_names().scales.get(bare, 0)
    if first == "M":
        power = 6
    if power and not unit_of(first):
        return _Measure(_longest_unit(rest.removeprefix("de ").removeprefix("of ")), power)
    unit = _longest_unit(words[1])
    return _Measure(unit, 0, "" if unit else bare)


def _longest_unit(words: str) -> str:
    """Return the unit with which a text begins; in scripts without blanks, of as many signs as
    possible."""
    if words[:1] > _CJK:
        for size in range(len(words), 0, -1):
            unit = unit_of(words[:size])
            if unit:
                return unit
        return ""
    parts = words.split(" ")[:MOST_UNIT_WORDS]
    for count in range(len(parts), 0, -1):
        unit = unit_of(" ".join(parts[:count]))
        if unit:
            return unit
    return _currency_of(parts[0].partition("/")[0])  # `39,99 EUR/month`


def unit_of(spelling: str) -> str:
    """Return the name of a unit by one of its spellings; empty for another word."""
    plain = spelling.replace("²", "2").replace("³", "3")
    names = locale_names()
    for form in (plain, plain.rstrip(".,/")):
        unit = names.units.get(form) or ""
        if unit:
            return unit
        if len(form) > 1 or not form.isascii():
            unit = names.folded_units.get(form.casefold(), "")
        if unit:
            return unit
    return ""


def _currency_of(spelling: str) -> str:
    unit = unit_of(spelling)
    return unit if is_currency(unit) else ""


def is_currency(unit: str) -> bool:
    """Say whether a unit is a currency, or a name that several share."""
    return unit in CURRENCIES or (unit in SHARED_NAMES and unit != "pound")


def quantity_of(unit: str) -> str:
    """Return what a unit measures; empty for an unknown one."""
    if unit in UNIT_BY_NAME:
        return UNIT_BY_NAME[unit].quantity
    return unit


# All forms


Reader: TypeAlias = Callable[[_Span], list[WrittenValue]]


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a value."""

    kind: Kind
    pattern: re2._Regexp
    read: Reader
    stands_alone: bool = True
    """True if no letter may touch it."""
    joining_marks: str = ""
    """Marks that join it to a digit behind them."""


@cache
def _forms() -> list[_Form]:
    """Return the forms in the order in which they are looked for, the most specific first."""
    forms = [
        _Form(Kind.QUOTATION, re2.compile(_QUOTATION), _read_quotation, stands_alone=False),
        _Form(Kind.URL, re2.compile(_URL), _read_url, stands_alone=False),
        _Form(Kind.MAIL, re2.compile(_MAIL), _read_mail, stands_alone=False),
        _Form(Kind.IBAN, re2.compile(_IBAN), _read_iban),
    ]
    for index, pattern in enumerate(_date_patterns()):
        joining_marks = "-." if index == 0 else "-/."
        forms.append(_Form(Kind.DATE, re2.compile(pattern), _read_date, True, joining_marks))
    for pattern in _month_of_year_patterns():
        forms.append(_Form(Kind.MONTH, re2.compile(pattern), _read_month, joining_marks="-/."))
    for pattern in _TIMES:
        forms.append(_Form(Kind.TIME, re2.compile(pattern), _read_time, joining_marks=":."))
    forms += [
        _Form(Kind.NUMBER, re2.compile(rf"(?P<era>{_ERA}) ?(?P<era_year>元|\d{{1,2}}) ?[年년]"), _read_era_year),
        _Form(Kind.TELEPHONE, re2.compile(_TELEPHONE), _read_telephone, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(_MIXED_FRACTION), _read_fraction, joining_marks="/.,"),
        _Form(Kind.ID, re2.compile(_ID), _read_id, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(rf"(?:(?P<whole>\d{{1,9}}) ?)?{_FRACTION_SIGN}"), _read_fraction),
        _Form(Kind.NUMBER, re2.compile(_MYRIAD_NUMBER), _read_myriads, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(_CJK_NUMBER), _read_cjk_number, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(f"{_GROUPED}|{_PLAIN}"), _read_number, stands_alone=False),
    ]  # fmt: skip
    return forms
