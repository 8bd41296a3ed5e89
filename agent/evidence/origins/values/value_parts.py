"""Finds the parts of an argument that identify something, such as the ids and addresses in it.

If no text contains a whole argument, the origins of its parts are looked up instead. The URL
`https://pay.org/?to=GB33BUKB2020` has two: `pay.org`, its host, and `GB33BUKB2020`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import (
    account_keys,
    grouped_numbers,
)
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.value_keys import (
    host_of,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import (
    fold,
    letters_and_digits,
    unify,
    written_words,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

ADDRESS_KINDS: Final = (Kind.URL, Kind.MAIL, Kind.IBAN, Kind.TELEPHONE)
"""Kinds of values that say whom, or what, a call reaches."""
_KINDS_OF_WORDS: Final = (Kind.NUMBER, Kind.TIME, Kind.ID)
"""Kinds of values that are found as words, by `_identifying_words`."""


def parts_of(
    text: str, recognised_values: Iterable[WrittenValue], *, includes_dates: bool
) -> Iterator[ArgumentValue]:
    """Yield the parts of a text: URLs, mail addresses and the like, then accounts, then words.

    `Pay inv-17 to bob@pay.org` -> `bob@pay.org`, `inv-17`

    `recognised_values` are values in it whose kind is known, such as `bob@pay.org`. Without
    `includes_dates`, dates are skipped: in a long text, such as the body of a mail, they
    do not decide whom or what the call reaches.
    """
    values = [value for value in recognised_values if value.kind not in _KINDS_OF_WORDS]
    for value in values:
        if includes_dates or value.kind is not Kind.DATE:
            yield _part_of_kind(value)

    # Digits within these values, also within dates, are not values of their own.
    remaining_text = _with_blanks_for(values, text)
    yield from _grouped_accounts(remaining_text)
    yield from _identifying_words(remaining_text)


def _grouped_accounts(text: str) -> Iterator[ArgumentValue]:
    """Yield the accounts and telephones that are written in groups: `GB33 BUKB 2020 1555`."""
    for number in grouped_numbers(fold(text)):  # in lower case
        for key in account_keys(number):
            yield ArgumentValue(number, (key,), role=ValueRole.ADDRESS)


def _identifying_words(text: str) -> Iterator[ArgumentValue]:
    """Yield the words of a text that identify something, such as `inv-17`."""
    for word in written_words(unify(text)):  # as written, in upper and lower case
        if _is_identifying_word(word):
            yield _part_of_word(word)


def _with_blanks_for(values: Iterable[WrittenValue], text: str) -> str:
    """Return a text with blanks in place of some values: `ask a@b.org now` -> `ask         now`."""
    chars = list(text)
    for value in values:
        chars[value.start : value.end] = " " * (value.end - value.start)
    return "".join(chars)


def _part_of_kind(value: WrittenValue) -> ArgumentValue:
    """Return a value of a known kind, such as a mail address, within a longer text."""
    return ArgumentValue(
        text=value.text,
        keys=keys_of_value(value),
        parts=parts_of_url(value),
        role=ValueRole.ADDRESS if value.kind in ADDRESS_KINDS else ValueRole.DETAIL,
    )


def parts_of_url(value: WrittenValue) -> tuple[ArgumentValue, ...]:
    """Return the parts of a URL: its host and identifying words. Other values have no parts."""
    if value.kind is not Kind.URL:
        return ()
    host = host_of(value.canonical)
    parts = [ArgumentValue(host, (host,), role=ValueRole.ADDRESS)]
    for word in written_words(value.text.partition("://")[2]):
        if fold(word) != host and _is_identifying_word(word):
            parts.append(_part_of_word(word))
    return tuple(parts)


MIN_WORD_CHARS: Final = 4
"""The shortest word of a longer text that is looked up, in characters. Longer texts have many
shorter ones by chance, such as `30%`. These count only as a whole argument."""
MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""


def _is_identifying_word(word: str) -> bool:
    """Return True if a word of a longer text identifies something.

    This is true for `inv-17`, `ann_b` and `1250`, since ids, addresses, dates and
    amounts have digits or marks. It is false for `well-known`, since plain words have
    hyphens and apostrophes, too.
    """
    if len(word) < MIN_WORD_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()


def _part_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value: `inv-2026017`, with the part `2026017`."""
    folded = fold(word).removesuffix("'s")
    keys = [folded]  # A text that has one of these keys contains the word.
    # A number or an id may be spelled differently elsewhere: `0001` also has the key `1`.
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        if value.text == word:
            keys.extend(keys_of_value(value))

    # Parts with digits, such as `2026017`. Words and short parts are in many texts.
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_word = part == folded or part.isalpha()
        if not is_word and len(part) >= MIN_PART_CHARS:
            parts.append(ArgumentValue(part, (part,)))

    return ArgumentValue(
        text=word,
        keys=tuple(dict.fromkeys(keys)),  # each once
        parts=tuple(parts),
        role=ValueRole.ADDRESS if _may_be_account(folded) else ValueRole.DETAIL,
    )


def _may_be_account(word: str) -> bool:
    """Return True if most characters of a word are digits, and it is as long as an account."""
    digit_count = sum(char.isdigit() for char in word)
    has_mostly_digits = digit_count > len(word) / 2
    has_length_of_account = bool(account_keys(word))
    return has_length_of_account and has_mostly_digits
