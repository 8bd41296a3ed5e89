"""The words of a workspace for the states of its records, and for what its tools do; nothing here is a word list.

A state is what a field holds that takes one of a few identifier-like values, such as `status` or `verification.state`.
Which fields those are, and which values there are, is learned from records and from the documents that name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from gates.facts.records import Record
from gates.facts.word_stems import compound_stem
from gates.types.canonical_paths import base_name
from gates.types.evidence import Evidence

MAX_DOCUMENT_CHARS: Final = 50_000
MAX_STATES: Final = 100
MAX_FIELDS: Final = 200
"""How many fields of a reading may be states, and of how many kinds of records ten times as many in all."""
MAX_MARKED: Final = 2_000
"""How many words that documents mark as code, and how many commands, are looked at."""
_STATE: Final = re.compile(r"(?=...)[a-z]{2,}(?:[_-][a-z]+){0,4}")
_TRUTH_VALUES: Final = frozenset(("true", "false"))
_MARKED: Final = re.compile(r"`([a-z][a-z_-]{2,40})`")
_CHAIN: Final = re.compile(r"[\s,>|/→-]*(?:\w{2,3}[\s,]+)?")
"""What may stand between two states that a document lists: signs, and one short word such as "or"."""
_ENDING: Final = re.compile(r",? (?:[a-z]{2,6} ){1,3}")
"""What may stand before the last of several: ", or ends as"."""
_WIDEST: Final = 24
_NAME_BEFORE: Final = re.compile(r"\b([A-Za-z]\w{2,40})`?(?:[ \n][a-z]{2,3}){0,2}:?[ \n]\Z")
"""A field's name before a value: "with the status `open`", "`task.state` is `open`"."""
_NAME_REACH: Final = 60
_COMMAND_FORM: Final = r"`(/[\w/.-]{1,100})((?: [a-z][a-z_-]{2,40}){0,2})(?: [<\[{$][^`\n]{0,200})`"
_COMMAND: Final = re.compile(_COMMAND_FORM)
"""A tool with what it takes: "`/bin/refund approve <return_id>`"."""
_RESULT: Final = re.compile(rf"{_COMMAND_FORM}[^`.]{{1,40}}`([a-z][a-z_-]{{2,40}})`")

States = Mapping[str, frozenset[str]]


def is_state_like(value: str) -> bool:
    """Say whether a value is formed like a state: lower-case words joined by `_` or `-`, without a number."""
    return len(value) <= 40 and _STATE.fullmatch(value) is not None and value not in _TRUTH_VALUES


def states_by_field(records: Iterable[Record], documents: Iterable[str]) -> States:
    """Return the states that fields of records take, by kind and last part of the field's name: `/proc/tasks status`.

    A field is one of states if it changed from one such value to another while the trial ran, or if a document marks
    one of its values as code, in a list of such values or after the field's name. What the list holds beside it joins,
    unless it was seen as the value of another field, or is the name of one.
    """
    values, changed, names = _values_by_field(records)
    chains, by_name = _listed_in(documents)
    homes: dict[str, set[str]] = {each: set() for chain in chains for each in chain}
    for field, held in values.items():
        for each in held & homes.keys():
            homes[each].add(field)
    chains_of: dict[str, list[set[str]]] = {}
    for chain in chains:
        for each in chain if len(chain) > 1 else ():
            chains_of.setdefault(each, []).append(chain)
    found: dict[str, frozenset[str]] = {}
    for field, held in values.items():
        name = field.rpartition(" ")[2]
        listed = {each for value in held for chain in chains_of.get(value, ()) for each in chain}
        if field in changed or listed or not held.isdisjoint(by_name.get(name, ())):
            joined = {each for each in listed if homes[each] <= {field} and each not in names}
            found[field] = frozenset(sorted(held | joined)[:MAX_STATES])
    return found


