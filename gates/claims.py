"""Traces what a reader can check in an answer: where it stands in what was read, or from what it is computed.

Claims are values (`gates.claim_values`); no sentence is parsed for meaning. A claim that stands nowhere in what was
read, and that cannot be computed from it, is missing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate, chain, combinations, islice
from typing import Final, Literal, TypeAlias

from gates.claim_values import (
    CODE,
    HALF_DAY,
    MOST_COUNTED,
    amount_in,
    claims_in,
    clocks_in,
    is_common,
    scaled_values,
    starts_sentence,
    unit_at,
    units_in,
)
from gates.evidence import Evidence
from gates.script_outputs import ScriptOutputs
from gates.submission import Case
from gates.terms import Value, counted_in, date_key, decimals_of, fold_text, number_of_word, other_order, values_in

Support: TypeAlias = Literal["found", "given", "computed", "missing"]

MOST_LINES: Final = 2_000
"""Max lines of one text that are compared with one claim."""
MOST_INPUTS: Final = 6
MOST_BESIDE: Final = 6
"""Max numbers of an answer near to a claim that may be those of which it is computed."""
_NEAR_CHARS: Final = 120
"""Max characters between the words of a name, and between a number and those of which it is computed."""
_JOINS: Final = r"[ .,'_\u00a0\u202f万만]{0,2}"
_NUMBER: Final = re.compile(
    r"(?<![^\W_\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?<!\.)-?\d+(?:[ .,'_\u00a0\u202f]\d{3})*(?:[.,]\d+)?"
    r"(?: ?[万만](?: ?\d[千천]|[\d,]+)?)?"
)
_PLAIN: Final = re.compile(r"(?<![^\W_\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])(?<!\.)\d+(?:\.\d+)?")
_FRACTION: Final = re.compile(r"(?<![\w.])\d+\.\d{1,17}(?![\w.])")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+) $")
_WORD_BEHIND: Final = re.compile(r" ([^\W\d_]+)")
_NO_NUMBER: Final = re.compile(r"(?<=\d{4})-\d\d-\d\d(?!\d)|(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?!\d)")
"""Month and day of a date, and a time."""
_HANGUL: Final = re.compile(r"[\uac00-\ud7a3]+")
_OF: Final = re.compile(r" (?:von|van|de|of|du|di) ")
_TO: Final = r"\s?(?:[-–~]|to|bis|tot|au?|al|do|and|und|et|y|e|i)\s?"
_DAYS: Final = re.compile(rf"(?<![\d-])(\d{{1,2}})\.?{_TO}(\d{{1,2}})(\.?\s[^\W\d_]{{3,12}}\.?(?:,?\s\d{{4}})?)")
"""Two days of a month, the second one with its name: `24-26 May 2027`."""
_HOURS: Final = re.compile(rf"(?i)(?<![\d.:])(\d{{1,2}}){_TO}(\d{{1,2}}(?:[.:]\d\d)?(\s?(?:[ap]\.?m\b|uhr|uur|h\b)))")
"""Two hours, the second one with its mark: `2 to 4 pm`."""
_JOINED_DAY: Final = re.compile(r"(?<![\w-])(\d{1,2})-([^\W\d_]{3,12})-(\d{4})(?![\w-])")
_COMPACT_DAY: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_DAY_OF_MONTH: Final = re.compile(
    r"(?<![\w.,/-])(\d{1,2})(?:\.(?=\d{1,2}\.(?!\d))|/|(?<=\d\d)-(?=\d\d(?!-)))(\d{1,2})(?![\d/])"
)
_HEADED_DAY: Final = re.compile(
    r"[\s*|>#-]*(?:[^\W\d_]{2,12}[.,]{0,2} )?0?(\d{1,2})(?:st|nd|rd|th|\.)?(?![\w/-]|[:.,]\d)"
)
_MOST_HEADED: Final = 40
"""Max lines below a heading that names a month, and max characters of the heading."""
_YEAR_FIRST: Final = re.compile(r"(?<![\d.])(\d{4})([./]) ?(\d{1,2})\2 ?(\d{1,2})(?![\d/])")
_SHORT_YEAR: Final = re.compile(r"(?<![\d./])(\d{1,2})([./])(\d{1,2})\2(\d\d)(?![\d/])")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SIGN_BEHIND: Final = re.compile(r"[ \u00a0\u202f]?[%€$£¥°]")
_SPAN: Final = re.compile(r"(?<!\w)(\d+)h ?(\d+)m(?:in)?(?![^\W\d])")
"""Hours and minutes in one word: `4h15m37s`."""
_THOUSAND: Final = re.compile(r"(?<=\d)(?<![万만]\d)(?<![万만] \d)[千천](?! ?[克米])")
_DAY_BEHIND: Final = re.compile(r"[.º°]?\s(?:de\s)?([^\W\d_]{3,12})")
_GAP: Final = r"[ ()/.,~\u00a0\u202f-]*"
_ELLIPSIS: Final = re.compile(r"\s*(?:…|\.\.\.|\[…\])\s*")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = 0
    """Counted from 1; 0 if it is unknown."""
    text: str = ""
    """The value as it stands there."""


@dataclass(frozen=True, slots=True)
class TracedClaim:
    """One claim of an answer, with its span, and what supports it."""

    start: int
    end: int
    kind: str
    text: str
    support: Support
    place: Place | None = None
    """Where it stands, if it was found."""
    inputs: tuple[Place, ...] = ()
    """The values from which it is computed."""


@dataclass(eq=False)
class Source:
    """A text that was read."""

    path: str
    text: str
    numbers: tuple[int, ...] = (1,)
    """The lines of the file that its lines are, as `SeenText` has them."""

    @cached_property
    def folded(self) -> str:
        """The text with its letters folded, and one kind of apostrophe."""
        return _folded(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    @cached_property
    def _bare(self) -> list[str]:
        return ["".join(line.split()) for line in self.folded.split("\n")]

    def place_of(self, value: Value) -> Place | None:
        """Return where the text states a value, in any format; None if it does not."""
        match value.kind:
            case "quotation":
                return self._quoted(value.text) or (self._coded(value.text) if value.unit == CODE else None)
            case "name" if _HANGUL.fullmatch(value.text):
                return self._at(value.text, self.text, value.text)
            case "name":
                return self._named(_folded(value.key))
            case "id":
                key = re.sub(r"(?<=\d)[\u1100-\u11ff]+$", "", value.key)  # a particle, its letters apart
                parts = re.findall(r"[^\W\d_]+|\d+", key)
                is_apart = len(key) < 18 and re.search(r"[^\W\d_][\W_]?\d|\d[^\W\d_]", key)
                patterns = [_start_of(re.sub(r"^v(?=\d)", "", key), r"[^\W_v\u1100-\u11ff\u3041-\u30ff\u3400-\u9fff]")]
                patterns += ["[ /._-]?".join([_start_of(parts[0]), *parts[1:]])] if is_apart else []
                patterns += [r"\D{1,9}".join([_start_of(parts[0]), *parts[1:]])] if ":" in key and len(key) < 7 else []
                is_there = all(part.strip("v") in self.folded for part in parts)  # Most are not: quick to tell.
                places = (self._at(rf"{one}(?![^\W_])", self.folded, value.text) for one in patterns)
                digits = re.sub(r"[ ().-]", "", value.key)
                first = next(filter(None, places), None) if is_there else None
                return first or (self._digits(digits, value.text) if digits.isdecimal() else None)
            case "telephone":
                return self._digits(value.key.lstrip("0"), value.text)
            case "number":
                return self._number(value)
            case _:
                return self._dated(value)

    def _digits(self, digits: str, shown: str) -> Place | None:
        """Return where digits stand in a row, whatever is between them."""
        return self._at(rf"(?<![1-9]){_GAP.join(digits)}(?!\d)", self.text, shown)

    def _at(self, pattern: str, text: str, shown: str) -> Place | None:
        match = re.search(pattern, text)
        return self.place(text.count("\n", 0, match.start()), shown) if match else None

    def place(self, line: int, text: str) -> Place:
        """Return the place of a value on a line, which is counted from 0."""
        first = self.numbers[min(line, len(self.numbers) - 1)] if self.numbers else 0
        return Place(self.path, first + max(line - len(self.numbers) + 1, 0) * bool(first), text)

    def line_of(self, quotation: str) -> int | None:
        """Return the index of the line on which a quotation begins, blanks and case aside; None if it is not there."""
        wanted = "".join(_folded(quotation).split())
        at = "".join(self._bare).find(wanted) if wanted else -1
        return bisect_right([*accumulate(map(len, self._bare))], at) if at >= 0 else None

    def _quoted(self, quotation: str) -> Place | None:
        parts = [part for part in _ELLIPSIS.split(quotation.rstrip(" .,;:!?")) if part]
        lines = [self.line_of(part) for part in parts]
        first = lines[0] if lines else None
        return None if first is None or None in lines else self.place(first, quotation)

    def _coded(self, code: str) -> Place | None:
        """Return where all names and numbers of a piece of code stand: on one line, or names alone in the text."""
        words = re.findall(r"\w+(?:\.\d+)?", _folded(code))
        patterns = [rf"(?<!\w){re.escape(word)}(?!\w)" for word in words]
        if any(word[0].isdigit() for word in words):
            lines = self._lines_with(f"(?i){patterns[0]}")
            found = (number for number, line in lines if all(re.search(one, _folded(line)) for one in patterns))
            return next((self.place(number, code) for number in found), None)
        is_there = words and all(re.search(pattern, self.folded) for pattern in patterns)
        return self._at(patterns[-1], self.folded, code) if is_there else None

    def _named(self, key: str) -> Place | None:
        """Return where all words of a name stand near to each other, in any order and inflection."""
        words = key.split()
        if not key.isascii() and len(words) == 1:  # Without blanks, the words before a name cannot be told from it.
            parts = [key[start:] for start in range(max(len(key) - 1, 1))]
            places = (
                self._at(rf"(?<![\u4e00-\u9fff]){part}" if part != key else key, self.folded, part) for part in parts
            )
            return next(filter(None, places), None)
        if joined := self._at(rf"{_start_of(''.join(words))}(?![^\W_])", self.folded, key):
            return joined
        longest = max(words, key=len)
        others = [_word_pattern(word) for word in words if word is not longest]
        for hit in islice(_word_pattern(longest).finditer(self.folded), MOST_LINES):
            start = max(hit.start() - _NEAR_CHARS, 0)
            near = self.folded[start : hit.end() + _NEAR_CHARS]
            hits = [(match.start() + start, match.end() + start) for one in others if (match := one.search(near))]
            if len(hits) == len(others) and not all(self._is_of_other(*one, words) for one in [*hits, hit.span()]):
                return self.place(self.folded.count("\n", 0, hit.start()), key)
        return None

    def _is_of_other(self, start: int, end: int, words: Sequence[str]) -> bool:
        """Say whether a word stands beside a word in capitals that is none of these: it is a part of another name."""
        if len(self.folded) != len(self.text):
            return False
        beside = (_WORD_BEFORE.search(self.text[max(start - 40, 0) : start]), _WORD_BEHIND.match(self.text, end))
        others = [one[1] for one in beside if one]
        is_beside_own = any(_word_pattern(word).fullmatch(_folded(one)) for one in others for word in words)
        return not is_beside_own and any(one[0].isupper() and not is_common(one) for one in others)

    def mentions(self, word: str) -> bool:
        """Say whether the text holds a folded word in any inflection."""
        return _word_pattern(word).search(self.folded) is not None

    def _lines_with(self, pattern: str) -> Iterator[tuple[int, str]]:
        at, number, end = 0, 0, -1
        for match in islice(re.finditer(pattern, self.text), MOST_LINES):
            if match.start() > end:
                number += self.text.count("\n", at, match.start())
                at = match.start()
                start = self.text.rfind("\n", 0, at) + 1
                end = self.text.find("\n", at)
                end = len(self.text) if end < 0 else end
                yield number, self.text[start:end]

    def _may_be_of(self, value: Value, other: Value) -> bool:
        """Say whether a day that is written without a year may be of the year of the other date."""
        year = value.key[:4]
        return other.key[0] != "-" or year[0] == "-" or year in self.text + self.path or not _YEAR.search(self.text)

    def _number(self, value: Value) -> Place | None:
        amounts = readings(value.text)
        digits = "".join(filter(str.isdigit, value.text))
        telling = digits.strip("0") or "0"
        pattern = _JOINS.join([_start_of(telling[0], "[1-9]"), *telling[1:]])
        places = (
            self.place(number, text)
            for number, line in self._lines_with(pattern)
            for spaced in [_THOUSAND.sub("000", _SPAN.sub(r"\1h \2min ", line)).replace("0o", "00")]
            for text, start, end in _numbers_of(spaced)
            if amounts & readings(text) and self._fits(value, number, spaced, start, end)
        )
        if first := next(places, None):  # Better where it stands as the answer writes it.
            return next((place for place in chain([first], places) if place.text == value.text), first)
        if len(digits) > 3 and (value.text.isdecimal() or len(digits) > 5):
            return self._digits(digits, value.text)
        if len(value.text.split()) > 1:  # Two numbers, as in `DN 32 640`, or a cell that a comma joins.
            return self._coded(value.text)
        if not value.unit and value.text.isdecimal() and int(value.text) <= 31:  # The day of a date.
            day = f"{int(value.text):02}"
            return self._at(
                rf"\d{{4}}-\d\d-{day}(?!\d)|(?<![\d.]){day}[./-]\d\d[./-]\d\d|(?<![\d:]){day}:\d\d",
                self.text,
                value.text,
            )
        whole = next(iter(amounts)) if len(amounts) == 1 else 0
        if whole != int(whole) or not 0 < whole < 15 or (whole <= MOST_COUNTED and not value.unit):
            return None
        for number, line in enumerate(self.lines[:MOST_LINES]):
            is_there = not value.unit or value.unit in units_in(line)
            if is_there and any(number_of_word(word) == whole for word in line.split()):
                return self.place(number, value.text)
        return None

    def _fits(self, value: Value, number: int, line: str, start: int, end: int) -> bool:
        """Say whether a number of the text may have the unit of an equal one: no other unit stands at it. A short one
        that is not a setting, as `timeout = 45`, needs the unit near to it or in the first line."""
        stands = unit_at(line, start, end)
        if value.unit and not stands and (day := _DAY_BEHIND.match(line, end)):
            return not date_key({"mm": day[1], "dd": "1", "yy": None})
        if stands or not value.unit or end - start > 2 or re.search(r"[=:] ?\"?$", line[:start]):
            return stands in ("", value.unit) or not value.unit
        return value.unit in units_in(
            " ".join([*self.lines[:1], *self.lines[max(number - 3, 0) : number], line])[-3_000:]
        )

    def _dated(self, value: Value) -> Place | None:
        if value.kind == "time":
            whole = r"|\d\s?(?:h|uhr|uur|[ap]\.?m|o['’]clock|[時时点시])|noon|midday|midnight|正午" * (
                value.key[3:] == "00"
            ) + "|[時时点시]\\s?[半반]" * (value.key[3:] == "30")
            for number, line in self._lines_with(rf"(?i)[:h.時时点시]\s?0?{int(value.key[3:])}(?!\d){whole}"):
                hours = _HOURS.sub(r"\1\3, \2", line[:20_000])
                if any(_is_same_time(value, one) for one in clocks_in(hours)):
                    return self.place(number, value.text)
            hour, minutes = int(value.key[:2]), value.key[3:]
            hours = rf"0?(?:{hour}|{hour % 12 or 12})"
            joined = rf"{hours}(?:[.:]|\s?[^\W\d_]{{1,8}}\s?)|{hour:02}"  # As in `9 u 30`, and then `0930Z`.
            apart = rf"(?:{joined}){minutes}|(?<![/-]){hours} ?- ?{minutes}(?![/-])|\({hours}, ?{int(minutes)}"
            apart += rf"|\b(?:ore|alle|kl|um|at|godz|las)\.? {hours}" * (minutes == "00")
            return self._at(rf"(?<!\d)(?:{apart})(?!\d|\s?[ap]\.?m)", self.text, value.text)
        is_month = len(value.key) == 7 and value.key[0] != "-"
        day = value.key[:4] if is_month else value.key[-2:].lstrip("0")
        compact = value.key.replace("-", "")
        pattern = rf"{day}(?!\d)(?:(?<!\d{day})|(?<=0{day})(?<!\d0{day}))|{compact}(?!\d)"
        month = int(value.key[5:]) if is_month else 0
        if is_month and (
            place := self._at(
                rf"(?<!\d)(?:0?{month}[/.-]{day}|{day}[/.-]0?{month}(?![./-]?\d))(?!\d)", self.text, value.text
            )
        ):
            return place
        for number, line in self._lines_with(pattern):
            dates = (claims_in if is_month else _dates_in)(line[:20_000])
            if any(_is_same_day(value, one) and self._may_be_of(value, one) for one in dates if one.kind == "date"):
                return self.place(number, value.text)
            if not is_month and (self._is_headed(value, number) or _is_of_unknown_month(value, line)):
                return self.place(number, value.text)
        return None

    def _is_headed(self, value: Value, number: int) -> bool:
        """Say whether a line begins with the day of a date, and the last month above it is the month of the date."""
        day = _HEADED_DAY.match(self.lines[number])
        if day is None or int(day[1]) != int(value.key[-2:]):
            return False
        for line in reversed(self.lines[max(number - _MOST_HEADED, 0) : number]):
            words = re.findall(r"[^\W\d_]{3,12}", line) if len(line) <= _MOST_HEADED else ()
            if months := [key for word in words if (key := date_key({"mm": word, "dd": "1", "yy": None}))]:
                is_month = any(key[2:4] == value.key[-5:-3] for key in months)
                return is_month and self._may_be_of(value, Value("date", months[0], ""))
        return False


@lru_cache(maxsize=2_048)
def _dates_in(line: str) -> tuple[Value, ...]:
    """Return the dates of a line, also those of a range, of short years, and without a year."""
    line = _DAYS.sub(r"\1\3, \2\3", _SHORT_YEAR.sub(r"\g<0> \1\2\3\g<2>20\4", line.replace("_", " ")))
    line = _YEAR_FIRST.sub(lambda day: f"{day[1]}-{day[3]:>02}-{day[4]:>02} ", line)
    line = _JOINED_DAY.sub(r"\1 \2 \3", _COMPACT_DAY.sub(r"\1-\2-\3 ", line))
    days = (Value("date", f"--{int(day[2]):02}-{int(day[1]):02}", "") for day in _DAY_OF_MONTH.finditer(line))
    return (*(value for value in values_in(line) if value.kind == "date"), *days)


def _folded(text: str) -> str:
    return fold_text(text).replace("’", "'")


def _word_pattern(word: str) -> re.Pattern[str]:
    ending = "[^\\W_]{0,2}" if len(word) > 3 else "s?"
    stem = _ENDING.sub("", word)
    other = rf"|{_start_of(stem)}{_ENDINGS}(?![^\W_])" if stem != word else ""
    if word.isalpha():  # `Wm.` of `William`
        other += rf"|{_start_of(word[0])}{'?'.join(word[1:])}?\."
    return re.compile(rf"{_start_of(word)}{ending}(?![^\W_]){other}")


_ENDINGS: Final = "(?:i?ego|i?emu|owi|iem|[aeo]m|i?ej|ie|i[au]|[aeiouys])?"
"""The endings of cases, as Slavic names have them."""
_ENDING: Final = re.compile(rf"(?<=[^\W\d_]{{3}}){_ENDINGS}$")


def _start_of(text: str, before: str = "[^\\W_]") -> str:
    """Return a pattern of a text that nothing of `before` precedes. It begins with the text, for a fast search."""
    literal = re.escape(text)
    return rf"{literal}(?<!{before}{literal})"


def _numbers_of(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield each number of a line as it may be read, with its span: whole with its separators, and cell by cell."""
    line = _NO_NUMBER.sub(lambda part: " " * len(part[0]), re.sub(r"(?<=\d)x(?=\d)", " ", line))
    measured = [range(0)]  # The spans of whole numbers with a unit, whose single digits are not numbers.
    for pattern in (_NUMBER, _PLAIN):
        for match in pattern.finditer(line[:20_000]):
            if pattern is _NUMBER and unit_at(line, match.start(), match.end()):
                measured.append(range(match.start(), match.end()))
            if pattern is _NUMBER or len(match[0]) > 1 or not any(match.end() - 1 in span for span in measured):
                yield match[0].lstrip("-"), match.start(), match.end()


