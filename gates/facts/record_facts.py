"""What a trial's evidence says of one record: whose it is, and which states it may be in, is in and was in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from gates.facts.identity import owner_against
from gates.facts.records import Record
from gates.facts.word_stems import compound_stem
from gates.types.terms import fold_text

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class States:
    """The states that a field may hold."""

    stems: frozenset[str]
    words: frozenset[str]
    """Their letters: `checkedout` for `checked_out`."""


def states_from(named: Iterable[str]) -> States:
    """Return states by their names."""
    names = tuple(named)
    return States(frozenset(map(compound_stem, names)), frozenset("".join(_WORD.findall(name)) for name in names))


class AllRecords(Protocol):
    """What the evidence says of all records together."""

    @property
    def signed_in(self) -> frozenset[str]:
        """The folded ids of whoever is signed in."""

    @property
    def states_by_kind(self) -> Mapping[str, Mapping[str, States]]:
        """The states that fields take, by the records' kind, and by the last part of the fields' names."""

    def printed_stems(self, record_id: str) -> frozenset[str]:
        """Return the stems of the lines in which a tool that changed something printed a folded id."""


class RecordFacts:
    """The facts of one record, each worked out when it is first asked for."""

    def __init__(self, record: Record, every: AllRecords) -> None:
        self._record = record
        self._every = every

    @cached_property
    def other_owner(self) -> str:
        """The id of the other whom the record belongs to; empty if that is not known."""
        return owner_against(self._record, self._every.signed_in)

    @cached_property
    def states(self) -> Mapping[str, States]:
        """The states that its fields may hold, by the last part of the fields' names."""
        names = self._record.last.names
        of_kind = self._every.states_by_kind.get(self._record.kind, {})
        return {name: states for name, states in of_kind.items() if name in names}

    @cached_property
    def state_words(self) -> frozenset[str]:
        """The letters of all states that its fields may hold."""
        return frozenset[str]().union(*(each.words for each in self.states.values()))

    @cached_property
    def current_states(self) -> frozenset[str]:
        """The stems of the states that it is in.

        They stand in its last reading, or in what a tool that changed something printed of it.
        """
        printed = self._every.printed_stems(fold_text(self._record.id))
        found: set[str] = set()
        for name, states in self.states.items():
            read = map(compound_stem, self._record.last.values(name))
            found |= (printed & states.stems) or states.stems.intersection(read)
        return frozenset(found)

    @cached_property
    def past_states(self) -> frozenset[str]:
        """The stems of the states that it was in when it was read, at any time."""
        return frozenset(
            stem
            for name, states in self.states.items()
            for reading in self._record.readings
            for stem in map(compound_stem, reading.values(name))
            if stem in states.stems
        )
