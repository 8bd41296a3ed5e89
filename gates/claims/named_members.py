"""Compares the records that an answer names with the members of the set that it is asked for, in lists and in prose.

Who is told of no set can call this with the sets that a rule has computed. It knows no words but those of the names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from gates.claims.statements import is_open
from gates.types.terms import fold_text

MAX_CHARS: Final = 20_000
MAX_NAMES: Final = 500
_JOINED: Final = re.compile(r"[\s,&/*•–-]*(?:\w{1,3}[\s,]+)?")
"""What may stand between two names of one list: signs, and one short word such as "and"."""
_PREDICATE: Final = re.compile(r"[ \t]*\w")


@dataclass(frozen=True, slots=True)
class Member:
    """One record that may belong to a set, by every name that an answer may call it."""

    path: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Place:
    member: Member
    start: int
    end: int


def names_set(answer: str, members: Collection[Member], others: Collection[Member]) -> bool:
    """Say whether an answer names every member of a set, and no other in a row with one of them.

    One that names none of them names the empty set, and then nothing else alone. What a sentence says of others apart
    from the list counts for nothing.
    """
    text = fold_text(answer[:MAX_CHARS])
    places = list(_places(text, [*members, *others]))
    named = {each.member.path for each in places}
    if not {each.path for each in members} <= named:
        return False
    paths = {each.path for each in others}
    left = "".join(re.findall(r"\w", _without(text, places)))
    if not left:
        return named.isdisjoint(paths)
    return not any(_is_added(row, paths, text) for row in _rows(places, text))


def _is_added(row: list[_Place], others: set[str], text: str) -> bool:
    """Say whether a row names a member and another. What is said of its last name alone may not hold for the rest."""
    named = {each.member.path for each in row}
    if len(row) > 1:
        is_joined = any(map(str.isalnum, text[row[-2].end : row[-1].start]))
        if not is_joined and _PREDICATE.match(text[row[-1].end :]):
            named -= {row[-1].member.path}
    return not named.isdisjoint(others) and not named <= others


def _places(text: str, candidates: Collection[Member]) -> Iterator[_Place]:
    """Yield where a folded text names one of some records: by no part of a word, nor of a longer name."""
    by_name: dict[str, Member | None] = {}
    for each in candidates:
        for name in map(fold_text, each.names):
            by_name[name] = None if name in by_name and by_name[name] is not each else each
    taken = bytearray(len(text))
    found: list[tuple[int, int, Member | None]] = []
    for name in sorted(filter(None, by_name), key=len, reverse=True)[:MAX_NAMES]:
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            beside = text[max(start - 1, 0) : start], text[end : end + 1]
            if not any(taken[start:end]) and not any(map(_is_word, beside)):
                taken[start:end] = b"\1" * len(name)
                found.append((start, end, by_name[name]))
            start = text.find(name, end)
    for start, end, member in sorted(found, key=itemgetter(0)):
        if member is not None:
            yield _Place(member, start, end)


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in ("_", "-")


def _without(text: str, places: list[_Place]) -> str:
    left, end = "", 0
    for each in places:
        left += text[end : each.start]
        end = each.end
    return left + text[end:]


def _rows(places: list[_Place], text: str) -> Iterator[list[_Place]]:
    """Yield the names that stand in a row, with nothing between them but signs and a short word that denies nothing."""
    row: list[_Place] = []
    for each in places:
        between = text[row[-1].end : each.start] if row else ""
        if _JOINED.fullmatch(between) is None or is_open(between):
            yield row
            row = []
        row.append(each)
    yield row