def readings(number: str) -> set[float]:
    """Return the amounts that a number may mean: `1.199` is 1199 or 1.199."""
    digits = re.sub(r"[ '_\u00a0\u202f+-]", "", number)
    amounts = {amount_in(digits)}
    if re.fullmatch(r"\d{1,3}[.,]\d{3}(?<!000)", digits):
        amounts.add(float(digits.replace(",", ".")))
    return amounts


def _is_same_time(value: Value, other: Value) -> bool:
    """Say whether two times are the same; one with its half of the day is the same as one of 12 hours without."""
    if value.unit == HALF_DAY == other.unit or value.key == other.key:
        return value.key == other.key
    if value.unit == other.unit:  # `2:40` of `14:40`
        return int(value.key[:2]) + 12 == int(other.key[:2]) and value.key[2:] == other.key[2:]
    plain, marked = (other, value) if value.unit == HALF_DAY else (value, other)
    hour = int(plain.key[:2])
    return hour <= 12 and f"{(hour + 12) % 24:02}{plain.key[2:]}" == marked.key


def _is_of_unknown_month(value: Value, line: str) -> bool:
    """Say whether a line has the day and the year of a date around a word that may be a month."""
    day, year = int(value.key[-2:]), value.key[:4]
    words = re.findall(rf"(?<!\d)0?{day}[.ºª]?\s?([^\W\d_]{{3,14}}|[IVX]+)[.,]?\s?{year}(?!\d)", line)
    return any(not date_key({"mm": word, "dd": "1", "yy": None}) for word in words)


