"""The values in arguments and texts, and the keys by which they are compared.

A mail says “Please pay 420 to GB33 BUKB 2020 1555 5555 55.”, and a call has
`recipient="GB33BUKB20201555555555"`. Three nouns are enough to tell that the account is the same:

- A *value* identifies something: an account, an amount, a date, a name.
- Its *key* is what all its spellings share: `gb33bukb20201555555555` (`values.py`).
- Its *parts* are the values within it, such as the account in a URL.

`argument_values` returns the values of an argument, with their keys and parts. `keys_of_words` and
`keys_of_numbers` return the keys of the values in a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from itertools import islice
from typing import Final

import re2

from controlplane.agent.evidence.texts.passed_texts import texts_in
from controlplane.agent.evidence.texts.words import (
    fold,
    forms_of,
    has_digit,
    letters_and_digits,
    parts_of_word,
    phrase_of,
    unify,
    words_of,
    written_words,
)
from controlplane.gates.text_folding import encodable
from controlplane.gates.values.identifiers import (
    account_key,
    accounts_in_groups,
    mailbox_of,
)
from controlplane.gates.values.normal_text import normalize_text, number_style_of
from controlplane.gates.values.notations import locale_names
from controlplane.gates.values.numerals import unit_of
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import values_of_line, written_values
from controlplane.sandbox.interface import Plain, bounds

# A value of an argument: an account, a date, a name, or anything else that identifies something.
#
# A mail says `15 May 2026`, and a call has `date="2026-05-15"`. Both have the *key* `2026-05-15`,
# the form that all spellings of this date share. By the key, the date of the call is found in the
# mail.
#
#     ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"))
#     ArgumentValue("Ann Miller", keys=(" ann miller ",))
#
# The blanks around a key of several words say that whole words are searched: not `Joann Millers`.


class ValueRole(Enum):
    """What a value is to the argument that has it."""

    WHOLE = auto()
    """The argument itself, or an item of it."""
    ADDRESS = auto()
    """A part of a longer text that says whom, or what, a call reaches: an account, a mail
    address, a URL, a telephone."""
    DETAIL = auto()
    """Any other part of a longer text, such as the `inv-17` of `Pay inv-17 to Bob`."""


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, with the keys by which it is looked up in the texts that were read."""

    text: str
    """The value as the call has it."""
    keys: tuple[str, ...] = ()
    """A text that has one of them has the value. The first is the whole value: `2026-05-15`. The
    others are for texts with less of it: `--05-15`, for `15 May`, without the year. A long text,
    such as a letter, has no keys: only its parts are looked up."""
    parts: tuple[ArgumentValue, ...] = ()
    """The values within this one, which are looked up if no text has it: the account in a URL."""
    role: ValueRole = ValueRole.DETAIL

    @property
    def main_key(self) -> str:
        """The first key. Two values with the same one are the same. Empty for a long text."""
        return self.keys[0] if self.keys else ""


# What a key is: what all spellings of a value share.
#
# A mail may say `GB33 BUKB 2020 1555 5555 55` where a call has `GB33BUKB20201555555555`. A text
# is indexed by the keys of the values in it, and a value of a call is found by its own keys:
#
# | spellings | key |
# |---|---|
# | `GB33 BUKB 2020 1555 5555 55`, `gb33bukb20201555555555` | `gb33bukb20201555555555` |
# | `Emma@Site.com`, `emma@site.com` | `emma@site.com` |
# | `1,250.00`, `1250` | `1250` |
# | `15 May 2026`, `2026-05-15` | `2026-05-15` |
# | `https://www.pay.org/form`, `pay.org/form` | `pay.org/form` |
# | `Ann Miller`, `ann miller` | ` ann miller ` (a phrase) |
#
# A *phrase* is the key of several words. An index of all phrases in a text would be too large,
# so a phrase is searched in the words of the text.

_MIN_IDENTIFYING_CHARS: Final = 3
"""The shortest text that identifies something, in characters. Shorter texts occur everywhere."""


def is_phrase(key: str) -> bool:
    """Return True for the key of several words: ` ann miller `.

    The blanks at its ends keep it from being found within longer words: `Joann Millers`.
    """
    return key.startswith(" ")


