"""Parses texts: words, numbers, amounts, dates, yes and no, marks in documents, tables; and tells the forms of values.

It makes the patterns of searches for words.

RE2 and Python's `re` read these patterns alike: no look-around, no back references, and no classes such as `\\w`, which
mean ASCII to one engine and Unicode to the other. A pattern may match more lines than are meant; `keeps` tells by
Python's engine which of them to keep.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias, TypeVar

import re2

from controlplane.gates.submission import encodable
from controlplane.gates.text_folding import fold_text
from controlplane.sandbox.functions import CannotRead

Key = TypeVar("Key")
Found = TypeVar("Found")


def sure(value: Found | None, why: str) -> Found:
    """Return a value that a workspace tells for certain. Raises `CannotRead` with a reason if it is empty or false."""
    if not value:
        raise CannotRead(why)
    return value


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_NO_WORD: Final = re.compile(r"[^\w.]+|_|(?<!\d)\.|\.(?!\d)")
BARE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
TRANSCRIBED_LETTERS: Final = BARE_LETTERS | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
)
_TITLES: Final = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mag", "the", "branch"}
)
_APOSTROPHE: Final = re.compile(r"['’]s\b|(?<=\w)['’](?=\w)")
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})


def normal_words(text: str) -> str:
    """Return lower-case words with single blanks: `18V, 2 pcs` is `18 v 2 pc`. Decimal commas become points."""
    folded = _DECIMAL_COMMA.sub(".", unicodedata.normalize("NFKC", text).casefold())
    spaced = _NO_WORD.sub(" ", _NUMBER_AND_UNIT.sub(" ", folded))
    words = []
    for word in spaced.split():
        if word in _PIECES:
            word = "pc"
        words.append(word)
    return " ".join(words)


def holds_words(text: str, words: str) -> bool:
    """Say whether a normal form holds another as whole words in a row."""
    return bool(words) and f" {words} " in f" {text} "


def names_match(candidate: str, query: str) -> bool:
    """Say whether all words of one name are words of the other, in any order. An empty name matches nothing.

    Letters with marks match those without and their transcriptions: `Zoë Müller` is `Zoe Muller` and `Zoe Mueller`.
    """
    candidate_words = _spelt_words(candidate)
    query_words = _spelt_words(query)
    if not candidate_words or not query_words:
        return False
    if _joined(candidate_words) == _joined(query_words):
        return True
    fewer_words, more_words = sorted((candidate_words, query_words), key=len)
    return all(_is_among(word, more_words) for word in fewer_words)


def _joined(words: Iterable[Set[str]]) -> str:
    """Return the shortest spellings of words as one word: `Mary Ann` is `Maryann`."""
    return "".join(min(spellings, key=len) for spellings in words)


def _is_among(spellings: Set[str], words: Iterable[Set[str]]) -> bool:
    """Say whether one of several words has a spelling of this one."""
    return any(not spellings.isdisjoint(word) for word in words)


def _spelt_words(name: str) -> list[set[str]]:
    """Return the spellings of each word of a name but titles: without marks, and with transcribed letters."""
    plain_name = _APOSTROPHE.sub("", name.replace("İ", "I"))
    words = []
    for word in normal_words(plain_name).split():
        bare = fold_text(word.translate(BARE_LETTERS))
        transcribed = fold_text(word.translate(TRANSCRIBED_LETTERS))
        if bare not in _TITLES and transcribed not in _TITLES:
            words.append({bare, transcribed})
    return words


def called_by_own_words(words: Mapping[Key, Collection[str]], asked: Set[str]) -> list[Key]:
    """Return the things whose unique words are all in `asked`. `words` are the words of each thing."""
    owners: Counter[str] = Counter()
    for own_words in words.values():
        owners.update(set(own_words))
    called = []
    for key, own_words in words.items():
        unique_words = {word for word in own_words if owners[word] == 1}
        if unique_words and unique_words <= asked:
            called.append(key)
    return called


_AMOUNT: Final = r"(\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
_CURRENCY: Final = r"(?:EUR(?:OS?)?|€)"
_MONEY: Final = re.compile(
    rf"(?:{_CURRENCY}\s*{_AMOUNT}(?![\d]))|(?:(?<![\w.,-]){_AMOUNT}\s*{_CURRENCY}(?!\w))",
    re.IGNORECASE,
)


_NARROW_BLANK: Final = re.compile(r"[\u00a0\u2009\u202f]")
"""Blanks that group digits or stand between a number and its currency."""


def money_in_text(text: str) -> int | None:
    """Return the first amount in euros of a text, in cents; None without an amount."""
    match = _MONEY.search(_NARROW_BLANK.sub(" ", text))
    if match is None:
        return None
    return cents_of(match[1] or match[2])


_DECIMALS: Final = re.compile(r"[.,](\d{1,2})$")
"""`,5` or `.50` at the end of an amount; three digits are a group of thousands."""
_GROUP_MARK: Final = re.compile(r"[.,' ]")


def cents_of(amount: str) -> int:
    """Return a written amount in cents: `1.200,50` and `1,200.50` are one amount, `1.200` is twelve hundred."""
    whole = amount
    cents = ""
    decimals = _DECIMALS.search(amount)
    if decimals:
        whole = amount[: decimals.start()]
        cents = decimals[1]
    euros = _GROUP_MARK.sub("", whole)
    return int(Decimal(f"{euros}.{cents or 0}") * 100)


def amount_text(cents: int) -> str:
    """Return an amount as the shop writes it: `EUR 123.45`."""
    sign = "-" if cents < 0 else ""
    return f"EUR {sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


_ENTRY: Final = re2.compile(
    r"[^\S\n]*(?:[-+*•–]\s|#{1,6}\s|\(?(?:\d{1,2}|[a-z])[.)]\s|\*\*[\pL\pN_]|__[\pL\pN_]|\|)"
)
"""The start of a list entry: a sign, heading, number, letter, bold name, or table row."""


@lru_cache(maxsize=64)
def entries_of(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list entries of a document, with single spaces."""
    entries: list[list[str]] = [[]]
    for line in encodable(text).split("\n"):
        if not line.strip() or _ENTRY.match(f"{line}\n"):
            entries.append([])
        entries[-1] += line.split()
    return tuple(" ".join(words) for words in entries if words)


