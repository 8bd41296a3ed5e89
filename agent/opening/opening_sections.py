"""Makes the opening calls that an environment declares: what it names, the texts that fit, and the files named."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from agent.evidence.recorder import CallUnderWay
from agent.findings.compute_in_aide import tree_in_parts
from agent.opening.section_queue import Room, Section, SectionQueue, result_text, title_of
from agent.opening.workspace_files import ids_in
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    NamedFiles,
    OpeningCall,
    Operation,
    Plain,
    error_codes,
)

MOST_CALLS: Final = 100
"""Calls of turn one after which folders of a large tree are left out."""
MOST_COMPARED: Final = 100
"""Texts of which those that fit the instruction are chosen."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM_CHARS: Final = 6
"""Words that begin with the same characters, endings left aside, count as one."""
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|al)$")
_FOLDER_WEIGHT: Final = 2.0
"""What a folder weighs against a word that as many texts hold."""
_PASSED_ON: Final = 0.5
"""The part of a text's weight that goes to the texts whose names it holds."""
KEPT_STEMS: Final = 4_096
"""Words whose stems are kept: texts repeat most of theirs."""
KEPT_TEXTS: Final = 256
"""Texts whose stems are kept: trials share most of their documents."""
MOST_COMPARED_CHARS: Final = 20_000
"""Characters of one text that are compared."""
MOST_IN_TURN: Final = 8
"""A file that names more files than this is a list, and what it names is not read."""
LEAST_CHARS: Final = 250
"""With less room than this, a file is not read for its name."""
MOST_IDS: Final = 6
"""Names that are looked for in files."""
MOST_HITS: Final = 12


class OpeningSections:
    """The sections of turn one, in the order of their declarations."""

    def __init__(self, queue: SectionQueue) -> None:
        self._queue = queue
        self._surface = queue.recorder.surface

    def add_all(self) -> None:
        """Show the declared calls and the named files, and name what was left out."""
        for declared in self._surface.opening:
            self._add_declared(declared)
        if self._surface.named_files is not None:
            add_named(self._queue, self._surface.named_files)
        self._queue.show_until(0)
        if self._queue.left_out:
            self._queue.say(f"(Not opened for want of room: {', '.join(self._queue.left_out)}.)\n\n")

    def _add_declared(self, declared: OpeningCall) -> None:
        """Make the declared call, or one for each value that its listing gives."""
        operation = self._surface.operation(declared.operation)
        if operation is None:
            return
        if declared.each_of is None:
            self._add(operation, dict(declared.arguments), declared)
            return
        given = [{**declared.arguments, operation.subject: subject} for subject in self._listed(declared.each_of)]
        if declared.fitting_chars is not None and operation.effect is Effect.READS:
            others = [asked for asked in given if not self._is_declared(operation, asked[operation.subject])]
            add_fitting(self._queue, operation, others, declared.fitting_chars)
            return
        for arguments in given:
            self._add(operation, arguments, declared)

    def _is_declared(self, operation: Operation, subject: Plain) -> bool:
        """Say whether another opening call shows this by itself."""
        return any(
            declared.operation == operation.name and declared.arguments.get(operation.subject) == subject
            for declared in self._surface.opening
        )

    def _listed(self, listing: EachOf) -> list[Plain]:
        if (files := self._found_in_tree(listing)) is not None:
            return [*files]
        call = self._queue.send(listing.operation, listing.arguments)
        self._queue.show_until(0)
        try:
            listed = self._queue.recorder.receive(call).get(listing.field)
        except CallError:
            return []
        values = listed if isinstance(listed, list) else []
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in values
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _found_in_tree(self, listing: EachOf) -> list[str] | None:
        """Return the files that a `find` lists, if a tree shows them all already; else None."""
        match self._surface.operation(listing.operation), dict(listing.arguments):
            case Operation(name="find") as find, {"name": str(name), "root": str(root), "kind": "files", "limit": 0}:
                self._queue.show_until(0)
                files = self._queue.known.files_in(root) if find in FILE_OPERATIONS else None
                names = {path: path.rpartition("/")[2].lower() for path in files or ()}
                return None if files is None else [path for path in files if fnmatchcase(names[path], name.lower())]
        return None

    def _add(self, operation: Operation, arguments: Mapping[str, Plain], declared: OpeningCall) -> None:
        """Make one call and show its result; without room it is named, unless it reads the rules."""
        queue, title = self._queue, title_of(operation, arguments)
        is_rules = arguments.get(operation.subject) == self._surface.rules_document and bool(operation.json_field)
        # What is under way may yet fill its sections: only the room beyond is certain.
        while queue.under_way and queue.left - queue.under_way * queue.section_chars <= 0:
            queue.show_first()
        if not is_rules and min(queue.section_chars, queue.left) <= 0:
            queue.left_out.append(title)
            return
        call = queue.send(operation.name, arguments)
        parts = self._tree_in_parts(operation, call) if operation.drawn_as_tree else None
        queue.add(Section(operation, title, call, holds_rules=is_rules, declared=declared, parts=parts))
        if self._surface.may_change(operation.name, arguments):
            queue.show_until(0)

    def _tree_in_parts(self, operation: Operation, call: CallUnderWay) -> Mapping[str, Plain] | None:
        """Return the tree that a call was asked for and that is too large for it; None if it is not."""
        queue, error = self._queue, self._queue.recorder.outcome(call).error
        if error is None or error.code != error_codes.RESOURCE_EXHAUSTED:
            return None
        queue.show_until(0)
        with suppress(CallError):
            queue.recorder.receive(call)

        def listing(name: str, arguments: Mapping[str, Plain]) -> Mapping[str, Plain] | None:
            if len(queue.recorder.calls) < MOST_CALLS:
                with suppress(CallError):
                    return queue.recorder.receive(queue.send(name, arguments))
            return None

        return tree_in_parts(listing, str(call.call.arguments.get(operation.subject) or "/"))


