"""Tells which words of a reason say something of a record, and which only repeat a part of its ids.

Source: "the return of this payment" names nothing, although `payment` is a part of `payment-7` and of `payment_id`. A
record is told from others of its kind by its ids, names and values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gates.facts import fields_of
from gates.types import terms
from gates.types.evidence import Touch

_PART = re.compile(r"[^\W_]+")


def words_that_tell(words: Sequence[str], touch: Touch) -> list[str]:
    """Return the folded words of a reason, without those that a record holds as a part of a longer name alone.

    A whole name counts in whatever way its parts are joined: "refund manager" is `refund_manager`. Where anything but
    whole records was read at the path, every word counts.
    """
    if not touch.seen or any(seen.is_excerpt or not seen.is_whole for seen in touch.seen):
        return list(words)
    strong: set[str] = set()
    compounds: set[tuple[str, ...]] = set()
    for seen in touch.seen:
        told = _told_by(seen.text)
        if told is None:
            return list(words)
        strong |= told[0]
        compounds |= told[1]
    given = frozenset(words)
    joined = {part for parts in compounds if given.issuperset(parts) for part in parts}
    return [
        word
        for word in words
        if not word.isalpha() or word in joined or not strong.isdisjoint(terms.lookup_terms(word))
    ]


@lru_cache(maxsize=512)
def _told_by(text: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]] | None:
    """Return the index terms of the words that stand by themselves in a record, as names of fields or in values.

    Beside them the parts of its compounds that say something. None for a text that is no record.
    """
    fields = fields_of(text)
    if fields is None:
        return None
    names = {part for name in fields for part in name.split(".")}
    values = {value for held in fields.values() for value in held}
    strong: set[str] = set()
    compounds: set[tuple[str, ...]] = set()
    tokens = {token for each in names | values for token in terms.fold_text(each).split()}
    for token in tokens:
        if token.isalnum():
            strong |= terms.lookup_terms(token)
        elif len(parts := tuple(_PART.findall(token))) == 1:
            strong |= terms.lookup_terms(parts[0])
        elif parts and all(map(str.isalpha, parts)):
            compounds.add(tuple(part for part in parts if not terms.is_boilerplate(part)))
    return frozenset(strong), frozenset(compounds)
