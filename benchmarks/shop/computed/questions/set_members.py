"""What an answer may call a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.shop.computed.shop_workspace import Record
from benchmarks.shop.computed.subjects import words_of
from benchmarks.shop.language.record_kinds import id_of
from gates.claims import Member

_LEAST_CHARS: Final = 3


def member_of(record: Record, scope: Sequence[Record]) -> Member:
    """Return a record with its id, its name and, if it is one of `scope`, the words of its name that no other there
    shares; words of its city name none."""
    name = str(record.data.get("name", ""))
    names = {id_of(record.path), name} - {""}
    if any(each.path == record.path for each in scope):
        shared = {word for each in scope if each.path != record.path for word in _words(each, "name")}
        shared.update(_words(record, "city"))
        names.update(each for each in _words(record, "name") if each not in shared and len(each) >= _LEAST_CHARS)
    return Member(record.path, frozenset(names))


def _words(record: Record, field: str) -> tuple[str, ...]:
    return words_of(str(record.data.get(field, "")))
