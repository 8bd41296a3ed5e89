"""Makes a value of a word in a longer text, to find the texts from which the word may be.

A script writes a mail with the word `contract-2026017`. If a text has this word, it is from there.
If no text does, but a mail has the number `2026017`, this part is from the mail:

    value_of_word("Contract-2026017")
    -> ArgumentValue("Contract-2026017", keys=("contract-2026017",),
                     parts=(ArgumentValue("2026017", keys=("2026017",)),))
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.account_key import may_be_account
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.uniform_text import fold
from controlplane.agent.evidence.texts.words import letters_and_digits
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values

MIN_PART_CHARS: Final = 6
"""The shortest part of a compound word that is looked up, in characters.
A shorter part may be a year, which many texts contain: `2026` in `inv-2026`."""


def value_of_word(word: str) -> ArgumentValue:
    """Return a word of a longer text as a value.

    Its first key is the word in lower case. A word that may be an account, such as `DE12345678`,
    has the role of an address, because it says whom the call reaches.
    """
    folded = fold(word).removesuffix("'s")  # `Inv-17's` -> `inv-17`
    keys = dict.fromkeys([folded, *_keys_as_number(word)])  # each once
    is_address = may_be_account(folded)
    return ArgumentValue(
        text=word,
        keys=tuple(keys),
        parts=_parts_of_word(folded),
        role=ValueRole.ADDRESS if is_address else ValueRole.DETAIL,
    )


def _keys_as_number(word: str) -> tuple[str, ...]:
    """Return the keys of a word that is a number or an id, which its other spellings share, too.

    `1,250.00` -> `1250`, and `0001` -> `1`
    """
    for value in written_values(word, kinds=(Kind.NUMBER, Kind.ID)):
        is_whole_word = value.text == word
        if is_whole_word:
            return keys_of_value(value)
    return ()


def _parts_of_word(folded: str) -> tuple[ArgumentValue, ...]:
    """Return the parts of a compound word that have digits: `inv-2026017` -> `2026017`.

    Short parts, and those of letters alone, are left out, because many texts have them. A word
    that is not compound, such as `2026017`, has no parts.
    """
    parts: list[ArgumentValue] = []
    for part in letters_and_digits(folded):
        is_compound = part != folded
        if is_compound and not part.isalpha() and len(part) >= MIN_PART_CHARS:
            parts.append(ArgumentValue(part, keys=(part,)))
    return tuple(parts)
