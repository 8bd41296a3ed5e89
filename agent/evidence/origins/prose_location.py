"""Finds the place and the sentence of a value in running text, to show them in messages.

The call `send_money(recipient="GB33BUKB20201555555555")` may be held because only a mail has the
account. The message says where:

    Location("/mail/7.md, line 3", "Please pay 420 to GB33 BUKB 2020 1555 5555 55.")

The mail spells the account with blanks. Both spellings have the same *key*, by which it is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.origins.finding import Location
from controlplane.agent.evidence.origins.prose_passages import passages_to_search
from controlplane.agent.evidence.origins.sentences import sentences_of, shortened_around
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.keys import is_phrase
from controlplane.agent.evidence.origins.values.numeric_keys import keys_of_numbers
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words
from controlplane.agent.evidence.texts.words import phrase_of


def locate(known: KnownText, value: ArgumentValue) -> Location:
    """Return where a value is in a text that has it, with the sentence.

    A file's place has the number of the line. If the search in a long text would take too long,
    there is only the place of the whole text, `/mail/7.md`, without a sentence.
    """
    # In a text with the call's own spelling, only what is around it is searched.
    for passage in passages_to_search(known.text, value.text):
        if _has_any_key(passage.text, value.keys):
            place = known.place
            if known.path:
                place += f", line {passage.line_number}"
            return Location(place, _sentence_with(value, passage.text))
    return Location(known.place)


def _sentence_with(value: ArgumentValue, line: str) -> str:
    """Return the sentence of a line that has a value; the whole line if no sentence does."""
    for sentence in sentences_of(line):
        if _has_any_key(sentence, value.keys):
            return shortened_around(value.text, sentence)
    return shortened_around(value.text, line)


def _has_any_key(text: str, keys: Sequence[str]) -> bool:
    """Return True if a text has a value with one of these keys, in whatever spelling.

    `on 15 May 2026` has the key `2026-05-15`. Several words, such as `Dear Ann Miller`, have the
    key ` ann miller `, a phrase.
    """
    for key in keys:
        if is_phrase(key) and key in phrase_of(text):
            return True
    # A small number has to stand alone, as in `pay 30`: the 1 of `Position 1` does not count.
    keys_of_text = keys_of_words(text) | keys_of_numbers(text, SmallNumbers.STANDALONE)
    return not keys_of_text.isdisjoint(keys)
