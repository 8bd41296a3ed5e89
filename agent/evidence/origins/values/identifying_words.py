"""Finds the words of a longer text that identify something, such as an id or an amount.

In `Pay inv-2026017 by 5 pm`, this is `inv-2026017`. If no text contains a whole argument, the
origins of such words are looked up. Plain words are in any text, so they tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.agent.evidence.origins.values.account_keys import account_keys
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.words import fold, letters_and_digits, unify
from controlplane.agent.evidence.texts.written_words import written_words
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values

MIN_WORD_CHARS: Final = 4
"""The shortest word of a longer text that is looked up, in characters. Longer texts have many
shorter ones by chance, such as `30%`. These count only as a whole argument."""
MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""


def identifying_words(text: str) -> Iterator[ArgumentValue]:
    """Yield the words of a text that identify something, such as `inv-17`."""
    for word in written_words(unify(text)):  # as written, in upper and lower case
        if is_identifying_word(word):
            yield value_of_word(word)


def is_identifying_word(word: str) -> bool:
    """Return True if a word of a longer text identifies something.

    This is true for `inv-17`, `ann_b` and `1250`, since ids, addresses, dates and
    amounts have digits or marks. It is false for `well-known`, since plain words have
    hyphens and apostrophes, too.
    """
    if len(word) < MIN_WORD_CHARS:
        return False
    letters = word.replace("-", "").replace("'", "")
    return not letters.isalpha()


def value_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value, to find the texts that it may be from.

    | word | keys | parts | role |
    |---|---|---|---|
    | `contract-2026017` | `contract-2026017` | `2026017` | `DETAIL` |
    | `0001` | `0001`, `1` | | `DETAIL` |
    | `DE12345678` | `de12345678` | | `ADDRESS` |

    A text contains the value if it has one of the keys. If no text does, the parts are looked
    up in the same way.
    """
    folded = fold(word).removesuffix("'s")  # in lower case: `Inv-17's` -> `inv-17`
    return ArgumentValue(
        text=word,
        keys=_keys_of_word(word, folded),
        parts=_parts_of_word(folded),
        role=_role_of_word(folded),
    )


def _keys_of_word(word: str, folded: str) -> tuple[str, ...]:
    """Return the keys of a word: `0001` -> `0001`, `1`.

    They are the word in lower case (`folded`), and if the whole word is a number or an id,
    the form that all its spellings share.
    """
    keys = [folded]
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        is_whole_word = value.text == word
        if is_whole_word:
            keys.extend(keys_of_value(value))
    return tuple(dict.fromkeys(keys))  # each once


def _parts_of_word(folded: str) -> tuple[ArgumentValue, ...]:
    """Return the parts of a compound word that have digits: `inv-2026017` -> `2026017`.

    Short parts, and those of letters alone, are left out, because many texts have them.
    """
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_whole_word = part == folded
        if not is_whole_word and not part.isalpha() and len(part) >= MIN_PART_CHARS:
            parts.append(ArgumentValue(part, (part,)))
    return tuple(parts)


def _role_of_word(folded: str) -> ValueRole:
    """Return the role of a word: `ADDRESS` if it may be an account or a telephone, else `DETAIL`.

    In `Transfer 50 to DE12345678`, the account says whom the call reaches, as an address does.
    It is recognised by its length (`account_keys`), and by digits that are more than half. So
    some ids count as addresses, too, such as `inv-2026017`. Addresses are checked more strictly.
    """
    digit_count = sum(char.isdigit() for char in folded)
    has_mostly_digits = digit_count > len(folded) / 2
    has_length_of_account = bool(account_keys(folded))
    if has_length_of_account and has_mostly_digits:
        return ValueRole.ADDRESS
    return ValueRole.DETAIL