def add_fitting(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]], chars: int) -> None:
    """Make the calls, and show the texts that fit the instruction, together at most `chars`; the others are named."""
    queue.show_until(0)
    chars = min(chars, queue.left)
    titles = [title_of(operation, arguments) for arguments in given]
    if chars <= 0:
        queue.left_out += titles
        return
    queue.left_out += titles[MOST_COMPARED:]
    calls = _sent(queue, operation, given[:MOST_COMPARED])
    results = [queue.recorder.outcome(call).result for call in calls]
    texts = ["" if result is None else result_text(operation, result) for result in results]
    names = [str(arguments.get(operation.subject)) for arguments in given]
    chosen = fitting(
        queue.known.instruction,
        dict(zip(names, texts, strict=False)),
        chars,
        folders=_kinds_named(queue),
        rules=queue.known.rules,
    )
    unfit = []
    for number, call in enumerate(calls):
        if results[number] is None or names[number] in chosen:
            queue.add(Section(operation, titles[number], call, room=Room(chars), chars=chars))
            queue.show_first()
        else:
            queue.recorder.receive(call, shown_chars=0)
            unfit.append(f"{names[number]} ({_heading(texts[number])})")
    if unfit:
        queue.say(f"(Not shown, to be read where it matters: {', '.join(unfit)}.)\n\n")


def _sent(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]]) -> list[CallUnderWay]:
    """Begin the calls, as many at a time as may be under way."""
    calls: list[CallUnderWay] = []
    for arguments in given:
        if len(calls) >= queue.at_a_time:
            queue.recorder.outcome(calls[-queue.at_a_time])
        calls.append(queue.send(operation.name, arguments))
    return calls


def _kinds_named(queue: SectionQueue) -> list[str]:
    """Return the folders of the kinds of which the instruction names a file."""
    named = queue.recorder.surface.named_files
    if named is None:
        return []
    index, instruction = queue.known.index(named.roots), queue.known.instruction
    return index.kinds_of([*index.named_in(instruction), *index.meant_in(instruction)])


def _heading(text: str) -> str:
    return text.strip().partition("\n")[0].strip("# ")[:60]


