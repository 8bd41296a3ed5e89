"""Tells which words of a reason say something of a record, and which only repeat a part of its ids.

Source: "the return of this payment" names nothing, although `payment` is a part of `payment-7` and of `payment_id`. A
record is told from others of its kind by its ids, names and values.
"""

from __future__ import annotations

from collections.abc import Sequence

from gates.facts import Fields, fields_of
from gates.types import terms
from gates.types.evidence import Touch
from gates.types.term_index import TermIndex


def words_that_tell(words: Sequence[str], touch: Touch) -> list[str]:
    """Return the folded words of a reason, without those that a record holds as a part of a longer name alone.

    A whole name counts in whatever way its parts are joined: "refund manager" is `refund_manager`. Where anything but
    whole records was read at the path, every word counts.
    """
    if not touch.seen or any(seen.is_excerpt or not seen.is_whole for seen in touch.seen):
        return list(words)
    kept: set[str] = set()
    for seen in touch.seen:
        fields = fields_of(seen.text)
        if fields is None:
            return list(words)
        kept |= _told_by(fields, frozenset(words))
    return [word for word in words if not word.isalpha() or word in kept]


def _told_by(fields: Fields, words: frozenset[str]) -> set[str]:
    """Return which of some words stand by themselves in a record, as names of fields or in values, or as all the parts
    of a compound that say something."""
    values = (value for held in fields.values() for value in held)
    told = terms.fold_text("\n".join((" ".join(fields).replace(".", " "), *values)))
    alone: list[str] = []
    joined: set[str] = set()
    for token in set(told.split()):
        parts = [token] if token.isalnum() else terms.parts_of(token)
        if len(parts) == 1:
            alone += parts
        elif all(map(str.isalpha, parts)):
            telling = [part for part in parts if not terms.is_boilerplate(part)]
            if words.issuperset(telling):
                joined.update(telling)
    index = TermIndex(" ".join(alone))
    return joined | {word for word in words if any(map(index.holds, terms.lookup_terms(word)))}