def is_small_number(word: str) -> bool:
    """Return True for a number of one or two digits, which most texts contain by chance."""
    return len(word) < _MIN_IDENTIFYING_CHARS and word.isdigit()


# Whether a short text of a call identifies something, so that it is worth looking up.
#
# Of `open_case(number="7", file="A-1", author="Ann", mode="restart")`, the texts `7`, `A-1` and
# `Ann` do. Which of the read texts have `restart` says nothing: such a word occurs everywhere.


def _identifies_something(text: str) -> bool:
    """Return True for a number, or for a text of some length that is not one word in small letters."""
    is_everyday_word = text.isalpha() and text.islower() and text.isascii()
    if is_everyday_word:
        return False
    if text.isdigit():
        return True  # Even `7` may be an amount or an id.
    has_words = any(char.isalnum() for char in text)
    return has_words and len(text) >= _MIN_IDENTIFYING_CHARS


# Finds the words of a longer text that identify something, such as an id or an amount.
#
#     identifying_words("Pay inv-2026017 by 5 pm")    -> ["inv-2026017"]
#
# If no text contains a whole argument, the origins of such words are looked up. Plain words, such as
# `Pay`, are in any text, so they tell nothing.

_MIN_WORD_CHARS: Final = 4
"""The shortest word of a longer text that is looked up, in characters. Longer texts have many
shorter ones by chance, such as `30%`. These count only as a whole argument."""


def _identifying_words(text: str) -> list[str]:
    """Return the words of a longer text that identify something, as they are written.

    | word | |
    |---|---|
    | `inv-17`, `ann_b`, `1250` | yes: ids, addresses, dates and amounts have digits or marks |
    | `well-known`, `Ann's` | no: plain words have hyphens and apostrophes, too |
    | `5` | no: it is too short |
    """
    words: list[str] = []
    for word in written_words(unify(text)):
        letters = word.replace("-", "").replace("'", "")
        if len(word) >= _MIN_WORD_CHARS and not letters.isalpha():
            words.append(word)
    return words


# Returns the keys of URLs and their hosts, by which a URL is found in whatever spelling.
#
# A page may say `https://www.Pay.org/form?x=1` where a call has `https://pay.org/form?x=1`. Both
# have the key `pay.org/form?x=1`, without the scheme and `www.`, in lower case. A call with another
# form at the same host is found by the host, `pay.org`.
#
#     keys_of_urls("See https://www.pay.org/Form")    -> "pay.org/form", "pay.org"


def _keys_of_urls(text: str) -> Iterator[str]:
    """Yield the keys of the URLs in a text, and those of their hosts."""
    for chunk in text.split():
        may_have_url = "://" in chunk or "www." in chunk.casefold()
        if may_have_url:
            for url in written_values(chunk, kinds=(ValueKind.URL,)):
                key = _key_of_url(url.canonical)
                yield key
                yield _host_of(key)


def _key_of_url(address: str) -> str:
    """Return the key of a URL without its scheme: `WWW.pay.org/Form` -> `pay.org/form`.

    Most hosts answer to both names, with `www.` and without.
    """
    return address.casefold().removeprefix("www.")


def _host_of(url_key: str) -> str:
    """Return the host in the key of a URL: `pay.org/form`, `pay.org?x=1`, `pay.org#top` -> `pay.org`."""
    host = url_key.partition("/")[0]
    return host.partition("?")[0].partition("#")[0]


# Returns the keys of a date, a number or an address: the forms that all its spellings share.
#
# A mail says `26 June 2026`, and a call has `date="2026-06-26"`. Both have the key `2026-06-26`, so
# the date of the call is found in the mail. `gates/values` reads what is written, and its
# `canonical` form is nearly the key:
#
# | written | `canonical` | keys |
# |---|---|---|
# | `https://www.pay.org/Form` | `www.pay.org/Form` | `pay.org/form` |
# | `Em.ma@site.com` | `em.ma@site.com` | `emma@site.com` |
# | `+49 30 123-4567` | `+49301234567` | `49301234567` |
# | `26 June 2026` | `2026-06-26` | `2026-06-26`, and `--06-26` for texts without the year |
# | `1,250.00` | `1250` | `1250` |


