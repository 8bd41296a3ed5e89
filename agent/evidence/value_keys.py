"""Keys by which the values of arguments are found in texts, however they are spelled there.

All spellings of a value have a key in common. A text is indexed by the keys of its values:

| spelling | key |
|---|---|
| `Emma@Site.com` | `emma@site.com` |
| `1,250.00` | `1250` |
| `15 May 2026` | `2026-05-15` |
| `US13 3000 0001 2121`, `us13-3000-0001-2121` | `us13300000012121` |
| `https://www.pay.org/form?x=1` | `pay.org/form?x=1`, and its host `pay.org` |

Several words, as in `Ann Miller`, have no key. They are compared as a phrase: ` ann miller `.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import re2

from controlplane.gates.submission import encodable
from controlplane.gates.values.address_forms import mailbox_of
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

MIN_IDENTIFYING_CHARS: Final = 3
"""Characters of a text that identifies something: shorter ones are everywhere."""

# --- Words ---

_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_JOINED_SENTENCES: Final = re2.compile(
    r"(\p{Ll}\.)"  # the end of a sentence: `k.` of `week.Please`
    r"(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)"  # the beginning of the next: `Plea`
)
"""Two sentences without a blank between them. A word of fewer letters may end a host, as in `site.Com`, unless it is
one of those that often begin a sentence."""


def fold(text: str) -> str:
    """Return a text without differences of case, width, invisible characters and apostrophes."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text as `fold` does, but with its upper and lower case."""
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))


_JOINING_MARKS: Final = "-_.@'+,:/"
"""Marks that join letters and digits to one word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_JOINING_BETWEEN_DIGITS: Final = ",:/"
"""Those of the marks that join only digits: in `ann,bob` they stand between two words."""


class _SignsOfWords(dict[int, str]):
    """A table for `str.translate`: a blank for every sign that is not a part of a word."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isalnum() or char in _JOINING_MARKS else " "
        return self[code]


_SIGNS_OF_WORDS: Final = _SignsOfWords()
_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(_JOINING_MARKS, " "))
"""A table for `str.translate`: a blank for every mark within a word."""


