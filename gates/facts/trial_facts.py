"""All that a trial's evidence says of records, their owners and states, put together once for every rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from gates.facts.identity import owner_against, signed_in_ids
from gates.facts.records import Reading, Record, id_of, record_at
from gates.facts.rows import Table, tables_of
from gates.facts.vocabulary import states_by_field, tool_verbs
from gates.facts.word_stems import compound_stem
from gates.types.evidence import Evidence
from gates.types.terms import fold_text

MAX_CHARS: Final = 20_000
_NAME: Final = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_LEAST_NAME: Final = 3


class TrialFacts:
    """The facts of one trial's evidence, each worked out when it is first asked for.

    What was read bears a claim out. What a query printed can convict and never excuse, so that it stands apart, in
    `tables`.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """The records that were read as a whole, by path."""
        found = (record_at(each) for path, each in self.evidence.touches.items() if "execute" not in each.actions)
        return {each.path: each for each in found if each is not None}

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """What tools listed."""
        return tuple(tables_of(self.evidence))

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of what was read and is no record, by path."""
        return {
            path: "\n".join(seen.text for seen in touch.seen if seen.is_proof)
            for path, touch in self.evidence.touches.items()
            if path not in self.records and touch.actions == {"read"}
        }

    @cached_property
    def paths_by_id(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of all files, read or listed, by the folded name of each without its ending: the ids of records.

        A name of letters alone is a word like others, and none of them.
        """
        found: dict[str, list[str]] = {}
        listed = (path for paths in self.evidence.paths_by_spelling.values() for path in paths)
        for path in dict.fromkeys((*self.evidence.touches, *listed)):
            if path not in self.evidence.directories and "." in path.rpartition("/")[2]:
                name = fold_text(id_of(path))
                if not name.isalpha():
                    found.setdefault(name, []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def signed_in(self) -> frozenset[str]:
        """The folded ids of whoever is signed in; empty if that was not read."""
        return signed_in_ids(self.evidence)

    @cached_property
    def states(self) -> Mapping[str, frozenset[str]]:
        """The states that fields take, by kind and field: `/proc/tasks status`."""
        return states_by_field(self.records.values(), self.documents.values())

    @cached_property
    def verbs(self) -> Mapping[str, str]:
        """Tools by the stems of what they may be told to do."""
        return tool_verbs(self.evidence, self.documents.values())

    def owner_against(self, path: str) -> str:
        """Return the id of the other whom the record at `path` belongs to, or an empty string if that is not known."""
        record = self.records.get(path)
        return owner_against(record, self.signed_in) if record is not None else ""

    def states_of(self, record: Record) -> Mapping[str, frozenset[str]]:
        """Return what the state fields of a record may hold, by the stem of each state: the states of that stem."""
        found: dict[str, set[str]] = {}
        prefix = record.kind + " "
        for field, states in self.states.items():
            if field.startswith(prefix) and record.last.values(field.removeprefix(prefix)):
                for each in states:
                    found.setdefault(compound_stem(each), set()).add(each)
        return {stem: frozenset(states) for stem, states in found.items()}

    def ids_in(self, text: str) -> tuple[str, ...]:
        """Return the folded ids of known files that a text names, each once, in their order."""
        return tuple(dict.fromkeys(each.id for each in self.named_in(text)))

    def named_in(self, text: str) -> Iterator[Named]:
        """Yield where the first 20,000 characters of a text name a known file by its id."""
        for found in _NAME.finditer(text[:MAX_CHARS]):
            whole = fold_text(found[0])
            for name in dict.fromkeys((whole, id_of(whole))):
                if len(name) >= _LEAST_NAME and (paths := self.paths_by_id.get(name)):
                    yield Named(name, paths, found.start(), found.end())
                    break

    def are_linked(self, one: str, other: str) -> bool:
        """Say whether a record names both ids, or is the one and names the other; so may a row that a tool printed."""
        for record in self.records.values():
            names = {fold_text(value) for reading in record.readings for value in _all_values(reading)}
            names.add(fold_text(record.id))
            if one in names and other in names:
                return True
        rows = (row for table in self.tables for row in table.rows)
        return any({one, other} <= {fold_text(id_of(cell)) for cell in row.values()} for row in rows)


@dataclass(frozen=True, slots=True)
class Named:
    """A place of a text that names a known file."""

    id: str
    paths: tuple[str, ...]
    start: int
    end: int


def _all_values(reading: Reading) -> Iterator[str]:
    return (value for held in reading.fields.values() for value in held)


class _Same:
    """Stands for one evidence object: another that equals it is another key."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def __hash__(self) -> int:
        return id(self.evidence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.evidence is self.evidence


def facts_of(evidence: Evidence) -> TrialFacts:
    """Return the facts of a trial's evidence; for the same object the same facts, so that rules share the work."""
    return _facts_of(_Same(evidence))


@lru_cache(maxsize=2)
def _facts_of(same: _Same) -> TrialFacts:
    return TrialFacts(same.evidence)