_ABOUT_YES_NO: Final = re2.compile(r"(?i)\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b")
_EITHER: Final = re2.compile(r"(?i)\byes\b.*\bno\b|\bis so\b.*\bis not\b")


def yes_no_words(rules: str) -> list[str]:
    """Return the tokens on the lines of a rules document that speak of yes and no: in code marks, then in `<>`."""
    lines = [line for line in encodable(rules).splitlines() if _ABOUT_YES_NO.search(line)]
    words: dict[str, None] = {}
    for mark in (MARK, _ANGLES):
        for line in lines:
            words.update(dict.fromkeys(mark.findall(line)))
    return list(words)


def yes_no_pair(rules: str) -> tuple[str, str] | None:
    """Return the words for yes and for no: the two marked ones of the only paragraph that mentions yes before no.

    None if no paragraph does, or several do and differ.
    """
    pairs = set()
    for entry in entries_of(rules):
        marked: dict[str, None] = {}
        for word in MARK.findall(entry):
            is_path_or_outcome = word.startswith(("/", "OUTCOME_"))
            if not is_path_or_outcome:
                marked[word] = None
        if len(marked) == 2 and _EITHER.search(entry):
            yes_word, no_word = marked
            pairs.add((yes_word, no_word))
    if len(pairs) == 1:
        return pairs.pop()
    return None


_DAYS: Final = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "today": 0,
}
_DAY: Final = re.compile(rf"\b(?:{'|'.join(_DAYS)})\b", re.IGNORECASE)
_WORDS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBER_WORDS: Final = {word: number for number, word in enumerate(_WORDS.split(), 1)} | {
    "thirty": 30
}
_COUNT: Final = rf"(?<![\w-])(?:\d{{1,4}}|an?|{'|'.join(NUMBER_WORDS)})"
_UNITS: Final = {"d": 1, "w": 7, "f": 14}
_UNIT: Final = r"days?|weeks?|fortnights?"
_COUNTED: Final = re.compile(
    rf"\b(?:in (?P<in>{_COUNT}) (?P<in_unit>{_UNIT})"
    rf"|(?P<from>{_COUNT}) (?P<from_unit>{_UNIT}) (?:from (?:now|today)|hence|later)"
    rf"|(?P<ago>{_COUNT}) (?P<ago_unit>{_UNIT}) (?:ago|back|earlier|prior))\b",
    re.IGNORECASE,
)
_UNCERTAIN: Final = re.compile(
    r"\b(?:days|weeks?|months?|years?|fortnights?)\W+(?:from|ago|hence|later|back|earlier|after|before|today|tomorrow|yesterday)\b"
    r"|\b(?:not|today|tomorrow|yesterday) (?:today|tomorrow|yesterday|week|fortnight)\b",
    re.IGNORECASE,
)
"""A distance that is not counted in days, or a day that is not asked."""
_FORM: Final = re.compile(
    r"\b(?=[\w./ -]*YYYY)(?:YYYY|MM|DD)(?:[./ -](?:YYYY|MM|DD)){2}\b", re.IGNORECASE
)
ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def relative_date(text: str, clock: str) -> str | None:
    """Return the asked date as the request writes dates (`DD-MM-YYYY`, `MM/DD/YYYY`, ...).

    `clock` is what the clock prints; its first ISO date is today. None if the request does not name a day, names
    two besides today, or does not have a single form.
    """
    today_match = ISO_DAY.search(clock)
    forms = {match[0] for match in _FORM.finditer(text)}
    days = _day_asked(text)
    if today_match is None or len(forms) != 1 or days is None:
        return None
    day = date.fromisoformat(today_match[0]) + timedelta(days=days)
    parts = {"YYYY": f"{day.year:04d}", "MM": f"{day.month:02d}", "DD": f"{day.day:02d}"}
    return re.sub(
        r"YYYY|MM|DD", lambda part: parts[part[0].upper()], forms.pop(), flags=re.IGNORECASE
    )


