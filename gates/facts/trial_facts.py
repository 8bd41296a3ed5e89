"""All that a trial's evidence says of records, their owners and states, put together once for every rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Final

from gates.facts.identity import signed_in_ids
from gates.facts.record_facts import RecordFacts, States, states_from
from gates.facts.records import Record, id_of, record_at
from gates.facts.rows import Table, tables_of
from gates.facts.vocabulary import results_of_verbs, states_by_field, tool_verbs
from gates.facts.word_stems import compound_stem, stems_in
from gates.types.canonical_paths import base_name
from gates.types.evidence import Action, Evidence
from gates.types.terms import fold_text, words_in

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
        self._stems_of = cache(stems_in)
        self._facts_at = cache(lambda path: RecordFacts(self.records[path], self))

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """The records that were read as a whole, by path."""
        found = (record_at(each) for path, each in self.evidence.touches.items() if "execute" not in each.actions)
        return {each.path: each for each in found if each is not None}

    @cached_property
    def records_by_id(self) -> Mapping[str, list[Record]]:
        """The records that were read, by the names of their files."""
        found: dict[str, list[Record]] = {}
        for each in self.records.values():
            found.setdefault(each.id, []).append(each)
        return found

    @cached_property
    def changes_at(self) -> Mapping[str, list[Action]]:
        """What was done at each path that was changed, in order."""
        found: dict[str, list[Action]] = {}
        for each in self.evidence.changes:
            found.setdefault(each.path, []).append(each.action)
        return found

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
            stem = path.rpartition("/")[2].rpartition(".")[0]  # as `id_of`, in half its time
            if stem and path not in self.evidence.directories:
                name = fold_text(stem)
                if not name.isalpha():
                    found.setdefault(name, []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def signed_in(self) -> frozenset[str]:
        """The folded ids of whoever is signed in; empty if that was not read, or if nobody is."""
        return self._identity or frozenset()

    @cached_property
    def _identity(self) -> frozenset[str] | None:
        return signed_in_ids(self.evidence)

    def is_anothers(self, record: Record) -> bool:
        """Say whether a record is known to be another's.

        It names another in the signed-in user's place, or it names somebody while nobody is signed in.
        """
        if self._identity is not None and not self._identity:
            return bool(record.owners)
        return bool(self.owner_against(record.path))

    def owner_against(self, path: str) -> str:
        """Return the id of the other whom the record at `path` belongs to, or an empty string if that is not known."""
        return self._facts_at(path).other_owner if path in self.records else ""

    @cached_property
    def states(self) -> Mapping[str, frozenset[str]]:
        """The states that fields take, by kind and field: `/proc/tasks status`."""
        return states_by_field(self.records.values(), self.documents.values())

    @cached_property
    def results(self) -> Mapping[str, frozenset[str]]:
        """The stems of the states that documents say a deed results in, by the stem of its verb."""
        return results_of_verbs(self.documents.values())

    @cached_property
    def verbs(self) -> Mapping[str, str]:
        """Tools by the stems of what they may be told to do."""
        return tool_verbs(self.evidence, self.documents.values())

    @cached_property
    def knows_further_tools(self) -> bool:
        """Whether a listing shows, in the folder of a tool that ran, one that has not run and may change something."""
        ran = {each.path for each in self.evidence.executions}
        folders = {path.rpartition("/")[0] for path in ran}
        listed = (path for paths in self.evidence.paths_by_spelling.values() for path in paths)
        return any(path.rpartition("/")[0] in folders and path not in ran for path in listed)

    @cached_property
    def states_by_kind(self) -> Mapping[str, Mapping[str, States]]:
        """The states that fields take, by the records' kind, and by the last part of the fields' names."""
        found: dict[str, dict[str, States]] = {}
        for field, states in self.states.items():
            kind, _, name = field.rpartition(" ")
            found.setdefault(kind, {})[name] = states_from(states)
        return found

    def about(self, record: Record) -> RecordFacts:
        """Return what the evidence says of one of its records; for the same record the same object."""
        return self._facts_at(record.path)

    def done_stems(self, records: Iterable[Record]) -> frozenset[str]:
        """Return the stems of what tools did to some records: of the tools' names, and of their arguments."""
        by_word = self._changes_of
        done = {number for each in records if by_word for number in by_word.get(fold_text(each.id), ())}
        changes = (self.evidence.changes[number] for number in done)
        return frozenset(
            compound_stem(word) for change in changes for word in (base_name(change.path), *change.detail.split())
        )

    @cached_property
    def _changes_of(self) -> Mapping[str, list[int]]:
        """The numbers of the changes that tools made, by each folded word of their arguments."""
        found: dict[str, list[int]] = {}
        for number, change in enumerate(self.evidence.changes):
            for word in change.detail.split():
                found.setdefault(fold_text(word), []).append(number)
        return found

    def printed_stems(self, record_id: str) -> frozenset[str]:
        """Return the stems of the lines in which a tool that changed something printed a folded id."""
        return frozenset(stem for line in self._printed_lines.get(record_id, ()) for stem in self._stems_of(line))

    @cached_property
    def _printed_lines(self) -> Mapping[str, list[str]]:
        """The lines of the output of tools that changed something, by each folded name in them."""
        found: dict[str, list[str]] = {}
        for path in {each.path for each in self.evidence.changes if each.action == "execute"}:
            touch = self.evidence.touches.get(path)
            for line in (line for seen in (touch.seen if touch else ()) for line in seen.text[:MAX_CHARS].splitlines()):
                for name in set(_NAME.findall(fold_text(line))):
                    found.setdefault(name, []).append(line)
        return found

    def record_of(self, named: Named) -> Record | None:
        """Return the record that a text names, if it was read and no other file has its id."""
        return self.records.get(named.paths[0]) if len(named.paths) == 1 else None

    def tied_to(self, records: Iterable[Record]) -> tuple[Record, ...]:
        """Return the records, and those that hold the id of one of them, or whose id one of them holds."""
        given = {each.path: each for each in records}
        tied = {other for path in given for other in self._ties[path]}
        more = (each for path, each in self.records.items() if path in tied and path not in given) if tied else ()
        return (*given.values(), *more)

    @cached_property
    def _ties(self) -> Mapping[str, frozenset[str]]:
        """The paths of the records that each record names by their ids, or that name it."""
        by_id: dict[str, list[str]] = {}
        for path, each in self.records.items():
            by_id.setdefault(fold_text(each.id), []).append(path)
        ties: dict[str, set[str]] = {path: set() for path in self.records}
        for path, values in self._values_of.items():
            for other in (other for name in by_id.keys() & values for other in by_id[name]):
                ties[path].add(other)
                ties[other].add(path)
        return {path: frozenset(others) for path, others in ties.items()}

    def values_of(self, record: Record) -> Sequence[str]:
        """Return the folded lines of the values of a record that was read."""
        return self._values_of[record.path]

    @cached_property
    def _values_of(self) -> Mapping[str, list[str]]:
        """The folded lines of the values of each record that was read."""
        return {path: fold_text("\n".join(_all_values(each))).split("\n") for path, each in self.records.items()}

    @cached_property
    def _record_words(self) -> frozenset[str]:
        return words_in("\n".join(chain.from_iterable(self._values_of.values())))

    @cached_property
    def _document_words(self) -> frozenset[str]:
        return words_in(fold_text("\n".join(self.documents.values())))

    def is_only_in_records(self, word: str) -> bool:
        """Say whether a folded word stands in the value of a record, and in no document."""
        return word in self._record_words and word not in self._document_words

    @cached_property
    def public_text(self) -> str:
        """The folded text of all documents, and of what tools print of their own accord."""
        printed = (
            seen.text
            for touch in self.evidence.touches.values()
            if "execute" in touch.actions
            for seen in touch.seen
            if seen.is_proof
        )
        return fold_text("\n".join((*self.documents.values(), *printed)))

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
        """Say whether anything that was seen ties two folded ids: a file of the one that names the other, a record or a
        line that a tool printed that names both."""
        return any(one in part and other in part for part in self._parts)

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """The folded texts in which two ids that stand together belong together: each file, and each line of a tool."""
        found: list[str] = []
        for path, touch in self.evidence.touches.items():
            if path in self.documents and all(seen.is_whole and not seen.is_excerpt for seen in touch.seen):
                continue
            for text in (fold_text(seen.text) for seen in touch.seen):
                found += text.splitlines() if "execute" in touch.actions else [f"{fold_text(id_of(path))}\n{text}"]
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Named:
    """A place of a text that names a known file."""

    id: str
    paths: tuple[str, ...]
    start: int
    end: int


def _all_values(record: Record) -> Iterator[str]:
    return chain.from_iterable(chain.from_iterable(reading.fields.values() for reading in record.readings))


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