def _keys_of_value(value: WrittenValue) -> tuple[str, ...]:
    """Return the keys of a value that was read in a text, first the one that is most likely.

    An ambiguous value has those of both readings: `1.199` is `1199` or `1.199`, and `03/04/2026` is
    `2026-04-03` or `2026-03-04`, each also without its year, `--04-03`.
    """
    match value.kind:
        case ValueKind.URL:
            url_key = _key_of_url(value.canonical)
            return (url_key,) if url_key else ()  # `https:///` has none.
        case ValueKind.MAIL:
            return (mailbox_of(value.canonical),)
        case ValueKind.IBAN | ValueKind.TELEPHONE:
            return (value.canonical.casefold().lstrip("+").removeprefix("00"),)
    keys: list[str] = []
    for reading in (value.canonical, value.other_canonical):
        if reading:
            keys.append(reading)
            if value.kind is ValueKind.DATE:
                month_and_day = reading[-len("06-26") :]
                keys.append(f"--{month_and_day}")
    return tuple(keys)


# Makes a value of a word in a longer text, to find the texts from which the word may be.
#
# A script writes a mail with the word `contract-2026017`. If a text has this word, it is from there.
# If no text does, but a mail has the number `2026017`, this part is from the mail:
#
#     value_of_word("Contract-2026017")
#     -> ArgumentValue("Contract-2026017", keys=("contract-2026017",),
#                      parts=(ArgumentValue("2026017", keys=("2026017",)),))

_MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""


def value_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value.

    Its first key is the word in lower case. A word that may be an account, such as `DE12345678`,
    has the role of an address, because it says whom the call reaches.
    """
    folded = fold(word).removesuffix("'s")  # `Inv-17's` -> `inv-17`
    keys = [folded]
    # The keys that its other spellings share, too: `1,250.00` -> `1250`, and `0001` -> `1`
    for value in written_values(word, kinds=(ValueKind.NUMBER, ValueKind.ID)):
        if value.text == word:
            keys += _keys_of_value(value)
            break

    # Of a compound word, the parts that have digits: `inv-2026017` -> `2026017`. Short parts, and
    # those of letters alone, are left out, because many texts have them.
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_compound = part != folded
        if is_compound and not part.isalpha() and len(part) >= _MIN_PART_CHARS:
            parts.append(ArgumentValue(part, keys=(part,)))

    # It may be an account if it has the length of one, and more digits than letters.
    digit_count = sum(char.isdigit() for char in folded)
    is_address = account_key(folded) != "" and digit_count > len(folded) / 2
    return ArgumentValue(
        text=word,
        keys=tuple(dict.fromkeys(keys)),  # each once
        parts=tuple(parts),
        role=ValueRole.ADDRESS if is_address else ValueRole.DETAIL,
    )


# Finds the parts of a URL, which are looked up if no text has the whole URL.
#
# A script may build the URL `https://pay.org/?to=GB3320201555` itself. Its host may be from one
# text, and the account in it from another, such as a mail whose author wants the money. The parts
# are
#
#     ArgumentValue("pay.org", keys=("pay.org",), role=ADDRESS)
#     ArgumentValue("GB3320201555", keys=("gb3320201555",), role=ADDRESS)


def _parts_of_url(url: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the host of a URL, and its words with digits or marks, such as ids and accounts."""
    parts: list[ArgumentValue] = []
    host = _host_of(_key_of_url(url.canonical))  # `canonical` has no scheme.
    if host:  # `https://?to=1` has none.
        parts.append(ArgumentValue(host, keys=(host,), role=ValueRole.ADDRESS))

    _scheme, separator, address = url.text.partition("://")
    if not separator:  # `www.pay.org`
        address = url.text
    for word in _identifying_words(address):
        is_host = _key_of_url(word) == host  # `pay.org`, or `www.pay.org`
        if not is_host:
            parts.append(value_of_word(word))
    return tuple(parts)


# Recognises the values in a text that have a form of their own, such as dates and URLs.
#
# The argument `Pay by 15 May 2026` has a date. It is read by `gates/values`, and looked up by
# its keys, the forms that all spellings of the date share:
#
#     recognised_values("Pay by 15 May 2026")    -> [date]
#     _argument_value(date, is_whole=False)    -> ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"), role=DETAIL)
#
# The second key has no year. A text that says only `15 May` has it.

