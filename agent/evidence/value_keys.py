"""Returns keys by which a value of an argument is found in a text, in any spelling.

All spellings of a value share a key. A text is indexed by the keys of its values:

| spelling | key |
|---|---|
| `Emma@Site.com` | `emma@site.com` |
| `1,250.00` | `1250` |
| `15 May 2026` | `2026-05-15` |
| `US13 3000 0001 2121`, `us13-3000-0001-2121` | `us13300000012121` |
| `https://www.pay.org/form?x=1` | `pay.org/form?x=1`, and its host `pay.org` |

A value of several words, such as `Ann Miller`, has no key. It is compared as a phrase:
` ann miller `.
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
"""The shortest text that identifies something, in characters. Shorter texts occur
everywhere."""

# --- Words ---

_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_SENTENCE_END: Final = r"\p{Ll}\."
"""`k.` of `week.Please`"""
_FOUR_LETTERS: Final = r"\p{Lu}\p{Ll}{3}"
"""`Plea` of `week.Please`"""
_SHORT_FIRST_WORD: Final = r"(?:The|She|You|Our|And|But|For|Its)\b"
"""Common words of three letters with which a sentence begins."""
_JOINED_SENTENCES: Final = re2.compile(
    rf"({_SENTENCE_END})({_FOUR_LETTERS}|{_SHORT_FIRST_WORD})"
)
"""Two sentences without a blank between them: `week.Please`, `week.The`. Other words of
three letters do not count, because `.Com` in `site.Com` is the end of a host."""


def fold(text: str) -> str:
    """Return a text in lower case, with the changes that `unify` makes."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text with uniform width and apostrophes, and without invisible
    characters.

    Sentences that have no blank between them are separated. Upper and lower case stay.
    """
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    # RE2 refuses halves of surrogate pairs. `encodable` drops them.
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))


_JOINING_MARKS: Final = "-_.@'+,:/"
"""Marks that may stand within a word: `inv-2026-17`, `ann@site.com`, `1,250.00`,
`17:10`, `3/5`."""
_JOINING_BETWEEN_DIGITS: Final = ",:/"
"""The marks that may stand only between digits. In `ann,bob`, the comma separates two
words."""


class _CharactersOfWords(dict[int, str]):
    """A table for `str.translate` that keeps the characters of words, and makes others
    blanks.

    `translate` looks up the number of a character. An entry is made when it is first
    looked up.
    """

    def __missing__(self, code_point: int) -> str:
        char = chr(code_point)
        is_of_word = char.isalnum() or char in _JOINING_MARKS
        self[code_point] = char if is_of_word else " "
        return self[code_point]


_CHARACTERS_OF_WORDS: Final = _CharactersOfWords()
_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(_JOINING_MARKS, " "))
"""A table for `str.translate` that turns every mark within a word into a blank."""


def written_words(text: str) -> list[str]:
    """Return the words of a text as they are written.

    `Ann's inv-2026-17, ann,bob` -> `Ann's`, `inv-2026-17`, `ann`, `bob`
    """
    words: list[str] = []
    for chunk in text.translate(_CHARACTERS_OF_WORDS).split():
        word = chunk.strip(_JOINING_MARKS)
        is_plain = word.isalnum()
        if not is_plain and any(mark in word for mark in _JOINING_BETWEEN_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk, split at each comma, colon or slash not between two
    digits.

    `ann,bob` -> `ann`, `bob`; but `1,250` stays one word.
    """
    words: list[str] = []
    start = 0
    for position, char in enumerate(chunk):
        if char not in _JOINING_BETWEEN_DIGITS:
            continue
        before = chunk[start:position]
        behind = chunk[position + 1 :]
        is_between_digits = before[-1:].isdigit() and behind[:1].isdigit()
        if not is_between_digits:
            words.append(before.strip(_JOINING_MARKS))
            start = position + 1
    words.append(chunk[start:].strip(_JOINING_MARKS))
    return [word for word in words if word]


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded and without a genitive's `'s`.

    `Ann's inv-2026-17` -> `ann`, `inv-2026-17`
    """
    return [word.removesuffix("'s") for word in written_words(fold(text))]


def phrase_of(text: str) -> str:
    """Return the words of a text as a phrase, with a blank around each: ` ann miller
    `."""
    return f" {' '.join(words_of(text))} "


def is_small_number(word: str) -> bool:
    """Return True for a number of one or two digits, which most texts contain by
    chance."""
    return len(word) < MIN_IDENTIFYING_CHARS and word.isdigit()


_LETTERS_AND_DIGITS: Final = re2.compile(r"[\pL\pN]+")


def letters_and_digits(text: str) -> list[str]:
    """Return the runs of letters and digits in a text: `inv-17` -> `inv`, `17`."""
    return list(_LETTERS_AND_DIGITS.findall(encodable(text)))


def has_digit(text: str) -> bool:
    """Return True if a text has a digit."""
    return any(char.isdigit() for char in text)


# --- Keys of a text ---

_GROUP: Final = r"\pN[\pL\pN]*"
"""`3000`"""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_GROUP}"
"""`030`, or `US13` with a country's two letters"""
_SEPARATOR: Final = r"[-. /]{1,2}"
"""One or two signs between groups: `-`, ` /`"""
_FURTHER_GROUP: Final = rf"{_SEPARATOR}\(?\pL{{0,4}}{_GROUP}\)?"
"""` 3000`, `/BANK5` with a bank's letters, or ` (030)` in brackets"""
_GROUPED_NUMBER: Final = re2.compile(rf"{_FIRST_GROUP}(?:{_FURTHER_GROUP})+")
"""A number that is written in groups, such as an account or a telephone: `US13 3000
0001`, `030/123-4567`."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account or a telephone number has. The longest IBAN
has 34."""


