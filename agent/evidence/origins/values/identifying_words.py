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
    """Return a word of a longer text as a value, with the keys by which it is looked up.

    | word | keys | parts |
    |---|---|---|
    | `inv-2026017` | `inv-2026017` | `2026017` |
    | `0001` | `0001`, `1` | |

    A text contains the value if it has one of the keys. If no text does, the parts are looked
    up in the same way.
    """
    # 1. The keys: the word itself, and the form that all spellings of a number or an id share.
    folded = fold(word).removesuffix("'s")
    keys = [folded]
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        if value.text == word:  # not only a part of the word
            keys.extend(keys_of_value(value))

    # 2. The parts with digits, such as `2026017`. Words and short parts are in many texts.
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        has_other_signs = part != folded  # The word is longer than this part.
        if has_other_signs and not part.isalpha() and len(part) >= MIN_PART_CHARS:
            parts.append(ArgumentValue(part, (part,)))

    # 3. The role. An account is an address: it says whom a call such as `send_money` reaches.
    role = ValueRole.ADDRESS if _may_be_account(folded) else ValueRole.DETAIL
    return ArgumentValue(
        text=word,
        keys=tuple(dict.fromkeys(keys)),  # each once
        parts=tuple(parts),
        role=role,
    )


def _may_be_account(word: str) -> bool:
    """Return True if most characters of a word are digits, and it is as long as an account."""
    digit_count = sum(char.isdigit() for char in word)
    has_mostly_digits = digit_count > len(word) / 2
    has_length_of_account = bool(account_keys(word))
    return has_length_of_account and has_mostly_digits