def _is_same_day(value: Value, other: Value) -> bool:
    if value.key == other.key or (len(value.key) == 7 and other.key.startswith(value.key)):
        return True
    if value.key[0] == "-" or other.key[0] == "-":
        return value.key[-5:] == other.key[-5:]
    return other_order(value) == other.key or other_order(other) == value.key


@dataclass
class ClaimTracer:
    """What a trial read, and what else supports an answer."""

    sources: Sequence[Source]
    question: str = ""
    free: Sequence[str] = ()
    """Texts that support a claim without a place: rules, paths, the clock."""
    computed: Sequence[str] = ()
    """Texts of what was computed: findings."""
    steps: Sequence[tuple[str, str]] = ()
    """The scripts of the trial, each with what it printed."""
    cited: frozenset[str] = frozenset()
    """The cited paths: a claim is looked for there first."""
    today: str = ""

    def trace(self, answer: str) -> tuple[TracedClaim, ...]:
        """Return the claims of an answer, each with what supports it."""
        ordered = sorted(self.sources, key=lambda source: source.path not in self.cited)
        return tuple(self._traced(value, answer, ordered) for value in claims_in(answer))

    def stands(self, text: str) -> bool:
        """Say whether what was read, or the question, states a number, a date or a text of a script."""
        if _YEAR.fullmatch(text) and any(text in source.text for source in self._all):
            return True  # also within a date
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text) in self._counted or first_place(self._all, Value("number", "", text)) is not None
        values, folded = claims_in(text), _folded(text)
        is_stated = bool(values) and all(first_place(self._all, value) for value in values)
        return is_stated or any(folded in source.folded for source in self._all)

    @cached_property
    def _counted(self) -> set[int]:
        """Whole numbers that the texts state, also as words."""
        return counted_in(tuple("\n".join(source.lines[:MOST_LINES]) for source in self._all))

    @cached_property
    def _all(self) -> list[Source]:
        return [*self.sources, *(Source("", text, ()) for text in (self.question, self.today, *self.free))]

    @cached_property
    def _outputs(self) -> ScriptOutputs:
        return ScriptOutputs(self.steps, lru_cache(self.stands))

    def _traced(self, value: Value, answer: str, sources: Sequence[Source]) -> TracedClaim:
        span = value.start, value.end, value.kind, value.text
        if place := first_place(sources, value):
            return TracedClaim(*span, "found", place)
        for scaled in scaled_values(value, answer):
            if place := first_place(sources, scaled):
                return TracedClaim(*span, "computed", None, (place,))
        others = self._all[len(self.sources) :]
        if first_place(others, value):
            return TracedClaim(*span, "given")
        if value.kind == "name" and starts_sentence(answer, value.start):
            rest = _without_titles(value.key.partition(" ")[2])
            is_told = any(source.mentions(rest) for source in (*sources, *others)) and " " not in rest
            if is_told and not any(source.mentions(value.key.partition(" ")[0]) for source in sources):
                return TracedClaim(*span, "given")  # One word of a name, behind a sentence's first word.
            if " " in rest and (place := first_place(sources, Value("name", rest, rest))):
                return TracedClaim(*span, "found", place)
        parts = _OF.split(value.text) if value.kind == "name" else []  # `Zustimmung von Ada Lovelace`
        names = [(part, _without_titles(fold_text(part))) for part in parts if " " in part and len(parts) > 1]
        places = [first_place(sources, Value("name", name, part)) for part, name in names]
        if parts[1:] and not names and all(any(one.mentions(fold_text(part)) for one in sources) for part in parts):
            return TracedClaim(*span, "given")  # `Fühler von Haus`
        if places and all(places):
            return TracedClaim(*span, "found", places[0])
        inputs = self._inputs(value, answer)
        return TracedClaim(*span, "missing" if inputs is None else "computed", None, inputs or ())

    def _inputs(self, value: Value, answer: str) -> tuple[Place, ...] | None:
        """Return the values from which a claim is computed, as far as they are known; None if it cannot be."""
        own = self._of_numbers(value, answer) if value.kind == "number" else None
        if own is not None or value.kind == "name":
            return own
        forms = (value, *scaled_values(value, answer))
        forms = tuple(replace(one, unit="") if one.kind == "number" else one for one in forms)
        for text in (*self.computed, *self._outputs.printed, self._outputs.stated(answer)):
            if any(Source("", text, ()).place_of(one) or _rounds_to(one, text) for one in forms):
                paths = dict.fromkeys(source.path for source in self.sources)
                return tuple(map(Place, [path for path in paths if path in self.cited] or paths))[:MOST_INPUTS]
        return None

    def _of_numbers(self, value: Value, answer: str) -> tuple[Place, ...] | None:
        """Return the two numbers beside a claim in the answer that were read, and of which it is computed; None without
        them: of all numbers that were read, two give almost any other one."""
        amount, decimals = amount_in(value.text), decimals_of(value.text)
        text = answer[max(value.start - _NEAR_CHARS, 0) : value.end + _NEAR_CHARS]
        others = [one for one in values_in(text) if one.kind == "number" and one.key != value.key][:MOST_BESIDE]
        beside = [(amount_in(one.text), place) for one in others if (place := first_place(self.sources, one))]
        for (one, first), (other, second) in combinations([number for number in beside if number[0]], 2):
            ratios = (one / other, other / one)
            shares = (*(100 * by for by in ratios), one * other / 100) if value.unit in ("", "%") or "%" in text else ()
            made = (one + other, abs(one - other), one * other, *ratios, *shares)
            if any(round(number, decimals) == amount for number in made):
                return first, second
        return None