_ADDRESS_KINDS: Final = (
    ValueKind.URL,
    ValueKind.MAIL,
    ValueKind.IBAN,
    ValueKind.TELEPHONE,
)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS: Final = (
    *_ADDRESS_KINDS,
    ValueKind.DATE,
    ValueKind.MONTH,
    ValueKind.TIME,
    ValueKind.NUMBER,
    ValueKind.ID,
)


def _recognised_values(text: str) -> list[WrittenValue]:
    """Return the values of a text in their order: `7 on 15 May 2026` -> `7`, `15 May 2026`."""
    return written_values(text, kinds=_KINDS, max_values=bounds.MOST_TRACED_VALUES)


def _argument_value(value: WrittenValue, *, is_whole: bool) -> ArgumentValue:
    """Return a recognised value with its keys, and with its parts if it is a URL.

    It is a whole argument, such as `date="15 May 2026"`, or a part of a longer text, such as
    `bob@pay.org` in a mail.
    """
    keys = _keys_of_value(value)
    role = ValueRole.ADDRESS if value.kind in _ADDRESS_KINDS else ValueRole.DETAIL
    is_telephone = value.kind is ValueKind.TELEPHONE
    if is_telephone and not account_key(value.canonical):
        # A telephone with fewer digits than any account, such as `0012345`, may also be an id, which
        # reaches nobody. It is not recognised in the line `Ann,030 1234,Berlin` of a table, or in the
        # order `ID-0012345`, so it is also looked up as it is written, if that is one word. A part of
        # an argument is no phrase, since a long one may have thousands of telephones, and the search
        # for each phrase is slow.
        words = words_of(value.text)
        if len(words) == 1:
            keys += (words[0],)
        role = ValueRole.DETAIL
    if is_whole:
        role = ValueRole.WHOLE
    parts = _parts_of_url(value) if value.kind is ValueKind.URL else ()
    return ArgumentValue(value.text, keys=keys, parts=parts, role=role)


# Returns the keys of a short text, by which it is found in whatever spelling.
#
# A call has `to="Ann Miller"` or `to="US13 3000 0001"`. A mail may write them as `ANN MILLER` and
# `US1330000001`. What both spellings share is a *key*:
#
# | short text | keys |
# |---|---|
# | `Ann` | `ann` |
# | `Ann Miller` | ` ann miller `, a phrase: the words with a blank on each side |
# | `US13 3000 0001` | `us1330000001`, the account; ` us13 3000 0001 ` |
# | `inv-2026017` | `inv-2026017`; `inv2026017`, as it may be an account |