def _values_by_field(records: Iterable[Record]) -> tuple[dict[str, set[str]], set[str], set[str]]:
    """Return the values that are formed like states, by field; the fields that changed; and all names of fields."""
    values: dict[str, set[str]] = {}
    changed: set[str] = set()
    keys: set[str] = set()
    for record in records:
        before: dict[str, str] = {}
        kind = record.kind
        for reading in record.readings:
            for key, held in islice(reading.fields.items(), MAX_FIELDS):
                keys.add(key)
                if len(held) != 1 or not is_state_like(held[0]):
                    continue
                value, name = held[0], key.rpartition(".")[2]
                if name[-2:].lower() == "id":
                    continue
                field = f"{kind} {name}"
                known = values.get(field)
                if known is None:
                    if len(values) == 10 * MAX_FIELDS:
                        continue
                    known = values[field] = set()
                known.add(value)
                if before.setdefault(key, value) != value:
                    changed.add(field)
    return values, changed, {part for key in keys for part in key.split(".")}


def _listed_in(documents: Iterable[str]) -> tuple[list[set[str]], dict[str, set[str]]]:
    """Return what documents mark as code side by side, and what they name after the name of a field."""
    chains: list[set[str]] = []
    by_name: dict[str, set[str]] = {}
    named_end = 0
    for head, found, end in islice(_marked_in(documents), MAX_MARKED):
        gap = head[end : found.start()] if end and found.start() - end <= _WIDEST else "."
        is_next = _CHAIN.fullmatch(gap) or (chains and len(chains[-1]) > 2 and _ENDING.fullmatch(gap))
        if is_next and len(chains[-1]) < MAX_STATES:
            chains[-1].add(found[1])
        else:
            chains.append({found[1]})
        named_end = named_end if end else 0
        if named := _NAME_BEFORE.search(head, max(named_end, found.start() - _NAME_REACH), found.start()):
            by_name.setdefault(named[1].rpartition("_")[2], set()).add(found[1])
            named_end = found.end()
    return chains, by_name


def _marked_in(documents: Iterable[str]) -> Iterator[tuple[str, re.Match[str], int]]:
    """Yield each place that a document marks as code, with the end of the one before it, or 0."""
    for text in documents:
        head, end = text[:MAX_DOCUMENT_CHARS], 0
        for found in _MARKED.finditer(head):
            yield head, found, end
            end = found.end()


def tool_verbs(evidence: Evidence, documents: Iterable[str]) -> Mapping[str, str]:
    """Return the tools that may change something by the stems of what they can be told to do.

    Those are the names of tools, and the words that follow them, where a tool of another kind than reading ran, or
    where a document shows it with what it takes: "`/bin/refund approve <return_id>`" tells of refunding and approving.
    """
    found: dict[str, str] = {}
    reading = {each.path for each in evidence.executions if each.kind == "reads"}
    for path, words in _commands(evidence, documents):
        if path not in reading:
            for word in (base_name(path), *words):
                found.setdefault(compound_stem(word), path)
    return found


def _commands(evidence: Evidence, documents: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    shown = (found for text in documents for found in _COMMAND.finditer(text[:MAX_DOCUMENT_CHARS]))
    for found in islice(shown, MAX_MARKED):
        yield found[1], found[2].split()
    for each in evidence.executions:
        yield each.path, [word for word in each.arguments[:1] if is_state_like(word)]


def results_of_verbs(documents: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the stems of the states that deeds result in, as documents tell right behind the tool that does them, by
    the stem of the verb: "`/bin/refund approve <return_id>` makes it `refund_pending`"."""
    found: dict[str, set[str]] = {}
    told = (command for text in documents for command in _RESULT.finditer(text[:MAX_DOCUMENT_CHARS]))
    for command in islice(told, MAX_MARKED):
        for word in command[2].split() or [base_name(command[1])]:
            found.setdefault(compound_stem(word), set()).add(compound_stem(command[3]))
    return {verb: frozenset(states) for verb, states in found.items()}