def word_keys(text: str) -> set[str]:
    """Return the keys of a text's words, by their letters and digits.

    These are the words themselves, numbers in groups, mailboxes, URLs and their hosts.
    A part of a compound word has a key, too, if it has digits: `2026` in `inv-2026`.
    Small numbers have no key here: see `spelling_keys`.
    """
    folded = fold(text)
    keys = set[str]()
    for word in set(written_words(folded)):
        if is_small_number(word):
            continue
        keys.add(word.removesuffix("'s"))
        is_compound = not word.isalnum()
        if not is_compound:
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
    """Return the numbers in a text that are written in groups, such as `us13 3000
    0001`."""
    return list(_GROUPED_NUMBER.findall(encodable(folded_text)))


def account_keys(groups: str) -> set[str]:
    """Return the key of an account or a telephone: `+49 30 123-4567` -> `49301234567`.

    The key has the letters and digits, without the zeros of a dialling prefix such as
    `0049`. Returns an empty set if there are too few or too many of them.
    """
    joined = "".join(letters_and_digits(groups.casefold()))
    joined = joined.removeprefix("00")
    if MIN_ACCOUNT_CHARS <= len(joined) <= MAX_ACCOUNT_CHARS:
        return {joined}
    return set()


KINDS_WITH_SPELLINGS: Final = (
    Kind.NUMBER,
    Kind.DATE,
    Kind.TIME,
    Kind.TELEPHONE,
    Kind.ID,
)
"""Kinds of values that have spellings without a common word: `15 May 2026` and
`2026-05-15`."""


def spelling_keys(text: str, *, is_prose: bool, is_field: bool) -> set[str]:
    """Return the keys of the numbers, dates and telephones in a text, by their meaning.

    Most texts contain a small number, of one or two digits, by chance. So it seldom has
    a key:
    - In running text, only if it stands alone. It has none in "June 26", "3/5", "40%"
      and "Position 1", or as the number of a list's item.
    - In a field of data, never here. `Provenance` adds it if it is the whole field.
    """
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        starts_in_names = _starts_in_names(line) if is_prose else set[int]()
        for value in written_values(
            line, kinds=KINDS_WITH_SPELLINGS, max_values=len(line)
        ):
            is_small = value.kind is Kind.NUMBER and is_small_number(value.canonical)
            if is_small and is_field:
                continue
            is_part_of_more = bool(value.unit) or value.start in starts_in_names
            if is_small and is_prose and is_part_of_more:
                continue
            keys.update(keys_of_value(value))
    return keys


_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of a list's item: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one
line."""
_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number: `Position 1`, `Line 5`."""


def _starts_in_names(line: str) -> set[int]:
    """Return the offsets of numbers in a line that are part of a name or number a
    list's item."""
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAME_WITH_NUMBER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts


# --- Keys of a value ---


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value in a text. Two spellings of one value share a key."""
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
                # A text may have the date without the year: `June 26` has the key
                # `--06-26`. The second key lets an argument with a year match it.
                return value.canonical, f"--{month_and_day}"
            return (value.canonical,)
        case _:
            # `1.199` has two readings: 1199 and 1.199.
            return tuple(key for key in (value.canonical, value.other_canonical) if key)


def host_of(url: str) -> str:
    """Return the key of the host of a canonical URL: `www.pay.org/form?x=1` ->
    `pay.org`."""
    host = _without_www(url).partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


def _without_www(url: str) -> str:
    """Return a canonical URL without its `www.`, since most hosts answer to both
    names."""
    return url.removeprefix("www.").casefold()


MIN_HALF_CHARS: Final = 4
"""The shortest half of a joined value, in characters. Shorter texts occur
everywhere."""
MAX_HALVED_CHARS: Final = 100
"""The longest key whose halves are looked up, in characters. Each way to cut it costs a
look-up."""


def halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield each way to cut a key into two halves: `us13330001` -> (`us13`, `330001`)
    and so on.

    A script may have joined the value from two halves.
    """
    if len(key) > MAX_HALVED_CHARS or not key.isalnum():
        return
    last_cut = len(key) - MIN_HALF_CHARS
    for cut in range(MIN_HALF_CHARS, last_cut + 1):
        yield key[:cut], key[cut:]
