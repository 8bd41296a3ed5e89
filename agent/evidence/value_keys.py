"""The keys under which the values of arguments and of texts are compared.

All spellings of a value have a key in common: `Emma@Site.com` and `emma@site.com`, `1,250.00` and `1250`, an account
with and without blanks. A text is indexed by the keys of its values; an argument is a value with parts, each of which
is looked up by its own keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.evidence.call_text import leaves_of
from controlplane.agent.evidence.text_forms import forms_of
from controlplane.gates.submission import encodable
from controlplane.gates.values.address_forms import mailbox_of
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import Plain, bounds

MIN_TELLING_CHARS: Final = 3
"""Characters of a text that identifies something: shorter ones are everywhere."""
MAX_PHRASE_WORDS: Final = 8
"""Words of a text that is looked up as a whole; docs/provenance.md has the curve by which it was chosen."""
MIN_PART_CHARS: Final = 6
"""Characters of a part of a compound word that identifies something: a shorter one may be a year."""
MIN_HALF_CHARS: Final = 4
"""Characters of each half of a value that was joined from two."""
MAX_HALVED_CHARS: Final = 100
"""Characters of a value of which halves are looked up."""
MIN_ACCOUNT_CHARS: Final = 8
MAX_ACCOUNT_CHARS: Final = 40
"""Letters and digits of the number of an account or a telephone: an IBAN has at most 34."""

_RUN: Final = re2.compile(r"[\pL\pN]+")
_GROUPS: Final = re2.compile(r"(?:\pL{2})?\pN[\pL\pN]*(?:[-. /]{1,2}\(?\pL{0,4}\pN[\pL\pN]*\)?)+")
"""A number in groups, as of an account or a telephone: `US13 3000 0001`, `030 / 123-4567`."""
_JOINING_MARKS: Final = "-_.@'+,:/"
"""Marks that join letters and digits to one word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_JOINING_DIGITS: Final = ",:/"
"""Those that join digits alone: in `ann,bob` they stand between two words."""
_SPELLED_KINDS: Final = (Kind.NUMBER, Kind.DATE, Kind.TIME, Kind.TELEPHONE, Kind.ID)
"""Kinds whose spellings have no word in common: `15 May 2026` and `2026-05-15`."""
_ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS: Final = (*_SPELLED_KINDS, Kind.URL, Kind.MAIL, Kind.IBAN)
_GLUED: Final = re2.compile(r"(\p{Ll}\.)(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)")
"""Two sentences without a blank between them, as in `week.Please`. A word of fewer letters may end a host, as in
`site.Com`, unless it is one of those that begin a sentence."""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)[0-9]{1,2}[.)] ")
"""The number of an item in a list, as in `1. Stop.`, or in a line of several: `Here is how: 1. Stop. 2. Turn.`"""
_NAMED_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ [0-9]{1,2}\b")
"""A number that is a part of a name, as in `Position 1` and `Line 5`."""
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, as it is looked up: as a whole and, if it is nowhere, by its parts."""

    text: str
    """As it is written."""
    keys: tuple[str, ...] = ()
    """Any of them stands for the whole value."""
    phrase: str = ""
    """Its words in canonical form, looked up as a whole; empty if the keys say it all."""
    parts: tuple[ArgumentValue, ...] = ()
    is_whole: bool = False
    """True for an argument, or an item of one; false for a part of a longer text."""
    is_address: bool = False
    """True for what says whom, or what, a call reaches: an account, a mail address, a URL, a telephone."""


def fold(text: str) -> str:
    """Return a text without differences of case, width, invisible characters and apostrophes."""
    return _unified(text).casefold()


def _unified(text: str) -> str:
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    return str(_GLUED.sub(r"\1 \2", encodable(text)))


class _WordMarks(dict[int, str]):
    """Blanks for `str.translate` in place of every sign that is in no word."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isalnum() or char in _JOINING_MARKS else " "
        return self[code]


_WORD_MARKS: Final = _WordMarks()
_WORD_PARTS: Final = str.maketrans(dict.fromkeys(_JOINING_MARKS, " "))
"""Blanks for `str.translate` in place of the marks within a word."""