def fitting(
    instruction: str, texts: Mapping[str, str], room: int, *, folders: Iterable[str] = (), rules: str = ""
) -> list[str]:
    """Return the names of the texts to show: whole ones, best first, together at most `room` characters.

    A text weighs by the words that it shares with the instruction and by those of `folders` that it names, each by how
    few of the texts do; half its weight goes to a text that it names. Among equals the one that stands first in `rules`
    comes first. If there is room for none, the best one is returned.
    """
    heads = {name: text[:MOST_COMPARED_CHARS] for name, text in texts.items()}
    shared = dict.fromkeys(heads, 0.0)
    bags = {name: _stems(text) for name, text in heads.items()}
    for stem in _stems(instruction[:MOST_COMPARED_CHARS]):
        _add_weights(shared, {name: 1 + math.log(bag[stem]) for name, bag in bags.items() if stem in bag})
    for folder in dict.fromkeys(folders):
        _add_weights(shared, {name: _FOLDER_WEIGHT for name, text in heads.items() if folder in text})
    passed = {name: max((shared[other] for other in heads if name in heads[other]), default=0) for name in heads}
    order = sorted(heads, key=lambda name: (-shared[name] - _PASSED_ON * passed[name], _place(name, rules)))
    chosen: list[str] = []
    for name in order:
        if len(texts[name]) <= room:
            chosen.append(name)
            room -= len(texts[name])
    return chosen or order[:1]


def _add_weights(weights: dict[str, float], holding: Mapping[str, float]) -> None:
    """Add what one word weighs for each text that holds it."""
    for name, times in holding.items():
        weights[name] += times * math.log(1 + len(weights) / len(holding))


def _place(name: str, rules: str) -> int:
    found = rules.find(name)
    return found if found >= 0 else len(rules)


@lru_cache(maxsize=KEPT_TEXTS)
def _stems(text: str) -> Counter[str]:
    """Count the stems of a text, which many trials have in common."""
    return Counter(map(_stem, _WORD.findall(text.casefold())))


@lru_cache(maxsize=KEPT_STEMS)
def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return (bare if len(bare) >= 3 else word)[:_STEM_CHARS]


def add_named(queue: SectionQueue, named: NamedFiles) -> None:
    """Show files for their names: named ones, then what they name in turn or what holds such a name, then samples."""
    read = queue.recorder.surface.operation(named.read)
    queue.show_until(0)
    if read is None or read.effect is not Effect.READS or queue.left <= 0:
        return
    known, index = queue.known, queue.known.index(named.roots)
    said = known.said
    room, samples = Room(named.chars), Room(queue.left)
    exact = index.named_in(said)
    first = [*dict.fromkeys([*exact, *index.meant_in(known.instruction)])][: named.most]
    _add_files(queue, read, first, room, named.each_chars)
    hits = _holding(queue, named, ids_in(said))
    queue.show_until(0)
    in_turn = [index.named_in(known.texts.get(path, "")) for path in exact]
    then = [path for paths in in_turn if len(paths) <= MOST_IN_TURN for path in paths]
    later = [path for path in dict.fromkeys([*then, *index.named_in("\n".join(hits))]) if path not in first]
    shown = [*first, *later[: named.most - len(first)]]
    _add_files(queue, read, shown[len(first) :], room, named.each_chars)
    if named.sampled and queue.samples:
        _add_files(queue, read, index.samples(named.sampled, shown), samples, named.sample_chars)


def _holding(queue: SectionQueue, named: NamedFiles, ids: list[str]) -> list[str]:
    """Return the paths of files that hold one of `ids`. The lines that a search found are not shown.

    Roots in which the tree shows no file are not searched.
    """
    if not (named.search and ids and queue.recorder.surface.operation(named.search)):
        return []
    pattern = r"\b(?:" + "|".join(map(re.escape, ids[:MOST_IDS])) + r")\b"
    calls = []
    queue.show_until(0)
    for root in named.roots:
        if queue.known.files_in(root) == []:
            continue
        calls.append(queue.send(named.search, {"pattern": pattern, "root": root, "limit": MOST_HITS}))
    found = []
    for call in calls:
        try:
            matches = queue.recorder.receive(call, shown_chars=0).get("matches")
        except CallError:
            continue
        rows = matches if isinstance(matches, list) else []
        found += [str(row.get("path")) for row in rows if isinstance(row, dict)]
    return found


def _add_files(queue: SectionQueue, read: Operation, paths: Iterable[str], room: Room, chars: int) -> None:
    """Show these files, of each at most `chars` characters, as long as there is room."""
    for path in paths:
        # What is under way may yet fill its sections.
        while queue.under_way and min(room.left, queue.left) < (queue.under_way + 1) * chars:
            queue.show_first()
        if min(room.left, queue.left) < min(chars, LEAST_CHARS):
            return
        arguments = {read.subject: path}
        call = queue.send(read.name, arguments)
        queue.add(Section(read, title_of(read, arguments), call, room=room, chars=chars))