def first_place(sources: Sequence[Source], value: Value) -> Place | None:
    """Return the first place where texts state a value, in any format."""
    return next((place for source in sources if (place := source.place_of(value))), None)


def _without_titles(name: str) -> str:
    first, _, rest = name.partition(" ")
    return _without_titles(rest) if rest and is_common(first) else name


def _rounds_to(value: Value, text: str) -> bool:
    """Say whether a longer fraction in a text is a number before it was rounded, unless that changes it by much."""
    amounts = {abs(amount) for amount in readings(value.text)} if value.kind == "number" else set()
    decimals = max(decimals_of(value.text), len(value.text.partition("0.")[2]))
    for one in islice(_FRACTION.findall(text), MOST_LINES) if any(amounts) else ():
        size = len(one.partition(".")[2])
        near = [amount for amount in amounts if abs(float(one) - amount) <= 0.5000001 * 10**-decimals]
        if near and size > decimals and (size > 3 or 10**-decimals <= near[0] / 50):  # Half a digit up, or to even.
            return True
    return False


def missing_in(claims: Iterable[TracedClaim]) -> list[str]:
    """Return the texts of the claims that nothing supports, each once."""
    return list(dict.fromkeys(claim.text for claim in claims if claim.support == "missing"))


MISSING: Final = "not in what was read"


