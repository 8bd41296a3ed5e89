"""Returns the keys under which a known text is indexed, so that values are found in it.

A key is what all spellings of a value share. The mail “Ann gets 420 on 15 May 2026” has

    word keys       ann, gets, 420, on, may, 2026
    number keys     420, 2026-05-15, and --05-15 for this day in any year

A call with `date="2026-05-15"` has the date from this mail, in whatever spelling. Two kinds of keys
do not count: small numbers such as 4, which most texts have by chance, unless the text says so
(`known.small_numbers`); and what a call itself has passed, and may get back (`known.passed_keys`).
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.values.keys import is_small_number
from controlplane.agent.evidence.origins.values.numeric_keys import keys_of_numbers
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words


def word_keys(known: KnownText) -> set[str]:
    """Return the keys of the words that count: `emma@site.com` for `Emma@Site.com`."""
    keys = keys_of_words(known.text)
    if known.small_numbers is SmallNumbers.WHOLE_FIELD:
        # Each part is a field. One that is only a small number counts, such as the id `7`.
        fields = map(str.strip, known.parts)
        keys.update(filter(is_small_number, fields))
    return keys.difference(known.passed_keys)


def number_keys(known: KnownText) -> set[str]:
    """Return the keys of the numbers, dates and telephones that count."""
    keys = keys_of_numbers(known.text, known.small_numbers)
    return keys.difference(known.passed_keys)


def all_keys(known: KnownText) -> set[str]:
    """Return the keys of all words and numbers, also of those that do not count.

    `Pay 4 on 15 May` has `4`, too.
    """
    keys = keys_of_words(known.text)
    keys |= keys_of_numbers(known.text, SmallNumbers.ALL)
    return keys