def _day_asked(text: str) -> int | None:
    days = {_distance(match) for match in _COUNTED.finditer(text)}
    text = _COUNTED.sub(" ", text)
    if _UNCERTAIN.search(text):
        return None
    days |= {_DAYS[day.casefold()] for day in _DAY.findall(text)}
    if len(days) > 1:
        days.discard(0)  # today is what another day is counted from
    return days.pop() if len(days) == 1 else None


def _distance(match: re.Match[str]) -> int:
    """Return the days of `in 10 days`, `a week from now` or `2 weeks ago`."""
    if match["in"]:
        return _days_counted(match["in"], match["in_unit"])
    if match["from"]:
        return _days_counted(match["from"], match["from_unit"])
    return -_days_counted(match["ago"], match["ago_unit"])


def _days_counted(count_word: str, unit: str) -> int:
    """Return the days of `10` and `weeks`, or of `a` and `fortnight`."""
    word = count_word.casefold()
    if word.isdigit():
        count = int(word)
    else:
        count = NUMBER_WORDS.get(word, 1)  # `a` and `an`
    return count * _UNITS[unit[0].casefold()]


_BETWEEN_WORDS: Final = "[^0-9A-Za-z]"
_BEFORE: Final = f"(?:^|{_BETWEEN_WORDS})"
_BEHIND: Final = f"(?:{_BETWEEN_WORDS}|$)"
_BLANKS: Final = r"[ \t]*"


@dataclass(frozen=True)
class WordSearch:
    """A search for words in a row, in any case, however they are separated and files spell their letters."""

    words: Sequence[str]

    @cached_property
    def _spelt(self) -> list[str]:
        return ["".join(map(_letter_pattern, word)) for word in self.words]

    @property
    def pattern(self) -> str:
        """The pattern to send."""
        in_a_row = f"{_BETWEEN_WORDS}*".join(self._spelt)
        return f"(?i){_BEFORE}{in_a_row}{_BEHIND}"

    @cached_property
    def _strict(self) -> re.Pattern[str]:
        in_a_row = r"[\W_]*".join(self._spelt)
        return re.compile(rf"(?i)(?<![^\W_]){in_a_row}(?![^\W_])")

    def keeps(self, line: str) -> bool:
        """Say whether a line holds the words, and not only as parts of others."""
        return self._strict.search(line) is not None


def _letter_pattern(letter: str) -> str:
    """Return a letter as files may spell it: beyond ASCII also escaped as in JSON, or without its marks."""
    if letter.isascii():
        return str(re2.escape(letter))
    spellings = [re2.escape(letter)]
    for case in (letter, letter.upper()):
        if len(case) == 1:
            spellings.append(rf"\\u{ord(case):04x}")
    spellings.append(re2.escape(fold_text(letter.translate(BARE_LETTERS))))
    spellings.append(letter.translate(TRANSCRIBED_LETTERS))
    return f"(?:{'|'.join(spellings)})"


def text_field_pattern(keys: Iterable[str]) -> str:
    """Return the pattern of lines on which one of these keys of a JSON record has a text as its value."""
    return f'"(?:{"|".join(map(re2.escape, keys))})":{_BLANKS}"'


def field_pattern(key: str) -> str:
    """Return the pattern of lines on which this key of a JSON record has a value."""
    return f'"{re2.escape(key)}":'


Data: TypeAlias = Mapping[str, Any]


class Shape(StrEnum):
    """The form of a value."""

    FLAG = "flag"
    NUMBER = "number"
    INSTANT = "instant"
    CURRENCY = "currency"
    MAIL = "mail"
    ID = "id"
    """A prefix and a number, such as `cust-0174`."""
    WORD = "word"
    """One word in lower case, such as a state."""
    TEXT = "text"
    WORDS = "words"
    ROWS = "rows"
    """A list of mappings, perhaps empty."""
    MAPPING = "mapping"
    NOTHING = "nothing"