def support_text(claim: TracedClaim, shown: Callable[[str], str]) -> str:
    """Return what supports a claim, in a few words; empty for what the question or the script's own change gives."""
    if claim.place is not None:
        return _place_text(claim.place, shown)
    if claim.support != "computed":
        return MISSING.upper() if claim.support == "missing" else ""
    inputs = ", ".join(_place_text(place, shown) + f" ({place.text})" * bool(place.text) for place in claim.inputs)
    return f"computed from {inputs or 'what scripts printed'}"


def _place_text(place: Place, shown: Callable[[str], str]) -> str:
    return shown(place.path) + f":{place.line}" * bool(place.line)


def footnoted(
    answer: str,
    claims: Sequence[TracedClaim],
    shown: Callable[[str], str] = str,
    *,
    text: Callable[[str], str] = str,
    quiet: Callable[[str], str] = str,
    loud: Callable[[str], str] = str,
) -> tuple[str, str]:
    """Return an answer with a mark behind each claim, and its footnotes; the last three functions write their parts."""
    notes: dict[str, int] = {}
    parts, at = [], 0
    for claim in claims:
        before, note, is_missing = answer[at : claim.start], support_text(claim, shown), claim.support == "missing"
        sign = _SIGN_BEHIND.match(answer, claim.end)
        at = sign.end() if sign else claim.end
        own = answer[claim.start : at]
        parts += [text(before), loud(f"{text(own)} [{note}]") if is_missing else text(own)]
        if note and not is_missing:
            parts.append(quiet(f" [{notes.setdefault(note, len(notes) + 1)}]"))
    parts.append(text(answer[at:]))
    foot = [quiet(text(f"  [{number}] {note}")) for note, number in notes.items()]
    if missing := missing_in(claims):
        foot.append(loud(text(f"{MISSING}: {', '.join(missing)}")))
    return "".join(parts).strip(), "\n".join(foot)


def tracer_of(
    evidence: Evidence,
    case: Case,
    cited: Iterable[str],
    steps: Sequence[tuple[str, str]] | None = None,
) -> ClaimTracer:
    """Return what the evidence of a trial holds: what was read as a whole before excerpts of it."""
    touches = evidence.touches.values()
    given = sorted(
        ((touch, text) for touch in touches for text in touch.given_texts), key=lambda one: one[1].is_excerpt
    )
    sources = [Source(touch.path, text.without_echo, text.lines) for touch, text in given]
    written = [text.text for touch in touches for text in touch.seen if not text.is_proof]
    paths = [path for paths in evidence.paths_by_spelling.values() for path in paths]
    free = (case.rules, "\n".join((*evidence.directories, *paths)), *written)
    made = tuple(finding.value for finding in evidence.findings)
    steps = evidence.steps if steps is None else steps
    return ClaimTracer(sources, case.instruction, free, made, steps, frozenset(cited), case.now[:10])