def written_words(text: str) -> list[str]:
    """Return the words of a text as they are written: `Ann's inv-2026-17, ann,bob` -> `Ann's`, `inv-2026-17`, `ann`,
    `bob`."""
    words: list[str] = []
    for chunk in text.translate(_SIGNS_OF_WORDS).split():
        word = chunk.strip(_JOINING_MARKS)
        is_plain = word.isalnum()
        if not is_plain and any(mark in word for mark in _JOINING_BETWEEN_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk, split at a comma, colon or slash that does not stand between two digits."""
    words: list[str] = []
    start = 0
    for at, char in enumerate(chunk):
        if char not in _JOINING_BETWEEN_DIGITS:
            continue
        is_between_digits = chunk[at - 1].isdigit() and chunk[at + 1 : at + 2].isdigit()
        if at == start or not is_between_digits:
            words.append(chunk[start:at].strip(_JOINING_MARKS))
            start = at + 1
    words.append(chunk[start:].strip(_JOINING_MARKS))
    return [word for word in words if word]


def words_of(text: str) -> list[str]:
    """Return the words of a text in canonical form: `Ann's inv-2026-17` -> `ann`, `inv-2026-17`."""
    return [word.removesuffix("'s") for word in written_words(fold(text))]


def phrase_of(text: str) -> str:
    """Return the words of a text between blanks, so that whole words can be searched in it: ` ann miller `."""
    return f" {' '.join(words_of(text))} "


def is_small_number(word: str) -> bool:
    """Say whether a word is a number of one or two digits, which is in most texts by chance."""
    return len(word) < MIN_IDENTIFYING_CHARS and word.isdigit()


_LETTERS_AND_DIGITS: Final = re2.compile(r"[\pL\pN]+")


def letters_and_digits(text: str) -> list[str]:
    """Return the runs of letters and digits in a text, without the marks between them: `inv-17` -> `inv`, `17`."""
    return list(_LETTERS_AND_DIGITS.findall(encodable(text)))


def has_digit(text: str) -> bool:
    """Say whether a text has a digit."""
    return any(char.isdigit() for char in text)


# --- Keys of a text ---

_GROUP: Final = r"\pN[\pL\pN]*"
_GROUPED_NUMBER: Final = re2.compile(
    rf"(?:\pL{{2}})?{_GROUP}"  # the first group, perhaps after a country's letters: `US13`
    rf"(?:[-. /]{{1,2}}\(?\pL{{0,4}}{_GROUP}\)?)+"  # each further group: ` 3000`, ` (0)30`, `/BANK5`
)
"""A number in groups, as of an account or a telephone: `US13 3000 0001`, `030 / 123-4567`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""Letters and digits of the number of an account or a telephone: an IBAN has at most 34."""


def word_keys(text: str) -> set[str]:
    """Return the keys that the words of a text have by their letters and digits.

    These are the words themselves, the parts with digits of compound words, numbers in groups, mailboxes, URLs and
    their hosts. Small numbers have no key here, see `spelling_keys`.
    """
    folded = fold(text)
    keys = set[str]()
    for word in set(written_words(folded)):
        if is_small_number(word):
            continue
        keys.add(word.removesuffix("'s"))
        if word.isalnum():
            continue
        if "@" in word:
            keys.add(mailbox_of(word))
        for part in word.translate(_BLANKS_FOR_MARKS).split():
            if not part.isalpha() and len(part) >= MIN_IDENTIFYING_CHARS:
                keys.add(part)

    for groups in grouped_numbers(folded):
        keys |= account_keys(groups)

    for chunk in text.split():
        if "://" in chunk or "www." in chunk.casefold():
            for url in written_values(chunk, kinds=(Kind.URL,)):
                keys.update(keys_of_value(url))
                keys.add(host_of(url.canonical))
    return keys


def grouped_numbers(folded_text: str) -> list[str]:
    """Return the numbers of a text that are written in groups, such as `us13 3000 0001`."""
    return list(_GROUPED_NUMBER.findall(encodable(folded_text)))


def account_keys(groups: str) -> set[str]:
    """Return the key of an account or a telephone: `+49 30 123-4567` -> `49301234567`.

    That is its letters and digits without the zeros of a dialling prefix, as in `0049`. There is no key if they are too
    few or too many.
    """
    joined = "".join(letters_and_digits(groups.casefold()))
    joined = joined.removeprefix("00")
    if MIN_ACCOUNT_CHARS <= len(joined) <= MAX_ACCOUNT_CHARS:
        return {joined}
    return set()


KINDS_WITH_SPELLINGS: Final = (Kind.NUMBER, Kind.DATE, Kind.TIME, Kind.TELEPHONE, Kind.ID)
"""Kinds of values whose spellings have no word in common: `15 May 2026` and `2026-05-15`."""


def spelling_keys(text: str, *, is_prose: bool, is_field: bool) -> set[str]:
    """Return the keys that the numbers, dates and telephones of a text have by what they mean.

    A number of one or two digits is in most texts by chance. In running text it has a key if it is a value of its own,
    which it is not in "June 26", "3/5", "40%", "Position 1" and at the head of a list's item. In a field of data it has
    none here: it counts only if it is the whole field.
    """
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        starts_in_names = _starts_in_names(line) if is_prose else set[int]()
        for value in written_values(line, kinds=KINDS_WITH_SPELLINGS, max_values=len(line)):
            if value.kind is Kind.NUMBER and is_small_number(value.canonical):
                is_part_of_more = bool(value.unit) or value.start in starts_in_names
                if is_field or (is_prose and is_part_of_more):
                    continue
            keys.update(keys_of_value(value))
    return keys


_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list, as in `1. Stop.`, or in a line of several: `Here is how: 1. Stop. 2. Turn.`"""
_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number, as in `Position 1` and `Line 5`."""


def _starts_in_names(line: str) -> set[int]:
    """Return the offsets of the numbers in a line that only name an item of a list or a thing."""
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAME_WITH_NUMBER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts


# --- Keys of a value ---


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value that a text states. Two spellings of one value have a key in common."""
    match value.kind:
        case Kind.URL:
            return (_without_www(value.canonical),)
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return tuple(account_keys(value.canonical))
        case Kind.DATE:
            year, _, month_and_day = value.canonical.partition("-")
            if year and month_and_day:
                # `June 26` in a text, whose key is `--06-26`, may be meant by an argument with a year.
                return value.canonical, f"--{month_and_day}"
            return (value.canonical,)
        case _:
            # `1.199` may be read in two ways, as 1199 and as 1.199.
            return tuple(key for key in (value.canonical, value.other_canonical) if key)


def host_of(url: str) -> str:
    """Return the key of the host of a canonical URL: `www.pay.org/form?x=1` -> `pay.org`."""
    host = _without_www(url).partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


def _without_www(url: str) -> str:
    """Return a canonical URL without the `www.`: most hosts answer to both names."""
    return url.removeprefix("www.").casefold()


MIN_HALF_CHARS: Final = 4
"""Characters of each half of a value that was joined from two: shorter ones are everywhere."""
MAX_HALVED_CHARS: Final = 100
"""Characters of the longest key whose halves are looked up: each way to cut it is one look-up."""


def halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield the ways in which a key may have been joined from two: `us13330001` -> (`us13`, `330001`) and so on."""
    if len(key) > MAX_HALVED_CHARS or not key.isalnum():
        return
    for cut in range(MIN_HALF_CHARS, len(key) - MIN_HALF_CHARS + 1):
        yield key[:cut], key[cut:]