def _keys_of_short_text(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a text, first the one that tells the text from others.

    `words` are the words of the text in small letters. Whether a text with digits is an account
    is not certain, so it is looked up as an account and as words.
    """
    is_one_word = len(words) == 1
    key_as_words = words[0] if is_one_word else phrase_of(text)
    grouped_key = account_key(text) if has_digit(text) else ""
    if not grouped_key or grouped_key == key_as_words:
        return (key_as_words,)
    if is_one_word:
        return (key_as_words, grouped_key)
    return (grouped_key, key_as_words)


def _grouped_accounts(folded_text: str) -> list[str]:
    """Return the accounts and telephones that a text has in groups, one for each key."""
    text = encodable(folded_text)
    accounts: dict[str, str] = {}
    for start, end in accounts_in_groups(text):
        accounts.setdefault(account_key(text[start:end]), text[start:end])
    return list(accounts.values())


# Finds the parts of a text: the values within it, such as ids and addresses.
#
# A script may write a text itself, but take the account in it from a mail. So if no text that was
# read has the whole argument, its parts are looked up instead: in `Pay inv-2026 to US13 3000 0001`,
# these are the id and the account.

_WORD_KINDS: Final = (ValueKind.NUMBER, ValueKind.TIME, ValueKind.ID)
"""Recognised values of these kinds are left to `_identifying_words`, which finds them as words."""


def _parts_of(
    text: str, recognised_values: Iterable[WrittenValue], *, with_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the parts of a text: recognised values, then accounts in groups, then words.

    `Pay inv-17 to US13 3000 0001 by 15 May 2026, and tell bob@pay.org` has the parts

        ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"))    # only if `with_dates`
        ArgumentValue("bob@pay.org", keys=("bob@pay.org",), role=ADDRESS)
        ArgumentValue("us13 3000 0001", keys=("us1330000001",), role=ADDRESS)
        ArgumentValue("inv-17", keys=("inv-17",))

    The first two are `_recognised_values`. The groups `US13`, `3000` and `0001` are words, too.
    """
    values = [value for value in recognised_values if value.kind not in _WORD_KINDS]
    for value in values:
        if with_dates or value.kind is not ValueKind.DATE:
            yield _argument_value(value, is_whole=False)

    # The `15` of the date is not a part of its own, so these values are blanked out.
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    remaining_text = "".join(chars)
    for account in _grouped_accounts(fold(remaining_text)):
        yield ArgumentValue(
            account, keys=(account_key(account),), role=ValueRole.ADDRESS
        )
    for word in _identifying_words(remaining_text):
        yield value_of_word(word)


# Splits an argument of a call into its values, which are looked up in the texts that were read.
#
# A value identifies something: an account, an amount, a name. It is looked up by its *keys*, the
# forms that all its spellings share: ` ann lee ` for several words, with a blank on each side. The
# items of a list are several values:
#
#     argument_values([420, "Ann Lee", "Dear Ann, I pay inv-17 to the account of Bob today."])
#     -> ArgumentValue("420", keys=("420",), role=WHOLE)
#        ArgumentValue("Ann Lee", keys=(" ann lee ",), role=WHOLE)
#        ArgumentValue("Dear Ann, ...", parts=(ArgumentValue("inv-17", keys=("inv-17",)),))

_MAX_SHORT_WORDS: Final = 8
"""The longest text that is looked up as a whole, in words. A field of data has no more."""
_MAX_KEPT_CHARS: Final = 200
"""The longest text whose values are kept for the next call, in characters."""


def argument_values(argument: Plain, most_parts: int) -> Iterator[ArgumentValue]:
    """Yield the values of an argument: `{"fee": [7, "Ann Miller"]}` -> `7`, `Ann Miller`.

    A long text has at most `most_parts` parts, because a written file may have 100,000 numbers.
    """
    for text in texts_in(argument):
        if len(text) <= _MAX_KEPT_CHARS:
            yield from _values_of_short_text(text)
        else:
            yield from _values_of_text(text, most_parts)


@lru_cache(maxsize=1_024)
def _values_of_short_text(text: str) -> tuple[ArgumentValue, ...]:
    """Return the values of a text such as a path. Each trial of a run passes the same ones."""
    return tuple(_values_of_text(text, most_parts=len(text)))


def _values_of_text(text: str, most_parts: int) -> Iterator[ArgumentValue]:
    """Yield the values of a text: the text itself, then what it may be in base64, JSON and the like."""
    for decoded_text in forms_of(text):
        value = _value_of(decoded_text.strip(), most_parts)
        if value is not None:
            yield value


def _value_of(text: str, most_parts: int) -> ArgumentValue | None:
    """Return a text as a value; None if nothing in it identifies anything, such as `restart`."""
    words = words_of(text)
    is_long = len(words) > _MAX_SHORT_WORDS or "\n" in text
    if is_long:
        # The script has written this letter, so no text that was read has all of it: only its parts
        # are looked up, without dates, which decide neither whom nor what the call reaches.
        parts = _parts_of_long_text(text, most_parts)
        return ArgumentValue(text, parts=parts) if parts else None
    if not words or not _identifies_something(text):
        return None

    recognised = _recognised_values(text)  # its dates, amounts, URLs and ids
    keys = _keys_of_short_text(text, words)
    for value in recognised:
        # An id, such as `inv-17`, is looked up below, as any word is.
        if value.text == text and value.kind is not ValueKind.ID:
            whole = _argument_value(value, is_whole=True)
            # It is also looked up as it is written: small numbers, as of `1 h 10 min`, do not count.
            phrases = [
                key for key in keys if is_phrase(key) or value.kind is ValueKind.URL
            ]
            return replace(whole, keys=tuple(dict.fromkeys([*whole.keys, *phrases])))
        # `v2.1` has the key of `2.1`, too, and `3.4 million` that of 3,400,000.
        rest = f"{text[: value.start]}{text[value.end :]}".strip()
        if not rest or ((value.unit or value.decimals < 0) and _is_measure(rest)):
            keys += _keys_of_value(value)
    return ArgumentValue(
        text=text,
        keys=tuple(dict.fromkeys(keys)),
        parts=tuple(_parts_of(text, recognised, with_dates=True)),
        role=ValueRole.WHOLE,
    )


def _is_measure(text: str) -> bool:
    """Return True if a text is the unit or the scale of a number, and nothing else: `EUR`, `Mio.`."""
    return unit_of(text) != "" or text.rstrip(".").casefold() in locale_names().scales


@lru_cache(
    maxsize=2
)  # A call is looked up before it is sent, and after it has returned.
def _parts_of_long_text(text: str, most_parts: int) -> tuple[ArgumentValue, ...]:
    """Return the first parts of a long text."""
    parts = _parts_of(text, _recognised_values(text), with_dates=False)
    return tuple(islice(parts, most_parts))


# Finds the small numbers that only name something, such as the 5 of `Line 5`.
#
# A mail with “See Line 5.” says nothing about an argument `5` of a call: most texts have such
# numbers by chance. Only a number that stands alone may be where the call has its `5` from:
#
#     See Line 5.               no
#     1. Stop. 2. Turn.         no
#     Please delete 5 files.    yes

_NUMBER_IN_NAME: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A word with a capital letter, and a number of 1 or 2 digits: `Position 1`. The 5 of `Delete 5` at
the beginning of a sentence is taken for one, too, since the pattern cannot tell them apart."""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line.
It names the item, so it says as little as the number in a name."""


# Says which numbers of one or two digits count as values of a text.
#
# Most texts have some by chance: a mail with “40% off, see Position 1” says nothing about an
# argument `40` or `1` of a call. But “please delete 13” may be where the call has its `13` from.


class SmallNumbers(Enum):
    """Which small numbers of a text count."""

    ALL = auto()
    """All, in a text of the user and in the rules: also the 40 of `40%`."""
    STANDALONE = auto()
    """In running text, those that stand alone: the 13 of `delete 13`. The number of a measure
    (`40%`), of a name (`Position 1`) and of an item in a list (`1. Stop`) does not count."""
    WHOLE_FIELD = auto()
    """In fields of data, those that are a whole field, such as the id `7`, but not the 13 of
    `Room 13`. (`texts.py` looks for these fields. Of the numbers within a line, none counts.)"""


def _starts_of_numbers_in_names(line: str) -> set[int]:
    """Return the positions in a line at which the numbers start that only name something."""
    # RE2 refuses halves of surrogate pairs. The positions stay the same.
    text = encodable(line)
    starts = set[int]()
    for pattern in (_NUMBER_IN_NAME, _LIST_MARKER):
        starts.update(match.start(1) for match in pattern.finditer(text))
    return starts


# Returns the keys of everything that some arguments pass to a tool.
#
# A *key* of a value is a form that all its spellings share: a date in digits, words in small letters.
#
#     keys_of_all(["15 May 2026", "Ann Lee"])    -> ("2026-05-15", "--05-15", " ann lee ")
#
# Which keys were passed is needed because a result may only echo them. After
# `check(value="GB33...")`, the result `GB33... is valid` does not make the account trusted.


@dataclass(frozen=True, slots=True)
class PassedKeys:
    """The keys of the values that some arguments pass."""

    keys: tuple[str, ...]
    """Each once."""
    are_all: bool
    """False if there are more values than are looked up (`MOST_TRACED_PARTS`)."""

    @classmethod
    def of(cls, arguments: Iterable[Plain]) -> PassedKeys:
        """Return the keys of the values in some arguments, and of their parts."""
        keys: dict[str, None] = {}  # in their order, each once
        count = 0
        for argument in arguments:
            most_parts = bounds.MOST_TRACED_PARTS - count + 1
            for value in argument_values(argument, most_parts):
                for part in _with_parts(value):
                    count += 1
                    if count > bounds.MOST_TRACED_PARTS:
                        return cls(tuple(keys), are_all=False)
                    keys.update(dict.fromkeys(part.keys))
        return cls(tuple(keys), are_all=True)


def keys_of_all(arguments: Iterable[Plain]) -> tuple[str, ...]:
    """Return the keys of the values in some arguments, and of their parts, each once."""
    return PassedKeys.of(arguments).keys


def _with_parts(value: ArgumentValue) -> Iterator[ArgumentValue]:
    """Yield a value, its parts, their parts, and so on."""
    yield value
    for part in value.parts:
        yield from _with_parts(part)


# Returns the keys of the numbers, dates, times, ids, telephones and accounts in a text.
#
# A key is what all spellings of a value share (`values.py`): a text with `15 May 2026` or
# `2026-05-15` has the key `2026-05-15`. An argument with that date is found by it. The spellings
# have no word in common, so the words of a text are not enough to find it.

_KINDS_WITH_DIGITS: Final = (
    ValueKind.NUMBER,
    ValueKind.DATE,
    ValueKind.MONTH,
    ValueKind.TIME,
    ValueKind.TELEPHONE,
    ValueKind.IBAN,
    ValueKind.ID,
)


def keys_of_numbers(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of all values with digits, except small numbers that do not count.

    | text | `small_numbers` | keys |
    |---|---|---|
    | `12.50 or 4711` | any | `12.5`, `4711` |
    | `40% of 4711` | `ALL` | `40`, `4711` |
    | `40% of 4711` | `STANDALONE`, `WHOLE_FIELD` | `4711` |
    """
    keys = set[str]()
    style = number_style_of(normalize_text(text).text)
    # Records of the same kind repeat lines such as `"quantity": 12`.
    for line in set(text.splitlines()):
        if not has_digit(line):
            continue
        starts_in_names = set[int]()
        if small_numbers is SmallNumbers.STANDALONE:
            starts_in_names = _starts_of_numbers_in_names(line)
        for value in values_of_line(line, style):
            if value.kind not in _KINDS_WITH_DIGITS:
                continue
            is_small = value.kind is ValueKind.NUMBER and is_small_number(
                value.canonical
            )
            if is_small and small_numbers is SmallNumbers.WHOLE_FIELD:
                continue
            if is_small and small_numbers is SmallNumbers.STANDALONE:
                if value.unit or value.start in starts_in_names:
                    continue
            keys.update(_keys_of_value(value))
    return keys


# Returns the keys of the words, accounts and URLs in a text.
#
# A *key* is a form that all spellings of a value share: a word in small letters, an account without
# blanks, a URL without its scheme. A text that a trial reads is indexed by its keys. If an argument
# of a call has one of them, it has a value of the text.
#
#     keys_of_words("Pay Ann's inv-2026-17")    -> {"pay", "ann", "inv-2026-17", "2026"}
#     keys_of_words("To US13 3000 0001: 7")     -> {"to", "us1330000001", "us13", "3000", "0001"}
#     keys_of_words("https://pay.org/Form")     -> {"pay.org/form", "pay.org", "https", "form"}
#
# The `7` has no key: most texts have such a small number by chance.


def keys_of_words(text: str) -> set[str]:
    """Return the keys of the words, accounts and URLs in a text."""
    folded_text = fold(text)  # in lower case
    keys = set[str]()
    for word in set(written_words(folded_text)):
        if is_small_number(word):
            continue
        keys.add(word.removesuffix("'s"))
        if "@" in word:
            keys.add(mailbox_of(word))
        if not word.isalnum():
            # `inv-2026-17` has the key `2026`, too. `17` is too short to tell anything, and `inv`
            # has no digit.
            for part in parts_of_word(word):
                if not part.isalpha() and len(part) >= _MIN_IDENTIFYING_CHARS:
                    keys.add(part)
    keys.update(map(account_key, _grouped_accounts(folded_text)))  # `us1330000001`
    # In the folded text, a URL may be cut in two: folding separates sentences, `week.Please`.
    keys.update(_keys_of_urls(text))
    return keys