def written_words(text: str) -> list[str]:
    """Return the words of a text as they are written, compounds unsplit."""
    words: list[str] = []
    for chunk in text.translate(_WORD_MARKS).split():
        word = chunk.strip(_JOINING_MARKS)
        is_plain = word.isalnum()
        if not is_plain and any(mark in word for mark in _JOINING_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk, split at a comma, colon or slash that does not stand between two digits."""
    words: list[str] = []
    start = 0
    for at, char in enumerate(chunk):
        if char not in _JOINING_DIGITS:
            continue
        is_between_digits = chunk[at - 1].isdigit() and chunk[at + 1 : at + 2].isdigit()
        if at == start or not is_between_digits:
            words.append(chunk[start:at].strip(_JOINING_MARKS))
            start = at + 1
    words.append(chunk[start:].strip(_JOINING_MARKS))
    return [word for word in words if word]


def words_of(text: str) -> list[str]:
    """Return the words of a text in canonical form, compounds unsplit and without a possessive `'s`."""
    return [word.removesuffix("'s") for word in written_words(fold(text))]


def phrase_of(text: str) -> str:
    """Return the words of a text as one text in which whole words can be searched: between blanks."""
    return f" {' '.join(words_of(text))} "


def is_small_number(word: str) -> bool:
    """Say whether a word is a number of one or two digits, which is in most texts by chance."""
    return len(word) < MIN_TELLING_CHARS and word.isdigit()


# Keys of texts.


def word_keys(text: str) -> set[str]:
    """Return the keys of the words in a text, of the longer parts with digits of compounds, of numbers in groups, and
    of addresses. Small numbers have none: see `spelling_keys`."""
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
        for run in word.translate(_WORD_PARTS).split():
            if not run.isalpha() and len(run) >= MIN_TELLING_CHARS:
                keys.add(run)
    for groups in _GROUPS.findall(encodable(folded)):
        keys |= _account_keys(groups)
    for chunk in text.split():
        if "://" in chunk or "www." in chunk.casefold():
            for value in written_values(chunk, kinds=(Kind.URL,)):
                keys.update(keys_of_value(value))
                keys.add(host_of(value.canonical))
    return keys


def spelling_keys(text: str, *, is_prose: bool, is_field: bool) -> set[str]:
    """Return the keys of the numbers, dates and telephones in a text, which have many spellings.

    A small number counts in running text if it is a value of its own, which "June 26", "3/5", "40%",
    "Position 1" and the marker of a list's item are not; in a field of data, if it is the whole field.
    """
    keys = set[str]()
    for line in text.splitlines():
        if not _has_digit(line):
            continue
        numbers_of_names = _numbers_of_names(line) if is_prose else ()
        for value in written_values(line, kinds=_SPELLED_KINDS, max_values=len(line)):
            is_small = value.kind is Kind.NUMBER and is_small_number(value.canonical)
            is_part = bool(value.unit) or value.start in numbers_of_names
            if is_small and ((is_prose and is_part) or is_field):
                continue
            keys.update(keys_of_value(value))
    return keys


def _numbers_of_names(line: str) -> set[int]:
    """Return where the numbers of list items and of names begin in a line."""
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAMED_NUMBER):
        for match in pattern.finditer(encodable(line)):
            digits = match[0].rstrip(".) ")
            number = len(digits) - len(digits.rstrip("0123456789"))
            starts.add(match.start() + len(digits) - number)
    return starts


def keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value that a text states; two spellings of one value have one in common."""
    match value.kind:
        case Kind.URL:
            return (without_www(value.canonical),)
        case Kind.MAIL:
            return (mailbox_of(value.canonical),)
        case Kind.IBAN | Kind.TELEPHONE:
            return tuple(_account_keys(value.canonical))
        case Kind.DATE:
            year, separator, day = value.canonical.partition("-")
            if year and separator:  # "June 26" in a text may be meant by an argument with a year.
                return value.canonical, f"--{day}"
            return (value.canonical,)
        case _:
            return tuple(filter(None, (value.canonical, value.other_canonical)))


def host_of(url: str) -> str:
    """Return the key of the host of a canonical URL."""
    host = without_www(url).partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


def without_www(url: str) -> str:
    """Return a canonical URL without the `www.` that most hosts answer to as well."""
    return url.removeprefix("www.").casefold()


def _account_keys(groups: str) -> set[str]:
    """Return the keys of a number in groups: its letters and digits, without the zeros of a dialling prefix."""
    squeezed = "".join(_RUN.findall(groups.casefold()))
    squeezed = squeezed.removeprefix("00")
    if MIN_ACCOUNT_CHARS <= len(squeezed) <= MAX_ACCOUNT_CHARS:
        return {squeezed}
    return set()


# Values of arguments.


def argument_values(argument: Plain) -> Iterator[ArgumentValue]:
    """Yield the values of an argument that identify something, each item and name in it by itself.

    A text that is encoded, as in base64, hexadecimal or a URL's escapes, is looked up decoded as well.
    """
    for leaf in leaves_of(argument):
        for form in forms_of(leaf):
            value = _whole_value(form.strip())
            if value is not None:
                yield value


def _whole_value(text: str) -> ArgumentValue | None:
    """Return a text of an argument as a value; None if nothing in it identifies anything."""
    words = words_of(text)
    is_short = 0 < len(words) <= MAX_PHRASE_WORDS and "\n" not in text
    inner_values = written_values(text, kinds=_KINDS, max_values=bounds.MOST_TRACED_VALUES)
    parts = tuple(_parts_of(text, inner_values, has_dates=is_short))
    if not is_short or not _is_telling_text(text):
        return ArgumentValue(text, parts=parts) if parts else None
    for inner_value in inner_values:
        is_whole = inner_value.text.strip() == text
        if is_whole and inner_value.kind is not Kind.ID:
            keys = keys_of_value(inner_value)
            return ArgumentValue(text, keys, parts=_inner_parts(inner_value), is_whole=True)
    keys = tuple(_account_keys(text)) if _has_digit(text) else ()
    if len(words) == 1:
        return ArgumentValue(text, (words[0], *keys), parts=parts, is_whole=True)
    return ArgumentValue(text, keys, phrase_of(text), parts, is_whole=True)


def _is_telling_text(text: str) -> bool:
    """Say whether a short text identifies something: a number does, and a text that is not one word in small letters,
    such as `restart`."""
    if text.isalpha() and text.islower() and text.isascii():
        return False
    min_chars = 1 if text.isdigit() else MIN_TELLING_CHARS
    return len(text) >= min_chars and any(char.isalnum() for char in text)


def _parts_of(
    text: str, inner_values: Iterable[WrittenValue], *, has_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the values within a text: addresses, accounts, dates, then the other words with digits or marks. In running
    text (without `has_dates`) a date is only told, and reaches nothing."""
    rest = list(text)
    for value in inner_values:
        is_number = value.kind in (Kind.NUMBER, Kind.TIME)
        if is_number or value.kind is Kind.ID:
            continue  # Its word is looked up below, if it is long enough to identify something.
        if has_dates or value.kind is not Kind.DATE:
            yield _written_part(value)
        rest[value.start : value.end] = " " * (value.end - value.start)
    remaining = "".join(rest)
    for groups in _GROUPS.findall(encodable(fold(remaining))):
        for key in _account_keys(groups):
            yield ArgumentValue(groups, (key,), is_address=True)
    for word in written_words(_unified(remaining)):
        if _is_telling_word(word):
            yield _word_part(word)


def _written_part(value: WrittenValue) -> ArgumentValue:
    """Return a value of a known kind within a text."""
    keys = keys_of_value(value)
    is_address = value.kind in _ADDRESS_KINDS
    return ArgumentValue(value.text, keys, parts=_inner_parts(value), is_address=is_address)


def _inner_parts(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the parts of a URL, which are looked up if the URL is nowhere: its host, and the words of its path."""
    if value.kind is not Kind.URL:
        return ()
    host = host_of(value.canonical)
    parts = [ArgumentValue(host, (host,), is_address=True)]
    for word in written_words(value.text.partition("://")[2]):
        if fold(word) != host and _is_telling_word(word):
            parts.append(_word_part(word))
    return tuple(parts)


def _word_part(word: str) -> ArgumentValue:
    """Return a compound word, with its longer parts, and the numbers that it may be."""
    folded = fold(word).removesuffix("'s")
    keys = {folded: None}
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        if value.text == word:
            keys.update(dict.fromkeys(keys_of_value(value)))
    runs = [run for run in _RUN.findall(encodable(folded)) if len(run) >= MIN_PART_CHARS]
    parts = [ArgumentValue(run, (run,)) for run in runs if not run.isalpha() and run != folded]
    is_address = _is_account(folded)
    return ArgumentValue(word, tuple(keys), parts=tuple(parts), is_address=is_address)


def _is_account(word: str) -> bool:
    """Say whether a word may be the number of an account: letters and digits, most of them digits."""
    digits = sum(char.isdigit() for char in word)
    return bool(_account_keys(word)) and 2 * digits > len(word)


def _is_telling_word(word: str) -> bool:
    """Say whether a word of a longer text identifies something: it has digits or marks, as ids, addresses, dates and
    amounts have. Hyphens and apostrophes are marks of plain words."""
    if len(word) <= MIN_TELLING_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield the ways in which a key may have been joined from two."""
    if len(key) <= MAX_HALVED_CHARS and key.isalnum():
        for cut in range(MIN_HALF_CHARS, len(key) - MIN_HALF_CHARS + 1):
            yield key[:cut], key[cut:]