_TEXT: Final = re.compile(
    r"(?P<instant>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)"
    r"|(?P<currency>[A-Z]{3})|(?P<mail>[^@\s]+@[^@\s]+\.[^@\s]+)"
    r"|(?P<id>[A-Za-z]+[-_]\d+)|(?P<word>[a-z]+(?:[-_][a-z]+)*\d*)"
)
_SHAPES: Final = {bool: Shape.FLAG, int: Shape.NUMBER, float: Shape.NUMBER, dict: Shape.MAPPING}
_TEXT_SHAPES: Final = {shape.value: shape for shape in Shape}


def shape_of(value: object) -> Shape:
    """Return the form of a value."""
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        return _TEXT_SHAPES[match.lastgroup or ""] if match else Shape.TEXT
    if isinstance(value, list):
        types = set(map(type, value))
        if types == {str}:
            return Shape.WORDS
        if types <= {dict}:
            return Shape.ROWS
        return Shape.NOTHING
    return _SHAPES.get(type(value), Shape.NOTHING)


def keys_of(data: Data, *shapes: Shape) -> list[str]:
    """Return the fields whose values have one of these forms, in the record's order."""
    return [key for key, value in data.items() if shape_of(value) in shapes]


def rows_of(data: Data, key: str) -> list[Data]:
    """Return the rows of a field; none if it holds something else."""
    rows = data.get(key)
    return list(rows) if isinstance(rows, list) and shape_of(rows) is Shape.ROWS else []


def every_row(samples: Iterable[Data]) -> Iterator[tuple[str, Data]]:
    """Yield field and row of every list of rows."""
    for data in samples:
        for key in data:
            for row in rows_of(data, key):
                yield key, row


MARK: Final = re2.compile(r"`([^`\n]+)`")
_ANGLES: Final = re2.compile("<[A-Z]+>")
_PATH: Final = re.compile(r"(?:^|(?<=[\s`(\[\"']))/[A-Za-z][\w.-]*(?:/[\w.-]+)*", re.MULTILINE)


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return everything in code marks, in its order, repetitions included."""
    return tuple(MARK.findall(encodable(" ".join(line.strip() for line in text.split("\n")))))


@lru_cache(maxsize=128)
def named_paths(text: str) -> tuple[str, ...]:
    """Return the absolute paths that a text names, in code marks or without, each once."""
    return tuple(dict.fromkeys(path.rstrip(".") for path in _PATH.findall(text)))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return the word of `among` that a text marks most often, the first of equals; empty if it marks none of them."""
    words = [word for word in marked_words(text) if word in among]
    return max(dict.fromkeys(words), key=words.count, default="")


def marked_behind(text: str, word: str, *, most_chars: int = 20) -> str:
    """Return the next marked text after a marked word, within a few characters; empty if there is none."""
    if f"`{word}`" not in text:
        return ""
    plain = " ".join(text.split())
    match = re.search(rf"`{re.escape(word)}`[^`.;]{{0,{most_chars}}}`([^`\n]+)`", plain)
    return match[1] if match else ""


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows by the normal words of their headers, such as `lane id`. Raises `CannotRead` for uneven rows."""
    lines = [line for line in text.splitlines() if line.strip()]
    separator = next((mark for mark in ("\t", ";", ",") if lines and mark in lines[0]), "\t")
    headers, *rows = [[cell.strip() for cell in line.split(separator)] for line in lines] or [[]]
    names = [normal_words(header) for header in headers]
    is_even = len(set(names)) == len(names) and all(len(row) == len(names) for row in rows)
    sure(is_even, "the table has headers twice, or a row with other columns than its header")
    return [dict(zip(names, row, strict=True)) for row in rows]


def columns_called(
    rows: list[dict[str, str]], wanted: Mapping[str, tuple[str, ...]], perhaps: Collection[str] = ()
) -> dict[str, str]:
    """Return the header of each wanted column: the first of its words that is a header, else the only header with one.

    Raises `CannotRead` for a table without rows or without one of the columns; those of `perhaps` may be missing.
    """
    headers = list(rows[0]) if rows else []
    columns: dict[str, str] = {}
    for name, words in wanted.items():
        exact = [word for word in words if word in headers]
        near = [header for word in words for header in headers if f" {word} " in f" {header} "]
        why = f"the table has no single column for {name}; it has {', '.join(headers) or 'no rows'}"
        is_single = bool(exact) or len(set(near)) == 1
        sure(is_single or name in perhaps, why)
        columns |= {name: (exact or near)[0]} if is_single else {}
    return columns
