"""Splits an answer into sentences, and finds in them the states that it says its records are in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.facts import Record, TrialFacts, compound_stem, id_prefix, mentions_in
from gates.types.terms import fold_text

MAX_CHARS: Final = 20_000
_END: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PART: Final = re.compile(r"[^\W_]+")
_OPEN: Final = frozenset(
    (
        *("no", "not", "never", "none", "nothing", "neither", "nor", "without", "cannot", "hardly", "unless", "if"),
        *("once", "until", "before", "when", "whether", "can", "could", "may", "might", "must", "should", "will"),
        *("would", "be", "than", "nicht", "kein", "keine", "keinen", "nie", "wenn", "bevor", "ob", "kann"),
    )
)
"""Words after which a state is denied, asked about or foreseen; they excuse, so that a longer list finds less."""
_ATTRIBUTED: Final = frozenset(("as", "you", "we", "i", "wie"))
"""Words after which "requested" and the like tell what somebody did, and no state of a record."""
_LONGEST: Final = 1_000
_REACH: Final = 5
"""How many words before a state may open it."""


@dataclass(frozen=True, slots=True)
class StatedState:
    """A state that an answer says records are in."""

    stem: str
    words: str
    records: tuple[Record, ...]
    """The records that the sentence names."""
    is_behind_its_record: bool
    """Whether it stands behind the id that it is said of."""
    is_value: bool = False
    """Whether the name of the field that holds such states stands right before it: "its status is open"."""


def sentences_of(answer: str) -> list[str]:
    """Return the sentences and lines of the first 20,000 characters of an answer."""
    return [each for each in _END.split(answer[:MAX_CHARS]) if each.strip()]


def is_open(before: str, reach: int = _REACH) -> bool:
    """Say whether one of the last words before a place denies what follows, asks about it or foresees it."""
    words = [fold_text(each) for each in _WORD.findall(before[-_LONGEST:])]
    near = words[-reach:]
    return not _OPEN.isdisjoint(near) or any(each.endswith(("n't", "n’t")) for each in near)


@lru_cache(maxsize=2)
def stated_states(answer: str, facts: TrialFacts) -> tuple[StatedState, ...]:
    """Return the states that sentences of an answer state of the records that they name, in any voice.

    A state that describes ("your active basket basket-7") or that is denied, asked about or foreseen is left out.
    """
    return tuple(_stated_states(answer, facts))


def _stated_states(answer: str, facts: TrialFacts) -> Iterator[StatedState]:
    for sentence in sentences_of(answer) if facts.states else ():
        named = {each: record for each in facts.named_in(sentence) if (record := facts.record_of(each)) is not None}
        records = tuple(named.values())
        known = frozenset[str]().union(*(facts.about(each).state_words for each in facts.tied_to(records)))
        for mention in mentions_in(sentence) if known else ():
            words = sentence[mention.start : mention.end]
            if _letters(words) not in known or any(each.start < mention.end <= each.end for each in named):
                continue
            before, behind = sentence[: mention.start], sentence[mention.end :]
            if is_open(before) or _is_attributed(before) or _describes(behind, records):
                continue
            is_behind = any(each.end <= mention.start for each in named)
            is_value = _is_value(before, mention.stem, records, facts)
            yield StatedState(mention.stem, words, records, is_behind, is_value)


def _is_value(before: str, stem: str, records: tuple[Record, ...], facts: TrialFacts) -> bool:
    """Say whether a field that may hold a state is named before it, with no more than one word and ids in between."""
    ids = {each.id.casefold() for each in records}
    words = [each for each in re.findall(r"[\w-]+", before[-_LONGEST:].casefold()) if each not in ids and each != "of"]
    fields = {name for each in records for name, states in facts.about(each).states.items() if stem in states.stems}
    return not fields.isdisjoint(words[-2:])


def _letters(words: str) -> str:
    return "".join(_PART.findall(fold_text(words)))


def _is_attributed(before: str) -> bool:
    words = _WORD.findall(before[-40:])
    return bool(words) and fold_text(words[-1]) in _ATTRIBUTED


@lru_cache(maxsize=256)
def _kind_stems(record_id: str, kind: str) -> frozenset[str]:
    return frozenset((compound_stem(id_prefix(record_id)), compound_stem(kind.rpartition("/")[2])))


def _describes(behind: str, records: tuple[Record, ...]) -> bool:
    """Say whether the word that follows names the thing: "active basket" describes a basket."""
    follows = re.match(r"\s+([^\W_]+(?:[-_][^\W_]+)*)", behind[:100])
    if follows is None:
        return False
    word = fold_text(follows[1])
    return any(word == fold_text(each.id) or compound_stem(word) in _kind_stems(each.id, each.kind) for each in records)
